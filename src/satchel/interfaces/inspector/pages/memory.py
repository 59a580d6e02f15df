"""One memory: its text, history, versions, links and uses, and what can be done with it."""

from collections.abc import Mapping
from http import HTTPStatus

from msgspec import Struct

from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.history import RecordEvent
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Memory, State, Trust
from satchel.errors import InvalidRequest, NotFound, SatchelError
from satchel.explaining.values import Uses
from satchel.interfaces.failures import http_status
from satchel.interfaces.inspector.formatting import path_part
from satchel.interfaces.inspector.pages.undoing import Done, done_address, take_back, what_was_done
from satchel.interfaces.inspector.visit import Page, Redirect, Visit
from satchel.memories.values import Edited, MemoryShown
from satchel.observations.values import Observed
from satchel.ports import StoredReceipt

_NOTES = {"saved": "Saved as a new memory that replaces the old one.", "archived": "Archived.", "revived": "Revived."}
_NOTES |= {"confirmed": "Confirmed: it is trusted now.", "unchanged": "Nothing was changed.", "undone": "Taken back."}


class MemoryView(Struct, frozen=True):
    """What the page of a memory shows."""

    memory: Memory
    history: tuple[RecordEvent, ...]
    uses: Uses
    done: Done
    masked: bool = False
    """Whether a secret in the text or the title is masked."""
    editable: bool = True
    """Whether it can be edited: not while a secret in it is masked, which would be lost."""
    can_archive: bool = False
    can_revive: bool = False
    can_confirm: bool = False
    reasons: tuple[str, ...] = tuple(ForgetReason)
    kinds: tuple[str, ...] = tuple(Kind)


class ObservationView(Struct, frozen=True):
    """What the page of an observation shows."""

    observed: Observed
    done: Done
    reasons: tuple[str, ...] = tuple(ForgetReason)


class ForgottenView(Struct, frozen=True):
    """What the page after forgetting shows."""

    id: str
    forgotten: Forgotten
    receipt: str


class ForgottenBeforeView(Struct, frozen=True):
    """What the page of a record shows that is gone."""

    id: str
    at: int
    reason: str
    receipt: str


class NotSavedView(Struct, frozen=True):
    """An edit that failed, with what was written, so that it is not lost."""

    id: str
    text: str
    error: SatchelError


async def show(visit: Visit) -> Page:
    """Show a memory or an observation."""
    id, done = visit.names["id"], what_was_done(visit, _NOTES)
    try:
        found = (await visit.ask("get", id=id, all_scopes=True)).result
    except NotFound:
        return await _forgotten_before(visit)
    if isinstance(found, Observed):
        return Page("observation.html", ObservationView(found, done))
    plain = await _unmasked(visit, id)
    masked = (plain.text, plain.title) != (found.memory.text, found.memory.title)
    shows_secrets = visit.query.get("secrets") == "shown"
    uses: Uses = (await visit.ask("uses", id=id, all_scopes=True)).result
    memory = plain if shows_secrets else found.memory
    retired = memory.state is State.RETIRED
    view = MemoryView(
        memory,
        found.history,
        uses,
        done,
        masked=masked and not shows_secrets,
        editable=not retired and (not masked or shows_secrets),
        can_archive=memory.state not in (State.ARCHIVED, State.RETIRED),
        can_revive=memory.state in (State.ARCHIVED, State.STALE),
        can_confirm=memory.trust is not Trust.TRUSTED and not retired,
    )
    return Page("memory.html", view)


async def edit(visit: Visit) -> Page | Redirect:
    """Store a changed memory that replaces this one, with everything else as it was."""
    form, id = visit.form, visit.names["id"]
    changed = {name: form.get(name) for name in ("text", "title", "kind")}
    try:
        done: Ok[Edited] = await visit.ask(
            "edit", id=id, all_scopes=True, importance=_importance(form.get("importance", "")), **changed
        )
    except SatchelError as error:
        return Page("not_saved.html", NotSavedView(id, form.get("text", ""), error), http_status(error))
    if done.result.action == "unchanged":
        return Redirect(_path(done.result.id, "unchanged"))
    return Redirect(_path(done.result.id, "saved", done.receipt))


async def archive(visit: Visit) -> Redirect:
    """Put the record away."""
    reason = visit.form.get("reason", "").strip() or None
    done = await visit.ask("lifecycle archive", id=visit.names["id"], all_scopes=True, reason=reason)
    return Redirect(_path(visit.names["id"], "archived", done.receipt))


async def revive(visit: Visit) -> Redirect:
    """Bring the record back."""
    done = await visit.ask("lifecycle revive", id=visit.names["id"], all_scopes=True)
    return Redirect(_path(visit.names["id"], "revived", done.receipt))


async def confirm(visit: Visit) -> Redirect:
    """Make the record trusted. The page shows its text, so a quarantined one was read."""
    reason = visit.form.get("reason", "").strip() or None
    id = visit.names["id"]
    done = await visit.ask("confirm", ids=[id], all_scopes=True, reason=reason, quarantined=True)
    return Redirect(_path(id, "confirmed", done.receipt))


async def undo(visit: Visit) -> Redirect:
    """Take back what was just done. After an edit the memory that comes back is shown."""
    undone, _ = await take_back(visit)
    back = [one.id for change in undone for one in change.examples if one.to_state is not State.RETIRED]
    return Redirect(_path(back[0] if back else visit.names["id"], "undone"))


async def forget(visit: Visit) -> Page:
    """Erase the record everywhere, and show the proof."""
    id = visit.names["id"]
    try:
        done: Ok[Forgotten] = await visit.ask(
            "forget", id=id, all_scopes=True, verify=True, reason=visit.form.get("reason", "")
        )
    except NotFound:
        return await _forgotten_before(visit)
    return Page("forgotten.html", ForgottenView(id, done.result, done.receipt.digest))


async def _forgotten_before(visit: Visit) -> Page:
    """Say of a record that is not there when and why it was forgotten. Raises NotFound if it was not."""
    id = visit.names["id"]
    receipts: tuple[StoredReceipt, ...] = (await visit.ask("receipts list", operation="forget", mentions=id)).result
    erasure = next((one for one in receipts if _part(one, "decided").get("action") == "deleted"), None)
    if erasure is None:
        raise NotFound(f"no record {id[:80]!r}", hint="check the id; it may also have been forgotten long ago")
    reason = str(_part(erasure, "asked").get("reason") or "")
    return Page("forgotten_before.html", ForgottenBeforeView(id, erasure.at, reason, erasure.digest), HTTPStatus.GONE)


async def _unmasked(visit: Visit, id: str) -> Memory:
    found: MemoryShown = (await visit.ask("get", id=id, all_scopes=True, redact=False)).result
    return found.memory


def _part(receipt: StoredReceipt, name: str) -> Mapping[str, object]:
    part = receipt.body.get(name)
    return part if isinstance(part, dict) else {}


def _importance(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise InvalidRequest(
            f"importance {text[:40]!r} is not a number", code="wrong_type", hint="such as 0.8"
        ) from None


def _path(id: str, done: str, *receipts: Receipt) -> str:
    return done_address(f"/memories/{path_part(id)}", done, *(one.digest for one in receipts))
