"""What of an answer is compared: everything but wording, and values that differ between machines and runs."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import satchel

# Values that differ from run to run or from machine to machine, by key.
VARYING = frozenset(
    {
        "backend_duration_ms",
        "bytes",  # of database and index files
        "duration_ms",
        "durationMs",
        "latencyMs",
        "mean_ms",
        "p50_ms",
        "p95_ms",
        "path_digest",  # of a folder of the run, as is "root"
        "root",
        "router_duration_ms",
        "stages",
        "total_ms",
    }
)
# Sentences of the product, which may be reworded, by key or by key below another key. Codes, ids and numbers beside
# them are compared, and so is whether there is a sentence at all.
WORDING = frozenset(
    {
        "how_to_use",
        "problem",
        "problems",
        "rationale",
        "content.text",  # what a tool says beside its details
        "details.hint",
        "details.message",
        "error.hint",
        "error.message",
        "check.note",
        "findings.fix",
        "findings.message",
        "included.meaning",
        "left_out.meaning",
        "remedies.change",
        "remedies.command",
        "sections.lines",
        "sections.title",
        "settings.help",
        "settings.limits",
        "settings.type",
        "trace.notes",
    }
)
# Stored reasons are a code, a person's own words, or a sentence of the product: only codes are compared.
REASONS = frozenset({"reason", "retired_reason"})
ERASED = "…"
PACKAGE = str(Path(satchel.__file__).parent)


class Reduction:
    """Reduces answers of one run, whose folder has a name of its own."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._digests: dict[str, str] = {}
        self._sources: dict[str, str] = {}

    def answer(self, value: Any) -> Any:
        """Return what of an answer is compared."""
        if isinstance(value, dict) and isinstance(value.get("error"), str):
            # Some operations answer with a sentence and no code.
            value = {**value, "error": ERASED}
        return self._reduced(value)

    def lines(self, text: str) -> list[Any]:
        """Return what of a file is compared: its lines, parsed where they are JSON."""
        return [self._reduced(_parsed(line)) for line in text.splitlines()]

    def _reduced(self, value: Any, key: str = "", parent: str = "") -> Any:
        if key in VARYING or key in WORDING or f"{parent}.{key}" in WORDING:
            return ERASED if value else value
        if isinstance(value, dict):
            if value.keys() >= {"digest", "body"} and isinstance(value["body"], dict):
                return self._receipt(value)
            return {name: self._reduced(inner, name, key) for name, inner in value.items()}
        if isinstance(value, list):
            if all(isinstance(one, dict) and str(one.get("source")).startswith("src_") for one in value):
                # They are ordered by the name of their source, which differs with the folder of the run.
                value = sorted(value, key=lambda one: [str(one.get(name)) for name in ("ref", "line", "rule")])
            return [self._reduced(inner, key, parent) for inner in value]
        if isinstance(value, str):
            if key == "warnings":
                return value.partition(":")[0]
            return ERASED if " " in value and key in REASONS else self._text(value)
        return value

    def _receipt(self, receipt: dict[str, Any]) -> dict[str, Any]:
        """Reduce a receipt. Its own digest covers the wording of warnings and the names of folders.

        So it is compared only where the reduced body is the whole body. Everywhere else `reduced_digest` is compared,
        taken in the same way over the reduced body.
        """
        body = {name: self._reduced(inner, name) for name, inner in receipt["body"].items()}
        whole, digest = body == receipt["body"], receipt["digest"]
        reduced = "sha256:" + hashlib.sha256(_canonical(body).encode()).hexdigest()
        if not whole:
            # What names this receipt later on is compared by the digest that doesn't vary.
            self._digests[digest] = f"reduced {reduced}"
        kept = {name: self._reduced(inner, name) for name, inner in receipt.items() if name not in ("body", "digest")}
        return {**kept, "body": body, **({"digest": digest} if whole else {"reduced_digest": reduced})}

    def _text(self, text: str) -> str:
        text = text.replace(self._folder, "{dir}").replace(PACKAGE, "{package}")
        # Sources of the graph are named after the whole path of their file.
        text = re.sub(r"src_[0-9a-f]{20}", lambda match: self._sources.setdefault(match[0], self._next()), text)
        return re.sub(r"sha256:[0-9a-f]{64}", lambda match: self._digests.get(match[0], match[0]), text)

    def _next(self) -> str:
        return f"src_{len(self._sources) + 1}"


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line
