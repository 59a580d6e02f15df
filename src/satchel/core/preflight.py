"""The preflight check before a write: the built-in check, how policy applies a verdict, and its receipt section."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.domain.contradiction import contradiction
from satchel.domain.policies import FailMode, PreflightPolicy
from satchel.domain.preflight import PreflightReason, PreflightStatus, Verdict, WriteIntent
from satchel.domain.receipt_sections import PreflightReasonEntry, PreflightSection
from satchel.domain.record import Label, Memory, Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.safety.spoken_secrets import contains_secret
from satchel.domain.scope import Reach
from satchel.domain.statements.comparable import analyse
from satchel.domain.statements.detect import search
from satchel.domain.trust import CEILING, lowest_trust, outranks
from satchel.domain.view import View
from satchel.domain.words import question_terms

if TYPE_CHECKING:
    from satchel.ports import MemoryStore

# Maximum number of memories that are checked for a contradiction.
MAX_RULES = 20
# Code of the reason that names a contradicted memory.
CONTRADICTS = "contradicts"
# Claims of a text that it is trusted or verified.
_CLAIMED_TRUST = (
    r"\b(?:this|the following) (?:memory|entry|note|record|message) (?:is|has been|was) (?:\w+ )?(?:trusted|"
    r"verified|approved|authori[sz]ed|pre-?approved)\b|"
    r"\b(?:trust|trust[_ ]tier|trust level|source[_ ]kind)\s*[:=]\s*[\"']?(?:trusted|operator|system|admin)\b|"
    r"\b(?:treat|mark|consider|regard) (?:this|it|the following)(?: \w+)? as (?:trusted|verified|authoritative|"
    r"a system|an operator)|"
    r"(?:此|這|这|本)(?:條|条|則|则|份)?(?:記憶|记忆|紀錄|记录|訊息|消息|備註|备注)(?:已|已經|已经)?(?:經|"
    r"经)?(?:驗證|验证|授權|授权|批准|可信)|(?:視為|视为)(?:可信|系統|系统|已驗證|已验证)"
)


class PreflightResult(Struct, frozen=True):
    """The result of the preflight check of one write."""

    policy: PreflightPolicy
    verdict: Verdict | None = None
    """None if the check is disabled."""
    blocked: bool = False

    @property
    def section(self) -> PreflightSection:
        """The receipt section about the check."""
        policy, verdict = self.policy, self.verdict
        return PreflightSection(
            enabled=policy.enabled,
            attempted=verdict is not None,
            decision="block" if self.blocked else "allow",
            mode=self._mode,
            command=policy.url or policy.command or "built in",
            timeout_ms=policy.timeout_ms,
            fail_mode=policy.fail_mode,
            governor_status=verdict.status if verdict else None,
            review_required=verdict is not None and verdict.status is PreflightStatus.QUEUED,
            policy_block=self.blocked and verdict is not None and verdict.status is not PreflightStatus.FAILED,
            runtime_failed=verdict is not None and verdict.status is PreflightStatus.FAILED,
            reasons=[PreflightReasonEntry(one.code, one.detail) for one in verdict.reasons] if verdict else [],
        )

    @property
    def warning(self) -> str:
        """Says that the check failed, so that nothing checked the write; empty otherwise."""
        if self.verdict is None or self.verdict.status is not PreflightStatus.FAILED:
            return ""
        return f"preflight_failed: {'; '.join(one.detail for one in self.verdict.reasons)}; the write was not checked"

    @property
    def _mode(self) -> str:
        if not self.policy.enabled:
            return "disabled"
        if self.verdict is not None and self.verdict.status is PreflightStatus.FAILED:
            return "error"
        enforced = self.policy.fail_on_queued or self.policy.fail_on_rejected
        return "enforced" if enforced else "advisory"


def related_rules(text: str, scope: str, memories: MemoryStore, now: int) -> Sequence[Memory]:
    """Return the must_remember memories of a scope that share words with a text."""
    view = View(Reach((scope,)), now, labels=(Label.MUST_REMEMBER,))
    matches = memories.match(question_terms(text), view, MAX_RULES)
    return list(memories.fetch([one.id for one in matches], view).values())


def check_write(intent: WriteIntent, existing: Iterable[Memory]) -> Verdict:
    """Return the built-in verdict on a write, given the memories of its scope that it may contradict.

    Secrets, and a trust tier that the channel cannot grant, are rejected. Instructions to the agent, claims of trust, and
    contradictions of must_remember memories are queued for review.
    """
    rejected = [*_secrets(intent.text), *_raised_trust(intent)]
    queued = [*_instructions(intent.text), *_contradictions(intent.text, existing)]
    status = PreflightStatus.REJECTED if rejected else PreflightStatus.QUEUED if queued else PreflightStatus.ALLOW
    return Verdict(status, (*rejected, *queued))


def may_write(status: PreflightStatus, policy: PreflightPolicy) -> bool:
    """Return whether a write goes ahead. A status other than "allow" blocks only if the policy says so."""
    blocks = {
        PreflightStatus.ALLOW: False,
        PreflightStatus.QUEUED: policy.fail_on_queued,
        PreflightStatus.REJECTED: policy.fail_on_rejected,
        PreflightStatus.FAILED: policy.fail_mode == FailMode.CLOSED,
    }
    return not blocks[status]


def lower_trust(verdict: Verdict, granted: Trust) -> Trust:
    """Return the tier of a write that goes ahead despite its verdict: instructions to the agent are quarantined.

    Only the operator's channel grants trust, and the operator may correct a rule: a contradiction alone does not lower it.
    Nor does a check that failed, which says nothing about the write.
    """
    codes = {reason.code for reason in verdict.reasons}
    if codes & {"agent_instruction", "claims_trust"}:
        return Trust.QUARANTINED
    is_correction = verdict.status is PreflightStatus.QUEUED and codes == {CONTRADICTS}
    if is_correction or verdict.status in (PreflightStatus.ALLOW, PreflightStatus.FAILED):
        return granted
    return lowest_trust([granted, Trust.UNTRUSTED])


def _secrets(text: str) -> list[PreflightReason]:
    kinds = [kind for kind, _ in redacted(text).found]
    return [PreflightReason("secret", kind) for kind in kinds or (["told"] if contains_secret(text) else [])]


def _raised_trust(intent: WriteIntent) -> list[PreflightReason]:
    raises = outranks(intent.trust, CEILING[intent.source_kind])
    return [PreflightReason("raises_trust", f"{intent.source_kind} cannot give {intent.trust}")] if raises else []


def _instructions(text: str) -> list[PreflightReason]:
    instructions = [PreflightReason("agent_instruction", name) for name in injections(text)]
    claims = [PreflightReason("claims_trust", "says of itself that it is to be trusted")]
    return instructions + (claims if search(_CLAIMED_TRUST, text.lower()) else [])


def _contradictions(text: str, existing: Iterable[Memory]) -> list[PreflightReason]:
    must: Sequence[Memory] = [memory for memory in existing if memory.label is Label.MUST_REMEMBER]
    said = analyse(text)
    contradicted = sorted(memory.id for memory in must if contradiction(said, analyse(memory.text)))
    return [PreflightReason(CONTRADICTS, id) for id in contradicted]
