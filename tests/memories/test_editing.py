"""An edited memory replaces the old one and keeps what was not changed."""

from typing import Any

import pytest

from satchel.app import Satchel
from satchel.domain.record import Kind, Memory, State, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound
from tests.tables import each_case


def record(memory: Satchel, id: str) -> Memory:
    return next(one for one in memory.parts.ledger.memories.walk(admin_view(EVERYWHERE, 0)) if one.id == id)


def test_a_new_text_replaces_the_memory_and_keeps_its_other_fields(memory: Satchel) -> None:
    old = memory.store(
        "We ship on Thursdays", kind="decision", importance=0.9, title="Releases", tags=["ship"], valid_to="2030-01-01"
    ).result.id

    edited = memory.editing.edit(old, text="We ship on Fridays").result

    before, after = record(memory, old), record(memory, edited.id)
    assert (edited.action, edited.old_id) == ("replaced", old)
    assert (before.state, before.replaced_by) == (State.RETIRED, edited.id)
    kept = ("kind", "importance", "label", "title", "tags", "valid_to", "scope")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert after.text == "We ship on Fridays"


def test_options_change_other_fields(memory: Satchel) -> None:
    old = memory.store("We ship on Thursdays", title="Releases").result.id

    edited = memory.editing.edit(old, kind="decision", importance=0.9, title="", valid_to="2030-01-01").result

    after = record(memory, edited.id)
    assert (after.kind, after.importance, after.title, after.text) == (
        Kind.DECISION,
        0.9,
        None,
        "We ship on Thursdays",
    )
    assert after.valid_to is not None


def test_what_an_operator_edits_is_trusted(memory: Satchel) -> None:
    old = memory.store("The walrus is a bird", source_kind="web", source_ref="forum").result.id

    edited = memory.editing.edit(old, text="The walrus is a mammal").result

    after = record(memory, edited.id)
    assert (after.trust, after.source_ref) == (Trust.TRUSTED, "forum")


def test_the_editor_gets_the_whole_text_and_an_unchanged_one_stores_nothing(memory: Satchel) -> None:
    old = memory.store("The key is AKIAQ3EGRZB7XWPL5TVN").result.id
    seen: list[str] = []

    def leave(text: str) -> str:
        seen.append(text)
        return f"{text}\n"

    edited = memory.editing.edit(old, edit_text=leave).result

    assert seen == ["The key is AKIAQ3EGRZB7XWPL5TVN"]
    assert (edited.action, record(memory, old).state) == ("unchanged", State.ACTIVE)


def test_undo_brings_the_old_one_back(memory: Satchel) -> None:
    old = memory.store("We ship on Thursdays").result.id
    memory.editing.edit(old, text="We ship on Fridays")

    undone = memory.history.undo().result

    assert undone.change.operation == "edit"
    assert record(memory, old).state is State.ACTIVE


def test_a_retired_memory_cannot_be_edited(memory: Satchel) -> None:
    old = memory.store("We ship on Thursdays").result.id
    new = memory.editing.edit(old, text="We ship on Fridays").result.id

    with pytest.raises(Conflict) as refused:
        memory.editing.edit(old, text="We ship on Mondays")
    assert new in refused.value.hint


@each_case(
    "id, arguments, error",
    [
        ("nothing", {"text": "new"}, NotFound),
        ("", {"text": "new"}, NotFound),
        ("{id}", {}, InvalidRequest),
        ("{id}", {"text": " "}, InvalidRequest),
        ("{id}", {"kind": "walrus"}, InvalidRequest),
        ("{id}", {"importance": 2.0}, InvalidRequest),
        ("{id}", {"valid_to": "tomorrow"}, InvalidRequest),
        ("{id}", {"text": "new", "scope": "elsewhere"}, NotFound),
    ],
)
def test_a_bad_request_changes_nothing(
    memory: Satchel, id: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    own = memory.store("We ship on Thursdays").result.id

    with pytest.raises(error):
        memory.editing.edit(id.replace("{id}", own), **arguments)

    assert record(memory, own).state is State.ACTIVE
