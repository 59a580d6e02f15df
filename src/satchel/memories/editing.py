"""Editing: a changed memory is a new one that replaces the old, so that the history keeps both; a moved one stays the same."""

from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, Param, RecordId, operation
from satchel.core.parts import Parts
from satchel.core.references import full_id, memory_ids
from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.domain.answers import Stored
from satchel.domain.arguments import as_tuple
from satchel.domain.envelope import Ok
from satchel.domain.media import check_media
from satchel.domain.moment import iso
from satchel.domain.record import WORKING_SET, Kind, Memory, MemoryId, State
from satchel.domain.scope import EVERYWHERE, Reach, not_within
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest
from satchel.memories.forget import split_versions
from satchel.memories.storing import find_stored_duplicate
from satchel.memories.unknown_scope import new_scope_warning
from satchel.memories.values import Edited
from satchel.ports import Change, EditText


class Editing(Service):
    """Stores a corrected memory in place of another."""

    def __init__(self, parts: Parts, store: Callable[..., Ok[Stored]]) -> None:
        super().__init__(parts)
        self._store = store

    @operation(
        "edit",
        writes=True,
        operator_only=True,
        examples=(
            'satchel edit ID --text "We ship on Fridays"',
            "satchel edit ID --kind decision --importance 0.9",
            "satchel edit ID --scope project/shop",
        ),
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
        scope: Annotated[
            str | None, Param("scope that it is in, the default one if omitted; as the only change: move it there")
        ] = None,
        all_scopes: AllScopes = False,
        elsewhere: Annotated[
            bool,
            Param(
                "move it from another scope", off="do not move it from another scope", flag="move", operator_only=True
            ),
        ] = True,
        edit_text: EditText | None = None,
    ) -> Ok[Edited]:
        """Change a memory: stores the changed one, which replaces the old one.

        The new memory has the other fields of the old one, and is trusted: it is what you say now. The old one is retired
        and stays in the history; 'satchel undo' brings it back. With --scope alone, a memory of another scope moves there
        unchanged: it keeps its id, its trust and its history.
        """
        with self._run("edit", writes=True) as run:
            if media and not keep_media:
                raise InvalidRequest("--media and --no-media exclude each other", code="wrong_type")
            given = (text, title, kind, importance, valid_to)
            nothing_given = all(one is None for one in given) and not media and keep_media
            within = self._reach(scope, all_scopes)
            may_move = nothing_given and scope is not None and elsewhere
            old = self._editable(id, EVERYWHERE if may_move else within)
            if not within.admits(old.scope):
                return self._move(run, old, within.scopes[0])
            if nothing_given and edit_text is None:
                raise InvalidRequest("no change was given", code="missing_param", hint="such as --text")
            if nothing_given and edit_text is not None:
                text = edit_text(old.text)
            wanted = _changed(old, text, title, kind, importance)
            if media or not keep_media:
                wanted = replace(wanted, media_refs=check_media(as_tuple(media)))
            run.asked = {"id": old.id, "scope": old.scope}
            if wanted == old and valid_to is None:
                return run.done(Edited("unchanged", old.id, old.id, old.scope, old.scope))
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
            return run.committed(Edited("replaced", stored.result.id, old.id, old.scope, old.scope), stored.receipt)

    def _move(self, run: OperationRun, old: Memory, target: str) -> Ok[Edited]:
        """Move a memory and the memories that it replaced: forgetting it finds them in its scope."""
        if old.id.startswith(WORKING_SET):
            raise InvalidRequest("a working set belongs to its scope", code="working_set")
        run.asked = {"id": old.id, "scope": old.scope, "target": target}
        with self._ledger.memories.transaction():
            if same := find_stored_duplicate(replace(old, scope=target), self._parts):
                raise Conflict(
                    f"scope {target} already has a memory in the same words: {same.memory.id}",
                    code="already_there",
                    hint=f"'satchel forget {old.id} --scope {old.scope}' erases this one",
                )
            run.warn(new_scope_warning(target, self._parts))
            earlier, _ = split_versions(old, self._ledger.memories, every=True)
            reason = f"from scope {old.scope}"
            changes = [
                Change(replace(one, scope=target), one, "edit", self._parts.actor, reason) for one in (old, *earlier)
            ]
            receipt = run.receipt(action="moved", memories=len(changes))
            self._ledger.memories.commit(changes, receipt)
        return run.committed(Edited("moved", old.id, old.id, target, old.scope), receipt)

    def _editable(self, id: str, within: Reach) -> Memory:
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
