"""Forgetting a memory erases its earlier versions, and names what it replaced by other means."""

import pytest

from satchel.app import Satchel
from satchel.errors import NotFound


def _edited(memory: Satchel) -> list[str]:
    """Return the ids of three versions of a memory, oldest first."""
    first = memory.store("The door code is marigold seventeen", title="Door").result.id
    second = memory.editing.edit(first, text="The door code is hollyhock thirty").result.id
    return [first, second, memory.editing.edit(second, text="The door code changes every Monday").result.id]


def test_the_versions_before_an_edit_are_erased_with_proof(memory: Satchel) -> None:
    first, second, third = _edited(memory)

    forgotten = memory.forget(third, verify=True).result

    assert (forgotten.versions, forgotten.earlier) == ((second, first), ())
    assert forgotten.check is not None
    assert forgotten.check.proves
    assert forgotten.check.fragments >= 3
    for id in (first, second, third):
        with pytest.raises(NotFound):
            memory.get(id)
    assert memory.parts.files.search([b"marigold", b"hollyhock"]).holding == ()
    assert memory.maintenance.receipts_verify().result.broken_at is None


def test_an_edit_of_other_fields_is_proven_too(memory: Satchel) -> None:
    first = memory.store("The door code is marigold seventeen").result.id
    second = memory.editing.edit(first, importance=0.9).result.id

    forgotten = memory.forget(second, verify=True).result

    assert forgotten.versions == (first,)
    assert forgotten.check is not None
    assert forgotten.check.proves


def test_a_memory_replaced_otherwise_is_kept_and_named(memory: Satchel) -> None:
    first, _, third = _edited(memory)
    new = memory.store("There is no door code any more", replaces=third).result.id

    forgotten = memory.forget(new, verify=True).result

    assert (forgotten.versions, forgotten.earlier) == ((), (third,))
    assert memory.get(first).result.memory.text == "The door code is marigold seventeen"


def test_memories_replaced_otherwise_are_erased_on_request(memory: Satchel) -> None:
    first, second, third = _edited(memory)
    new = memory.store("There is no door code any more", replaces=third).result.id

    forgotten = memory.forget(new, with_versions=True).result

    assert (forgotten.versions, forgotten.earlier) == ((third, second, first), ())
    assert memory.memories.count() == 0


def test_an_undone_edit_leaves_the_first_text(memory: Satchel) -> None:
    first = memory.store("The door code is marigold seventeen").result.id
    second = memory.editing.edit(first, text="The door code is hollyhock thirty").result.id
    memory.history.undo()

    assert memory.forget(second).result.versions == ()
    assert memory.get(first).result.memory.text == "The door code is marigold seventeen"
