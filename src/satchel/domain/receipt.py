"""Receipts: what was asked, considered and decided. Ids and scores, never memory text."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json, canonical, digest

SCHEMA = "satchel.receipt.v1"
GENESIS = digest("")


class Receipt(Struct, frozen=True):
    """The record of one operation. The digest covers the body only: equal work gives equal digests."""

    operation: str
    """The name of the operation."""
    asked: Mapping[str, Json]
    """The arguments. A question is recorded as a digest."""
    considered: Mapping[str, Json] = field(default_factory=dict)
    """How many candidates were looked at, and from where."""
    decided: Mapping[str, Json] = field(default_factory=dict)
    """The decisions, and the rules that included or excluded records."""
    warnings: tuple[str, ...] = ()
    """What went wrong, each a code, a colon and a sentence."""
    at: int = 0
    """When, in milliseconds since the epoch. Not part of the body."""
    duration_ms: float = 0.0
    """How long it took. Not part of the body."""
    kept: bool = False
    """Whether the ledger holds this receipt. Not part of the body."""
    actor: str = ""
    """The user or token that asked; empty for the local operator, whatever the channel, and not in the body then."""

    @property
    def body(self) -> dict[str, Json]:
        """The part that the digest covers."""
        return {
            "schema": SCHEMA,
            "operation": self.operation,
            "asked": self.asked,
            "considered": self.considered,
            "decided": self.decided,
            "warnings": self.warnings,
            **({"actor": self.actor} if self.actor else {}),
        }

    @property
    def digest(self) -> str:
        """The tagged digest of the canonical body, which is also the receipt's id."""
        return digest(canonical(self.body))


def chain_link(previous: str, body_digest: str, at: int) -> str:
    """Return the next link of the hash chain, which reveals changed, removed or reordered receipts."""
    return digest(f"{previous}\n{body_digest}\n{at}")


def question_facts(question: str) -> dict[str, Json]:
    """Return a question's digest and length instead of its text, which may contain private content."""
    return {"query_digest": digest(question), "query_chars": len(question)}
