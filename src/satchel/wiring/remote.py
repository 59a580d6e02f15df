"""Makes the parts that ask another program or server: the reranker and the preflight check."""

from satchel.adapters.preflights.command import CommandPreflight
from satchel.adapters.preflights.remote import RemotePreflight
from satchel.adapters.rerankers.remote import RemoteReranker
from satchel.domain.policies import PreflightPolicy, RerankPolicy
from satchel.domain.safety.redact import mask
from satchel.ports import Preflight, Reranker


def make_reranker(policy: RerankPolicy) -> Reranker:
    """Return the reranker that a policy describes."""
    return RemoteReranker(
        policy.url,
        policy.model,
        policy.api_key,
        style=policy.style,
        logits=policy.logits,
        max_texts=policy.candidates,
        max_chars=policy.max_chars,
        timeout_seconds=policy.timeout_ms / 1000,
        mask=mask,
    )


def make_preflight(policy: PreflightPolicy) -> Preflight | None:
    """Return the check that a policy names; None for the built-in one."""
    seconds = policy.timeout_ms / 1000
    if policy.url:
        return RemotePreflight(policy.url, seconds)
    if policy.command:
        return CommandPreflight(policy.command, policy.command_args, policy.db_path, seconds)
    return None
