"""Review: what agents, tools, web pages and files stored, to confirm or to archive."""

from functools import partial

from msgspec import Struct

from satchel.domain.envelope import Ok
from satchel.domain.record import Trust
from satchel.errors import InvalidRequest
from satchel.interfaces.inspector.formatting import address
from satchel.interfaces.inspector.pages.parameters import memories_by_scope, place
from satchel.interfaces.inspector.pages.undoing import Done, done_address, each, take_back, what_was_done
from satchel.interfaces.inspector.visit import Page, Redirect, Visit
from satchel.memories.values import Confirmed, ReviewItem, ReviewPage

PATH = "/review"
PER_PAGE = 25
CHOSEN = "choose:"
"""Begins the name of the field of a chosen record, before its id."""
_NOTES = {
    "confirmed": "Confirmed: trusted now.",
    "archived": "Archived.",
    "archived_some": "Archived, except what was changed or forgotten meanwhile.",
    "undone": "Taken back.",
    "undone_some": "Taken back, except what was changed or forgotten meanwhile.",
}


class ReviewView(Struct, frozen=True):
    """A page of what waits for review, newest first."""

    scope: str
    scopes: tuple[str, ...]
    untrusted: tuple[ReviewItem, ...]
    quarantined: tuple[ReviewItem, ...]
    waiting: ReviewPage
    done: Done
    next: str
    """The address of the next page; empty on the last one."""
    first: str
    """The address of the first page, on any other one."""


async def show(visit: Visit) -> Page:
    """Show a page of the review."""
    scope, after = visit.query.get("scope", ""), visit.query.get("after")
    waiting: ReviewPage = (await visit.ask("review", limit=PER_PAGE, after=after, **place(visit))).result
    return Page(
        "review.html",
        ReviewView(
            scope=scope,
            scopes=tuple(await memories_by_scope(visit)),
            untrusted=tuple(one for one in waiting.items if one.trust is not Trust.QUARANTINED),
            quarantined=tuple(one for one in waiting.items if one.trust is Trust.QUARANTINED),
            waiting=waiting,
            done=what_was_done(visit, _NOTES),
            next=address(PATH, scope=scope, after=waiting.next) if waiting.next else "",
            first=address(PATH, scope=scope) if after else "",
        ),
    )


async def confirm(visit: Visit) -> Redirect:
    """Make the chosen records trusted. A form that confirms a quarantined one shows its whole text."""
    quarantined = "quarantined" in visit.form
    done: Ok[Confirmed] = await visit.ask("confirm", ids=_chosen(visit), all_scopes=True, quarantined=quarantined)
    return _back(visit, "confirmed", *([done.receipt.digest] if done.result.confirmed and not quarantined else []))


async def archive(visit: Visit) -> Redirect:
    """Put the chosen records away."""
    chosen = _chosen(visit)
    done = await each([partial(visit.ask, "lifecycle archive", id=one, all_scopes=True) for one in chosen])
    all_of_them = len(done) == len(chosen)
    return _back(visit, "archived" if all_of_them else "archived_some", *(one.receipt.digest for one in done))


async def undo(visit: Visit) -> Redirect:
    """Take back what was just done."""
    _, all_of_it = await take_back(visit)
    return _back(visit, "undone" if all_of_it else "undone_some")


def _chosen(visit: Visit) -> list[str]:
    chosen = [name.removeprefix(CHOSEN) for name in visit.form if name.startswith(CHOSEN)]
    if not chosen:
        raise InvalidRequest("no record was chosen", code="missing_param", hint="tick at least one on the page")
    return chosen


def _back(visit: Visit, done: str, *receipts: str) -> Redirect:
    return Redirect(done_address(PATH, done, *receipts, scope=visit.form.get("scope", "")))
