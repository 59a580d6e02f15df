"""The check right before a write becomes memory: Satchel's own, and what the policy makes of any check's word."""

from collections.abc import Iterable, Sequence

from satchel.domain.policies import FailMode, PreflightPolicy
from satchel.domain.preflight import Intent, Reason, Status, Verdict
from satchel.domain.record import Label, Memory, Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.safety.spoken_secrets import contains_secret
from satchel.domain.scope import Reach
from satchel.domain.statements.detect import fold, search
from satchel.domain.trust import CEILING, outranks
from satchel.domain.view import View
from satchel.domain.words import question_terms, segmented
from satchel.ports import MemoryStore

# This much of the shorter text's subject must be the other's too, before two texts can be about the same thing.
SAME_SUBJECT = 0.6
MIN_SHARED = 2
# So many memories that a new one could contradict are looked at.
MAX_RULES = 20
# What a text says of itself, to be taken for more than it is.
_CLAIMED_TRUST = (
    r"\b(?:this|the following) (?:memory|entry|note|record|message) (?:is|has been|was) (?:\w+ )?(?:trusted|"
    r"verified|approved|authori[sz]ed|pre-?approved)\b|"
    r"\b(?:trust|trust[_ ]tier|trust level|source[_ ]kind)\s*[:=]\s*[\"']?(?:trusted|operator|system|admin)\b|"
    r"\b(?:treat|mark|consider|regard) (?:this|it|the following)(?: \w+)? as (?:trusted|verified|authoritative|"
    r"a system|an operator)|"
    r"(?:此|這|这|本)(?:條|条|則|则|份)?(?:記憶|记忆|紀錄|记录|訊息|消息|備註|备注)(?:已|已經|已经)?(?:經|"
    r"经)?(?:驗證|验证|授權|授权|批准|可信)|(?:視為|视为)(?:可信|系統|系统|已驗證|已验证)"
)
_OPPOSITE = (
    ("always", "never"),
    ("use", "avoid"),
    ("prefer", "avoid"),
    ("like", "hate"),
    ("love", "hate"),
    ("enable", "disable"),
    ("allow", "forbid"),
    ("include", "exclude"),
    ("with", "without"),
)
_NEGATIVE = r"\b(?:not|never|no|don't|doesn't|won't|can't|cannot|avoid|without|stop|hate|dislike|forbid|disable|exclude)\b|不|別|别|勿|避免|禁止|討厭|讨厌|停用"


def rules_touched(text: str, scope: str, memories: MemoryStore, now: int) -> Sequence[Memory]:
    """Return what must be remembered in a scope and has words in common with a text."""
    view = View(Reach((scope,)), now, labels=(Label.MUST_REMEMBER,))
    matches = memories.match(question_terms(text), view, MAX_RULES)
    return list(memories.fetch([one.id for one in matches], view).values())


def check(intent: Intent, existing: Iterable[Memory]) -> Verdict:
    """Return Satchel's own verdict on a write, given the memories of its scope that it may concern.

    A secret, and a trust that the channel cannot give, are rejected. Orders to the agent, a claim to be trusted, and
    a contradiction of what must be remembered wait for a person.
    """
    rejected = [*_secrets(intent.text), *_raised_trust(intent)]
    queued = [*_orders(intent.text), *_contradictions(intent.text, existing)]
    status = Status.REJECTED if rejected else Status.QUEUED if queued else Status.ALLOW
    return Verdict(status, (*rejected, *queued))


def may_write(status: Status, policy: PreflightPolicy) -> bool:
    """Say whether a write goes ahead after a check's word. Any other word than "allow" blocks only where it is told to."""
    blocks = {
        Status.ALLOW: False,
        Status.QUEUED: policy.fail_on_queued,
        Status.REJECTED: policy.fail_on_rejected,
        Status.FAILED: policy.fail_mode == FailMode.CLOSED,
    }
    return not blocks[status]


def lowered_trust(verdict: Verdict, granted: Trust) -> Trust:
    """Return the tier of a write that goes ahead all the same: what gives orders to the agent is quarantined."""
    codes = {reason.code for reason in verdict.reasons}
    if codes & {"agent_instruction", "claims_trust"}:
        return Trust.QUARANTINED
    return granted if verdict.status is Status.ALLOW or granted is Trust.QUARANTINED else Trust.UNTRUSTED


def contradicts(new: str, old: str) -> bool:
    """Say whether two texts are about the same and cannot both hold, as far as words can tell.

    They share most of their subject, and one denies what the other says, or they use opposite words, or they differ
    in a number.
    """
    one, other = fold(new), fold(old)
    words, others = _subject(one), _subject(other)
    shared = words & others
    if len(shared) < MIN_SHARED or len(shared) < SAME_SUBJECT * min(len(words), len(others)):
        return False
    denied = (search(_NEGATIVE, one) is None) != (search(_NEGATIVE, other) is None)
    numbers, other_numbers = _numbers(one), _numbers(other)
    return denied or _opposed(one, other) or bool(numbers and other_numbers and numbers != other_numbers)


def _opposed(one: str, other: str) -> bool:
    said, told = _words(one), _words(other)
    return any({a, b} & said == {a} and {a, b} & told == {b} for pair in _OPPOSITE for a, b in (pair, pair[::-1]))


def _secrets(text: str) -> list[Reason]:
    kinds = [kind for kind, _ in redacted(text).found]
    return [Reason("secret", kind) for kind in kinds or (["told"] if contains_secret(text) else [])]


def _raised_trust(intent: Intent) -> list[Reason]:
    raises = outranks(intent.trust, CEILING[intent.source_kind])
    return [Reason("raises_trust", f"{intent.source_kind} cannot give {intent.trust}")] if raises else []


def _orders(text: str) -> list[Reason]:
    orders = [Reason("agent_instruction", name) for name in injections(text)]
    claims = [Reason("claims_trust", "says of itself that it is to be trusted")]
    return orders + (claims if search(_CLAIMED_TRUST, text.lower()) else [])


def _contradictions(text: str, existing: Iterable[Memory]) -> list[Reason]:
    must: Sequence[Memory] = [memory for memory in existing if memory.label is Label.MUST_REMEMBER]
    contradicted = sorted(memory.id for memory in must if contradicts(text, memory.text))
    return [Reason("contradicts", id) for id in contradicted]


def _words(text: str) -> frozenset[str]:
    return frozenset(segmented(text).split())


def _subject(text: str) -> frozenset[str]:
    return frozenset(term for term in question_terms(text) if not term.isdigit())


def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in question_terms(text) if word.isdigit())
