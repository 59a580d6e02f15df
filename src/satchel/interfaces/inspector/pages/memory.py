"""One memory: its text, history, versions, links and uses, and what can be done with it."""

from msgspec import Struct

from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.history import RecordEvent
from satchel.domain.record import Memory, State, Trust
from satchel.explaining.values import Uses
from satchel.interfaces.inspector.formatting import path_part
from satchel.interfaces.inspector.visit import Page, Redirect, Visit
from satchel.memories.values import Edited, MemoryShown
from satchel.observations.values import Observed

_MARKS = {"saved": "Saved as a new memory that replaces the old one.", "archived": "Archived.", "revived": "Revived."}
_MARKS |= {"confirmed": "Confirmed: it is trusted now.", "unchanged": "Nothing was changed."}


class MemoryView(Struct, frozen=True):
    """What the page of a memory shows."""

    memory: Memory
    history: tuple[RecordEvent, ...]
    uses: Uses
    note: str = ""
    """What was just done."""
    masked: bool = False
    """Whether a secret in the text is masked."""
    editable: bool = True
    """Whether the text can be edited: not while a secret in it is masked, which would be lost."""
    can_archive: bool = False
    can_revive: bool = False
    can_confirm: bool = False
    reasons: tuple[str, ...] = tuple(ForgetReason)


class ObservationView(Struct, frozen=True):
    """What the page of an observation shows."""

    observed: Observed
    note: str = ""
    reasons: tuple[str, ...] = tuple(ForgetReason)


class ForgottenView(Struct, frozen=True):
    """What the page after forgetting shows."""

    id: str
    forgotten: Forgotten
    receipt: str


async def show(visit: Visit) -> Page:
    """Show a memory or an observation."""
    id, note = visit.names["id"], _MARKS.get(visit.query.get("done", ""), "")
    found = (await visit.ask("get", id=id, all_scopes=True)).result
    if isinstance(found, Observed):
        return Page("observation.html", ObservationView(found, note))
    plain = await _unmasked(visit, id)
    masked = plain.text != found.memory.text
    shows_secrets = visit.query.get("secrets") == "shown"
    uses: Uses = (await visit.ask("uses", id=id, all_scopes=True)).result
    memory = plain if shows_secrets else found.memory
    retired = memory.state is State.RETIRED
    view = MemoryView(
        memory,
        found.history,
        uses,
        note,
        masked=masked and not shows_secrets,
        editable=not retired and (not masked or shows_secrets),
        can_archive=memory.state not in (State.ARCHIVED, State.RETIRED),
        can_revive=memory.state in (State.ARCHIVED, State.STALE),
        can_confirm=memory.trust is not Trust.TRUSTED and not retired,
    )
    return Page("memory.html", view)


async def edit(visit: Visit) -> Redirect:
    """Store a new text that replaces the memory, with everything else as it was."""
    edited: Edited = (
        await visit.ask("edit", id=visit.names["id"], text=visit.form.get("text", ""), all_scopes=True)
    ).result
    return Redirect(_path(edited.id, "saved" if edited.action == "replaced" else "unchanged"))


async def archive(visit: Visit) -> Redirect:
    """Put the record away."""
    reason = visit.form.get("reason", "").strip() or None
    await visit.ask("lifecycle archive", id=visit.names["id"], all_scopes=True, reason=reason)
    return Redirect(_path(visit.names["id"], "archived"))


async def revive(visit: Visit) -> Redirect:
    """Bring the record back."""
    await visit.ask("lifecycle revive", id=visit.names["id"], all_scopes=True)
    return Redirect(_path(visit.names["id"], "revived"))


async def confirm(visit: Visit) -> Redirect:
    """Make the record trusted. The page shows its text, so a quarantined one was read."""
    reason = visit.form.get("reason", "").strip() or None
    id = visit.names["id"]
    await visit.ask("confirm", ids=[id], all_scopes=True, reason=reason, quarantined=True)
    return Redirect(_path(id, "confirmed"))


async def forget(visit: Visit) -> Page:
    """Erase the record everywhere, and show the proof."""
    id = visit.names["id"]
    done: Ok[Forgotten] = await visit.ask(
        "forget", id=id, all_scopes=True, verify=True, reason=visit.form.get("reason", "")
    )
    return Page("forgotten.html", ForgottenView(id, done.result, done.receipt.digest))


async def _unmasked(visit: Visit, id: str) -> Memory:
    found: MemoryShown = (await visit.ask("get", id=id, all_scopes=True, redact=False)).result
    return found.memory


def _path(id: str, done: str) -> str:
    return f"/memories/{path_part(id)}?done={done}"
