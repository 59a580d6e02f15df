"""The secret rules on samples: how many secrets are masked, how many harmless lines too, and what hostile text costs.

Lines are JSON with `text`, and optionally `label` (secret or clean), `source`, `form` (known or generic) and `value`. Text
without such a label counts as harmless, split into lines.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field, structs

from bench.machine import Machine, this_machine
from bench.report.results import Result, machine
from satchel.config import Settings
from satchel.domain.safety.redact import redacted
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES
from satchel.errors import InvalidRequest, NotFound
from satchel.ports import Progress

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


# What hostile text repeats after a keyword, so that a pattern goes on and fails late, and how long that text is.
FILLERS = ("", " ", "=", ': "', "a", "A1", "0", "-", "_", "/", " -p ", "\n", " is ", ".eyJ")
HOSTILE_CHARACTERS = 100_000


class Family(Struct):
    """Counts of one family."""

    secrets: int = 0
    found: int = 0
    clean: int = 0
    flagged: int = 0
    missed: list[str] = field(default_factory=list)


class SecretsResult(Struct, frozen=True):
    """Result of a run: counts by class, seconds per megabyte of hostile text for the slowest rules, and what was missed."""

    classes: dict[str, Family]
    hostile: dict[str, float]
    machine: Machine


def run_secrets(
    settings: Settings, progress: Progress, *, files: Sequence[str], missed: bool = False, hostile: bool = False
) -> SecretsResult:
    """Mask the samples of some files, and feed every rule hostile text of its own keywords."""
    if not files and not hostile:
        raise InvalidRequest("nothing to measure", code="missing_value", hint="give --file FILE or --hostile")
    machine = this_machine()
    classes = _classes(_families([_existing(name) for name in files])) if files else {}
    if not missed:
        classes = {name: structs.replace(one, missed=[]) for name, one in classes.items()}
    return SecretsResult(classes, _hostile(progress) if hostile else {}, machine)


def measure(files: Sequence[Path]) -> Result:
    """Count masked secrets and flagged harmless lines by class."""
    classes = _classes(_families(files))
    rows = [
        {"class": name, "secrets": one.secrets, "masked": one.found, "harmless": one.clean, "flagged": one.flagged}
        for name, one in classes.items()
    ]
    return {"machine": machine(), "rows": rows}


def _families(files: Sequence[Path]) -> dict[str, Family]:
    families: dict[str, Family] = defaultdict(Family)
    for path in files:
        for source, text, label, value in _lines(path):
            _judge(families[source], text, label, value)
    return families


def _lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for raw in path.read_text(encoding="utf-8").split("\n"):
        row = json.loads(raw or "{}")
        if row.get("label") in ("secret", "clean"):
            yield _source(row), row["text"], row["label"], row.get("value") or ""
            continue
        for line in str(row.get("text") or row.get("prompt") or "").splitlines():
            if line.strip():
                yield f"harmless/{path.stem}", line, "clean", ""


def _source(row: dict[str, str]) -> str:
    """Return the family of a sample; one without a source belongs to its form."""
    return row.get("source") or f"samples/{'known' if row.get('form') == 'known' else 'generic'}"


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
            whole.missed += one.missed
    return classes


def _existing(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise NotFound(f"no such file: {name}", hint="give a file of JSON lines with --file")
    return path


def _hostile(progress: Progress) -> dict[str, float]:
    """Return the seconds per megabyte of the ten slowest rules, on the text that is worst for each."""
    worst: dict[str, float] = defaultdict(float)
    for number, rule in enumerate(RULES):
        progress(number, len(RULES), "rules")
        name = f"{rule.kind} {rule.keywords[0]}".strip()
        worst[name] = max(worst[name], *(_seconds_per_megabyte(rule, filler) for filler in FILLERS))
    progress(len(RULES), len(RULES), "rules")
    return dict(sorted(worst.items(), key=lambda one: (-one[1], one[0]))[:10])


def _seconds_per_megabyte(rule: SecretRule, filler: str) -> float:
    piece = rule.keywords[0] + filler or "a"
    text = piece * (HOSTILE_CHARACTERS // len(piece))
    pattern = rule.regex()
    start = time.process_time()
    for found in pattern.finditer(text):
        rule.accepts(found.group(found.lastgroup or 0))
    return round((time.process_time() - start) * 1_000_000 / len(text), 3)
