"""Editing: a changed memory is a new one that replaces the old, so that the history keeps both."""

from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, Param, RecordId, Scope, operation
from satchel.core.parts import Parts
from satchel.core.references import full_id, memory_ids
from satchel.core.service import Service
from satchel.domain.answers import Stored
from satchel.domain.arguments import as_tuple
from satchel.domain.envelope import Ok
from satchel.domain.media import check_media
from satchel.domain.moment import iso
from satchel.domain.record import Kind, Memory, MemoryId, State
from satchel.domain.scope import not_within
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest
from satchel.memories.values import Edited
from satchel.ports import EditText


class Editing(Service):
    """Stores a corrected memory in place of another."""

    def __init__(self, parts: Parts, store: Callable[..., Ok[Stored]]) -> None:
        super().__init__(parts)
        self._store = store

    @operation(
        "edit",
        writes=True,
        operator_only=True,
        examples=('satchel edit ID --text "We ship on Fridays"', "satchel edit ID --kind decision --importance 0.9"),
    )
    def edit(
        self,
        id: RecordId,
        *,
        text: Annotated[
            str | None, Param("the new text; opens $VISUAL or $EDITOR if nothing is changed by an option", stdin=True)
        ] = None,
        title: Annotated[str | None, Param("another title; empty for none")] = None,
        kind: Annotated[str | None, Param("another kind", choices=Kind)] = None,
        importance: Annotated[float | None, Param("another importance, from 0 to 1")] = None,
        valid_to: Annotated[str | None, Param("date or time until which it is valid")] = None,
        media: Annotated[
            Sequence[str],
            Param("path or address of an image, a recording or a file it is about, in place of those it has"),
        ] = (),
        keep_media: Annotated[bool, Param("keep its media", off="remove its references to media", flag="media")] = True,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        edit_text: EditText | None = None,
    ) -> Ok[Edited]:
        """Change a memory: stores the changed one, which replaces the old one.

        The new memory has the other fields of the old one, and is trusted: it is what you say now. The old one is retired
        and stays in the history; 'satchel undo' brings it back.
        """
        with self._run("edit", writes=True) as run:
            old = self._editable(id, scope, all_scopes)
            if media and not keep_media:
                raise InvalidRequest("--media and --no-media exclude each other", code="wrong_type")
            given = (text, title, kind, importance, valid_to)
            nothing_given = all(one is None for one in given) and not media and keep_media
            if nothing_given and edit_text is None:
                raise InvalidRequest("nothing to change was given", code="missing_param", hint="such as --text")
            if nothing_given and edit_text is not None:
                text = edit_text(old.text)
            wanted = _changed(old, text, title, kind, importance)
            if media or not keep_media:
                wanted = replace(wanted, media_refs=check_media(as_tuple(media)))
            run.asked = {"id": old.id, "scope": old.scope}
            if wanted == old and valid_to is None:
                return run.done(Edited("unchanged", old.id, old.id, old.scope))
            stored = self._store(
                wanted.text,
                scope=wanted.scope,
                kind=wanted.kind,
                importance=wanted.importance,
                source_ref=wanted.source_ref,
                title=wanted.title,
                session=wanted.session,
                task=wanted.task,
                language=wanted.language,
                tags=wanted.tags,
                keywords=wanted.keywords,
                media=wanted.media_refs,
                valid_from=None if wanted.valid_from is None else iso(wanted.valid_from),
                valid_to=valid_to if valid_to is not None else None if old.valid_to is None else iso(old.valid_to),
                replaces=old.id,
                like=wanted,
            )
            return run.committed(Edited("replaced", stored.result.id, old.id, old.scope), stored.receipt)

    def _editable(self, id: str, scope: str | None, all_scopes: bool) -> Memory:
        within = self._reach(scope, all_scopes)
        view = admin_view(within, self._clock.now())
        meant = MemoryId(full_id(id, memory_ids(self._ledger, view)))
        found = self._ledger.memories.fetch([meant], view).get(meant)
        if found is None:
            raise not_within(f"memory {id[:80]!r}", within)
        if found.state is State.RETIRED:
            raise Conflict(
                f"memory {found.id} is retired",
                code="already_retired",
                hint=f"edit {found.replaced_by} instead" if found.replaced_by else "store it again if it is true",
            )
        return found


def _changed(old: Memory, text: str | None, title: str | None, kind: str | None, importance: float | None) -> Memory:
    """Return what the memory should be. Line ends that an editor adds change nothing."""
    wanted = old if text is None or text.strip() == old.text.strip() else replace(old, text=text, content_hash="")
    if title is not None:
        wanted = replace(wanted, title=title or None)
    if kind is not None:
        wanted = replace(wanted, kind=kind)  # checked when it is stored
    return wanted if importance is None else replace(wanted, importance=importance)
