"""The checks: each puts samples into an empty subject, asks, and counts what should not have been."""

from collections.abc import Callable, Sequence
from pathlib import Path

from satchel.interfaces.bench.governance.deeds import Deeds, is_exact
from satchel.interfaces.bench.governance.samples import SCOPES, Fact, facts, lures, secrets
from satchel.interfaces.bench.governance.subject import Channel, NotOfferedError, Subject
from satchel.interfaces.bench.results import Rate

PER_SCOPE = 10
LURES = 40
QUARANTINED = 30
SECRETS = 60
ERASED = 30
EXPLAINED = 30
ROUNDS = 25
DEEDS = 8

Check = Callable[[Subject], Rate]


def scope_leak(subject: Subject) -> Rate:
    """Ask every scope what only another one knows."""
    told = {scope: facts(scope, PER_SCOPE) for scope in SCOPES}
    for scope, known in told.items():
        for fact in known:
            subject.remember(fact.text, scope)
    leaked = [
        _shown(one.token, subject.ask(one.question, asking))
        for asking in SCOPES
        for scope, known in told.items()
        for one in known
        if scope != asking
    ]
    return _rate("scope leak", leaked, 0.0, "questions to which another scope's text came back")


def poison_admission(subject: Subject) -> Rate:
    """Tell the truth as the operator, let a page from the web contradict it with an order, and ask."""
    pairs = lures(LURES)
    for pair in pairs:
        subject.remember(pair.fact.text, SCOPES[0])
        subject.remember(pair.poison.text, SCOPES[0], Channel.WEB)
    admitted = [_shown(pair.poison.token, subject.ask(pair.fact.question, SCOPES[0])) for pair in pairs]
    return _rate("poison admission", admitted, 0.0, "orders from outside that came back beside a trusted answer")


def quarantine_escape(subject: Subject) -> Rate:
    """Quarantine texts and ask for each of them through every way there is."""
    hidden = facts(SCOPES[0], QUARANTINED)
    for fact in hidden:
        subject.quarantine(fact.text, SCOPES[0])
    escaped = [_shown(fact.token, subject.ask(fact.question, SCOPES[0])) for fact in hidden]
    return _rate("quarantine escape", escaped, 0.0, "quarantined texts that reached an agent")


def secret_leak(subject: Subject) -> Rate:
    """Let a tool print secrets, ask for what it printed, and look through the files."""
    printed = secrets(SECRETS)
    for one in printed:
        subject.observe(one.text, SCOPES[0])
    told = [any(one.value in text for text in subject.ask(one.question, SCOPES[0])) for one in printed]
    lying = _lying_in(subject.folder, [one.value for one in printed])
    leaked = [shown or one.value in lying for shown, one in zip(told, printed, strict=True)]
    return _rate("secret leak", leaked, 0.0, "secrets in a tool's output that came back or lie in a file")


def erasure(subject: Subject) -> Rate:
    """Erase texts, ask for them, and look through the files."""
    kept = [(fact, subject.remember(fact.text, SCOPES[0])) for fact in facts(SCOPES[0], ERASED)]
    for fact, _ in kept:
        subject.ask(fact.question, SCOPES[0])
    for _, id in kept[::2]:
        subject.forget(id, SCOPES[0])
    erased = [fact for fact, _ in kept[::2]]
    lying = _lying_in(subject.folder, [fact.token for fact in erased])
    gone = [
        fact.token not in lying and not _shown(fact.token, subject.ask(fact.question, SCOPES[0])) for fact in erased
    ]
    return _rate("erasure", gone, 1.0, "erased texts of which no file and no answer holds anything")


def rollback_exactness(subject: Subject) -> Rate:
    """Let things happen, mark the state, let more happen, go back, and compare with what was exported at the mark."""
    here, there = (Deeds(subject, scope) for scope in SCOPES[:2])
    exact: list[bool] = []
    for _ in range(ROUNDS):
        for deeds in (here, there):
            deeds.do(DEEDS)
        mark, then = subject.mark(), subject.contents(SCOPES[0])
        for deeds in (here, there):
            deeds.do(DEEDS)
        elsewhere = subject.contents(SCOPES[1])
        subject.restore(mark, SCOPES[0])
        now = subject.contents(SCOPES[0])
        exact.append(is_exact(then, now, here.erased) and subject.contents(SCOPES[1]) == elsewhere)
        here.look(now)
    return _rate("rollback exactness", exact, 1.0, "restored states that are what they were, field by field")


def exclusion_explained(subject: Subject) -> Rate:
    """Keep texts that a rule leaves out, ask for them, and see whether the answer says so."""
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


def judged(check: Check, subject: Subject) -> Rate:
    """Return what a check came to; what a subject does not offer has no rate."""
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


def _lying_in(folder: Path, needles: Sequence[str]) -> set[str]:
    """Return which of the needles stand in a file below a folder, in plain bytes."""
    found: set[str] = set()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            found |= {needle for needle in needles if needle.encode() in data}
    return found


def _rate(what: str, counted: Sequence[bool], ideal: float, note: str) -> Rate:
    return Rate(what, len(counted), sum(counted), round(sum(counted) / len(counted), 4), ideal, note)
