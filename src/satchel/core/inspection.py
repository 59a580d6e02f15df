"""Inspection: what a check before a write came to, and how a receipt tells of it."""

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.policies import PreflightPolicy
from satchel.domain.preflight import Status, Verdict


class Inspection(Struct, frozen=True):
    """A write that was checked, or was not to be."""

    policy: PreflightPolicy
    verdict: Verdict | None = None
    """What the check said; None when none was asked for."""
    blocked: bool = False

    @property
    def section(self) -> dict[str, Json]:
        """What the receipt of a write says of its check."""
        policy, verdict = self.policy, self.verdict
        return {
            "enabled": policy.enabled,
            "attempted": verdict is not None,
            "decision": "block" if self.blocked else "allow",
            "mode": self._mode,
            "command": policy.url or policy.command or "built in",
            "timeoutMs": policy.timeout_ms,
            "failMode": policy.fail_mode,
            "governorStatus": verdict.status if verdict else None,
            "reviewRequired": verdict is not None and verdict.status is Status.QUEUED,
            "policyBlock": self.blocked and verdict is not None and verdict.status is not Status.FAILED,
            "runtimeFailed": verdict is not None and verdict.status is Status.FAILED,
            "reasons": [{"code": one.code, "detail": one.detail} for one in verdict.reasons] if verdict else [],
        }

    @property
    def _mode(self) -> str:
        if not self.policy.enabled:
            return "disabled"
        if self.verdict is not None and self.verdict.status is Status.FAILED:
            return "error"
        enforced = self.policy.fail_on_queued or self.policy.fail_on_rejected
        return "enforced" if enforced else "advisory"
