"""Receipts: search them, open one, compare two, and verify their chain."""

from msgspec import Struct

from satchel.explaining.values import ReceiptExplanation
from satchel.interfaces.inspector.formatting import path_part
from satchel.interfaces.inspector.pages.parameters import memories_by_scope, whole_number
from satchel.interfaces.inspector.receipt_tree import Branch, tree
from satchel.interfaces.inspector.visit import Page, Redirect, Visit
from satchel.maintenance.values import ReceiptComparison
from satchel.ports import ChainState, StoredReceipt

PER_PAGE = 50
# Receipts of the same operation that one can be compared with by choosing them.
COMPARABLE = 30
FILTERS = ("operation", "scope", "since", "until", "mentions")


class ReceiptsView(Struct, frozen=True):
    """A page of receipts, newest first."""

    receipts: tuple[StoredReceipt, ...]
    filters: dict[str, str]
    next: int | None
    """The sequence number to continue before."""
    scopes: tuple[str, ...]

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        return any(self.filters.values())


class ReceiptView(Struct, frozen=True):
    """One receipt: in words, and as it is."""

    receipt: StoredReceipt
    why: ReceiptExplanation
    body: tuple[Branch, ...]
    others: tuple[StoredReceipt, ...]
    """Other receipts of the same operation, newest first, to compare it with."""


class ComparisonView(Struct, frozen=True):
    """Two receipts side by side; None before both are named."""

    first: str
    second: str
    comparison: ReceiptComparison | None


async def show_list(visit: Visit) -> Page | Redirect:
    """List the receipts that fit the filters. The name of one opens it."""
    if name := visit.query.get("receipt"):
        return Redirect(f"/receipts/{path_part(name.strip())}")
    filters = {name: visit.query.get(name, "") for name in FILTERS}
    found: tuple[StoredReceipt, ...] = (
        await visit.ask(
            "receipts list",
            limit=PER_PAGE,
            before=whole_number(visit, "before"),
            **{name: value or None for name, value in filters.items()},
        )
    ).result
    following = found[-1].seq if len(found) == PER_PAGE else None
    return Page("receipts.html", ReceiptsView(found, filters, following, tuple(await memories_by_scope(visit))))


async def show_one(visit: Visit) -> Page:
    """Show one receipt."""
    name = visit.names["receipt"]
    receipt: StoredReceipt = (await visit.ask("receipts show", name=name)).result
    why: ReceiptExplanation = (await visit.ask("why", receipt=receipt.digest)).result
    same: tuple[StoredReceipt, ...] = (
        await visit.ask("receipts list", operation=receipt.operation, limit=COMPARABLE)
    ).result
    others = tuple(one for one in same if one.digest != receipt.digest)
    return Page("receipt.html", ReceiptView(receipt, why, tree(receipt.body), others))


async def compare(visit: Visit) -> Page:
    """Show what differs between two receipts."""
    first, second = visit.query.get("first", ""), visit.query.get("second", "")
    compared: ReceiptComparison | None = None
    if first and second:
        compared = (await visit.ask("receipts compare", first=first, second=second)).result
    return Page("compare.html", ComparisonView(first, second, compared))


async def verify(visit: Visit) -> Page:
    """Recompute the chain of all receipts."""
    chain: ChainState = (await visit.ask("receipts verify")).result
    return Page("verified.html", chain)
