"""The secret rules on published samples: how many secrets are masked, and how many harmless lines are flagged.

Lines are JSON with `text`, and optionally `label` (secret or clean), `source` and `value`. Text without such a label
counts as harmless, split into lines. `python -m bench.secrets FILE…` lists every secret that is missed.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from bench.report.results import Result, machine
from satchel.domain.safety.redact import redacted

# Families without a vendor's prefix: only a name or the context gives them away.
GENERIC = frozenset(
    [
        "generic",
        "curl",
        "API",
        "Auth",
        "BASE64 Private Key",
        "CMD ConvertTo-SecureString",
        "CMD Password",
        "CMD Secret",
        "CMD Token",
        "CURL Options",
        "Credential",
        "Dropbox App secret",
        "Firebase Domain",
        "JWK",
        "Jira / Confluence PAT token",
        "Key",
        "Nonce",
        "OTP / 2FA Secret",
        "Password",
        "SQL Password",
        "Salt",
        "Secret",
        "Token",
        "URL Credentials",
        "UUID",
    ]
)


class Family(Struct):
    """Counts of one family."""

    secrets: int = 0
    found: int = 0
    clean: int = 0
    flagged: int = 0
    missed: list[str] = field(default_factory=list)


def measure(files: Sequence[Path]) -> Result:
    """Count masked secrets and flagged harmless lines by class."""
    classes = _classes(_families(files))
    rows = [
        {"class": name, "secrets": one.secrets, "masked": one.found, "harmless": one.clean, "flagged": one.flagged}
        for name, one in classes.items()
    ]
    return {"machine": machine(), "rows": rows}


def main() -> None:
    """Print the missed secrets of each family."""
    for name, one in sorted(_families(list(map(Path, sys.argv[1:]))).items()):
        for text in one.missed:
            print(f"{name}: {text[:160]!r}")


def _families(files: Sequence[Path]) -> dict[str, Family]:
    families: dict[str, Family] = defaultdict(Family)
    for path in files:
        for source, text, label, value in _lines(path):
            _judge(families[source], text, label, value)
    return families


def _lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for raw in path.read_text(encoding="utf-8").split("\n"):
        row = json.loads(raw or "{}")
        if row.get("label") in ("secret", "clean") and "source" in row:
            yield row["source"], row["text"], row["label"], row.get("value") or ""
            continue
        for line in str(row.get("text") or row.get("prompt") or "").splitlines():
            if line.strip():
                yield f"harmless/{path.stem}", line, "clean", ""


def _judge(family: Family, text: str, label: str, value: str) -> None:
    clean = redacted(text)
    if label == "clean":
        family.clean += 1
        family.flagged += bool(clean.found)
        return
    family.secrets += 1
    hidden = value not in clean.text if value else bool(clean.found)
    family.found += hidden
    if not hidden:
        family.missed.append(text)


def _classes(families: dict[str, Family]) -> dict[str, Family]:
    classes = {name: Family() for name in ("marked by their maker", "generic", "harmless lines", "all")}
    for name, one in families.items():
        if name.startswith("harmless/"):
            chosen = "harmless lines"
        else:
            chosen = "generic" if name.partition("/")[2] in GENERIC else "marked by their maker"
        for whole in (classes[chosen], classes["all"]):
            whole.secrets += one.secrets
            whole.found += one.found
            whole.clean += one.clean
            whole.flagged += one.flagged
    return classes


if __name__ == "__main__":
    main()
