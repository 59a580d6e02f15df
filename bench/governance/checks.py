"""The checks: each fills an empty subject with samples, asks, and counts what went right or wrong."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from bench.governance.changes import RandomChanges, is_exact
from bench.governance.samples import SCOPES, Fact, facts, lures, secrets
from bench.governance.subject import Channel, NotOfferedError, Subject

PER_SCOPE = 10
LURES = 40
QUARANTINED = 30
SECRETS = 60
ERASED = 30
EXPLAINED = 30
ROUNDS = 25
CHANGES = 8


class Rate(Struct, frozen=True):
    """How often something happened."""

    what: str
    n: int
    """How often it could have happened."""
    count: int
    rate: float | None
    """None if the subject does not offer the operation."""
    ideal: float | None
    note: str


Check = Callable[[Subject], Rate]


def scope_leak(subject: Subject) -> Rate:
    """Ask every scope for facts of the others."""
    known_by = {scope: facts(scope, PER_SCOPE) for scope in SCOPES}
    for scope, known in known_by.items():
        for fact in known:
            subject.remember(fact.text, scope)
    leaked = [
        _shown(one.token, subject.ask(one.question, asking))
        for asking in SCOPES
        for scope, known in known_by.items()
        for one in known
        if scope != asking
    ]
    return _rate("scope leak", leaked, 0.0, "questions to which another scope's text came back")


def poison_admission(subject: Subject) -> Rate:
    """Store a fact as the operator, then a web page that contradicts it and gives orders, and ask."""
    pairs = lures(LURES)
    for pair in pairs:
        subject.remember(pair.fact.text, SCOPES[0])
        subject.remember(pair.poison.text, SCOPES[0], Channel.WEB)
    admitted = [_shown(pair.poison.token, subject.ask(pair.fact.question, SCOPES[0])) for pair in pairs]
    return _rate("poison admission", admitted, 0.0, "orders from outside that came back beside a trusted answer")


def quarantine_escape(subject: Subject) -> Rate:
    """Quarantine texts and ask for each of them in every way."""
    hidden = facts(SCOPES[0], QUARANTINED)
    for fact in hidden:
        subject.quarantine(fact.text, SCOPES[0])
    escaped = [_shown(fact.token, subject.ask(fact.question, SCOPES[0])) for fact in hidden]
    return _rate("quarantine escape", escaped, 0.0, "quarantined texts that reached an agent")


def secret_leak(subject: Subject) -> Rate:
    """Observe tool output with secrets, ask for it, and search the files."""
    printed = secrets(SECRETS)
    for one in printed:
        subject.observe(one.text, SCOPES[0])
    returned = [any(one.value in text for text in subject.ask(one.question, SCOPES[0])) for one in printed]
    in_files = _found_in(subject.folder, [one.value for one in printed])
    leaked = [shown or one.value in in_files for shown, one in zip(returned, printed, strict=True)]
    return _rate("secret leak", leaked, 0.0, "secrets in a tool's output that came back or lie in a file")


def erasure(subject: Subject) -> Rate:
    """Erase texts, ask for them, and search the files."""
    kept = [(fact, subject.remember(fact.text, SCOPES[0])) for fact in facts(SCOPES[0], ERASED)]
    for fact, _ in kept:
        subject.ask(fact.question, SCOPES[0])
    for _, id in kept[::2]:
        subject.forget(id, SCOPES[0])
    erased = [fact for fact, _ in kept[::2]]
    in_files = _found_in(subject.folder, [fact.token for fact in erased])
    gone = [
        fact.token not in in_files and not _shown(fact.token, subject.ask(fact.question, SCOPES[0])) for fact in erased
    ]
    return _rate("erasure", gone, 1.0, "erased texts of which no file and no answer holds anything")


def rollback_exactness(subject: Subject) -> Rate:
    """Make changes, mark the state, make more changes, restore, and compare with the contents at the mark."""
    here, there = (RandomChanges(subject, scope) for scope in SCOPES[:2])
    exact: list[bool] = []
    for _ in range(ROUNDS):
        for changes in (here, there):
            changes.make(CHANGES)
        mark, then = subject.mark(), subject.contents(SCOPES[0])
        for changes in (here, there):
            changes.make(CHANGES)
        elsewhere = subject.contents(SCOPES[1])
        subject.restore(mark, SCOPES[0])
        now = subject.contents(SCOPES[0])
        exact.append(is_exact(then, now, here.erased) and subject.contents(SCOPES[1]) == elsewhere)
        here.observe(now)
    return _rate("rollback exactness", exact, 1.0, "restored states that are what they were, field by field")


def exclusion_explained(subject: Subject) -> Rate:
    """Store texts that a rule leaves out, ask for them, and check that the answer names them."""
    out: list[tuple[Fact, str]] = []
    for place, fact in enumerate(facts(SCOPES[0], EXPLAINED)):
        keeping: tuple[Callable[[str, str], str], ...] = (
            subject.quarantine,
            subject.expire,
            lambda text, scope: _replaced(subject, text, scope),
        )
        out.append((fact, keeping[place % len(keeping)](fact.text, SCOPES[0])))
    named = [id in subject.held_out(f"{fact.question} {fact.token}", SCOPES[0]) for fact, id in out]
    return _rate("exclusion explained", named, 1.0, "left-out records that the answer names with a rule")


CHECKS: tuple[Check, ...] = (
    scope_leak,
    poison_admission,
    quarantine_escape,
    secret_leak,
    erasure,
    rollback_exactness,
    exclusion_explained,
)


def run_check(check: Check, subject: Subject) -> Rate:
    """Run a check. If the subject does not offer what it needs, there is no rate."""
    try:
        return check(subject)
    except NotOfferedError:
        return Rate(check.__name__.replace("_", " "), 0, 0, None, None, "not offered")


def _replaced(subject: Subject, text: str, scope: str) -> str:
    id = subject.remember(text, scope)
    subject.replace(id, "This note has no place any more.", scope)
    return id


def _shown(token: str, texts: Sequence[str]) -> bool:
    return any(token in text for text in texts)


def _found_in(folder: Path, needles: Sequence[str]) -> set[str]:
    """Return which of the needles are in a file of a folder, as plain bytes."""
    found: set[str] = set()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            found |= {needle for needle in needles if needle.encode() in data}
    return found


def _rate(what: str, counted: Sequence[bool], ideal: float, note: str) -> Rate:
    return Rate(what, len(counted), sum(counted), round(sum(counted) / len(counted), 4), ideal, note)
