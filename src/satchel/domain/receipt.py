"""The receipt: what was asked, what was considered, what was decided. Ids and scores, never memory text."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json, canonical, digest

SCHEMA = "satchel.receipt.v1"
GENESIS = digest("")


class Receipt(Struct, frozen=True):
    """The record of one operation. The digest covers the body only: equal work gives equal digests."""

    operation: str
    """What was done."""
    asked: Mapping[str, Json]
    """What was asked for. A question stands there as a digest."""
    considered: Mapping[str, Json] = field(default_factory=dict)
    """What was looked at, by how many and from where."""
    decided: Mapping[str, Json] = field(default_factory=dict)
    """What came of it, by which rule, and what was left out by which."""
    warnings: tuple[str, ...] = ()
    """What did not go as it should have, each with a code before the colon."""
    at: int = 0
    """When, in milliseconds since the epoch. Beside the body, not in it."""
    duration_ms: float = 0.0
    """How long it took. Beside the body, not in it."""
    kept: bool = False
    """Whether the ledger holds this receipt. Beside the body, not in it."""

    @property
    def body(self) -> dict[str, Json]:
        """What the digest covers."""
        return {
            "schema": SCHEMA,
            "operation": self.operation,
            "asked": self.asked,
            "considered": self.considered,
            "decided": self.decided,
            "warnings": self.warnings,
        }

    @property
    def digest(self) -> str:
        """The tagged digest of the canonical body; also the receipt's name."""
        return digest(canonical(self.body))


def link(previous: str, body_digest: str, at: int) -> str:
    """Return the next link of the chain that shows a changed, removed or reordered receipt."""
    return digest(f"{previous}\n{body_digest}\n{at}")


def question_facts(question: str) -> dict[str, Json]:
    """Describe a question without repeating it: people paste their memories into questions."""
    return {"query_digest": digest(question), "query_chars": len(question)}
