"""Turns that an import brings."""

from satchel.app import Satchel
from satchel.domain.imports import ImportTerms, TurnItem

TERMS = ImportTerms("test", None, trusted=False, dry_run=False)


def turn(key: str, text: str, **more: str) -> TurnItem:
    return TurnItem(
        key=key, place=key, session="s", role=more.pop("role", "user"), text=text, at=1_700_000_000_000, **more
    )


def test_a_turn_is_stored_once(memory: Satchel) -> None:
    write = memory.episodes.item_writer(TERMS)
    first = write([turn("1", "When do we ship?"), turn("2", "On Thursdays", role="assistant"), turn("1", "again")])

    assert (first.new, first.known, first.scopes) == (2, 1, {"global": 2})
    assert write([turn("2", "On Thursdays", role="assistant")]).new == 0


def test_private_empty_and_misplaced_turns_are_refused(memory: Satchel) -> None:
    write = memory.episodes.item_writer(TERMS)
    taken = write([turn("1", "<private> mine"), turn("2", " "), turn("3", "hi", scope="No Scope"), turn("4", "good")])

    assert (taken.new, taken.refused) == (1, ((0, "private"), (1, "empty_text"), (2, "invalid_scope")))


def test_a_forgotten_turn_stays_out(memory: Satchel) -> None:
    write = memory.episodes.item_writer(TERMS)
    write([turn("1", "When do we ship?")])
    memory.episodes.forget(session="s")
    taken = write([turn("1", "When do we ship?")])

    assert (taken.new, taken.refused) == (0, ((0, "forgotten"),))
