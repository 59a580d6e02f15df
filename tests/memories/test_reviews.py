"""Reviewing what others stored, and confirming it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.record import WORKING_SET, Memory, State, Trust
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, SatchelError
from satchel.memories.values import MemoryShown, ReviewItem
from satchel.ports import Change
from tests.adapters.samples import receipt
from tests.memories.clocks import TickingClock
from tests.tables import each_case


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Satchel]:
    with Satchel.open(settings=load(home=str(tmp_path / "home"))) as opened:
        yield Satchel(replace(opened.parts, clock=TickingClock()))


def untrusted(store: Satchel, text: str, **options: str) -> str:
    return store.store(text, source_kind=options.pop("source_kind", "tool"), **options).result.id  # type: ignore[arg-type]


def reviewed(store: Satchel, **options: object) -> list[str]:
    return [one.text for one in store.review(**options).result.items]  # type: ignore[arg-type]


def trust_of(store: Satchel, id: str) -> Trust:
    found = store.get(id, all_scopes=True).result
    return found.memory.trust if isinstance(found, MemoryShown) else found.observation.trust


class TestReview:
    def test_what_others_stored_comes_newest_first_and_quarantined_last(self, store: Satchel) -> None:
        store.store("the operator said so")
        untrusted(store, "planted instructions", trust="quarantined")
        untrusted(store, "a tool's note", source_ref="mcp claude", session="s1")
        untrusted(store, "a web page", source_kind="web")
        gone = untrusted(store, "an old note")
        untrusted(store, "a newer note", replaces=gone)
        untrusted(store, "another scope", scope="project/shop")

        page = store.review().result
        assert [one.text for one in page.items] == [
            "a newer note",
            "a web page",
            "a tool's note",
            "planted instructions",
        ]
        assert [one.trust for one in page.items] == [Trust.UNTRUSTED] * 3 + [Trust.QUARANTINED]
        assert (page.untrusted, page.quarantined, page.next) == (3, 1, None)
        note = page.items[2]
        assert (note.source_kind, note.source_ref, note.session, note.used_at) == ("tool", "mcp claude", "s1", None)
        assert reviewed(store, quarantined=False) == ["a newer note", "a web page", "a tool's note"]
        assert reviewed(store, scope="project/shop") == ["another scope"]
        assert len(reviewed(store, all_scopes=True)) == 5

    def test_pages_neither_repeat_nor_skip_a_record(self, store: Satchel) -> None:
        texts = [f"note number {number} about {'xyzzy' * number}" for number in range(7)]
        for number, text in enumerate(texts):
            untrusted(store, text, **({"trust": "quarantined"} if number % 3 == 0 else {}))
        whole = reviewed(store)
        for size in (1, 2, 3, 4, 7, 8):
            seen, mark = list[ReviewItem](), None
            while True:
                page = store.review(limit=size, after=mark).result
                seen += page.items
                mark = page.next
                if mark is None:
                    break
            assert [one.text for one in seen] == whole, size
        assert sorted(whole) == sorted(texts)

    def test_secrets_are_masked_and_a_working_set_is_left_out(self, store: Satchel) -> None:
        key = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
        untrusted(store, f"the key is {key}")
        derived = Memory(f"{WORKING_SET}global", "Goal: x", "global", 1, 1)  # type: ignore[arg-type]
        store.parts.ledger.memories.commit([Change(derived, None, "store", "test")], receipt("store"))

        page = store.review().result
        assert (len(page.items), page.untrusted) == (1, 1)
        assert key not in page.items[0].text
        assert reviewed(store, redact=False) == [f"the key is {key}"]
        with pytest.raises(Refused) as refused:
            store.confirm([derived.id])
        assert refused.value.code == "derived_record"

    def test_it_says_when_a_record_was_last_used(self, store: Satchel) -> None:
        untrusted(store, "the build runs on Ubuntu")
        store.pack("which system does the build run on?")

        assert store.review().result.items[0].used_at is not None

    @each_case("options", [{"limit": 0}, {"limit": 5001}, {"after": "x"}, {"after": "quarantined:x"}, {"kinds": ["x"]}])
    def test_a_wrong_request_is_refused(self, store: Satchel, options: dict[str, object]) -> None:
        with pytest.raises(InvalidRequest):
            store.review(**options)  # type: ignore[arg-type]


class TestConfirm:
    def test_a_confirmed_record_is_trusted_and_its_history_says_who_and_why(self, store: Satchel) -> None:
        first, second = untrusted(store, "CI runs on Ubuntu 24"), untrusted(store, "The API is REST", source_kind="web")
        answer = store.confirm([first, second], reason="checked")

        assert [(one.id, one.was) for one in answer.result.confirmed] == [(first, "untrusted"), (second, "untrusted")]
        for id in (first, second):
            found = store.get(id).result
            assert isinstance(found.memory, Memory) and found.memory.trust is Trust.TRUSTED
            event = found.history[-1]
            assert (event.operation, event.actor, event.reason) == ("confirm", "python", "checked")
            assert event.receipt == answer.receipt.digest
        assert answer.receipt.kept
        assert store.parts.ledger.receipts.verify().broken_at is None
        assert store.recall("CI Ubuntu").result.hits[0].memory.id == first
        assert reviewed(store) == []

    def test_restoring_a_tag_undoes_it(self, store: Satchel) -> None:
        id = untrusted(store, "CI runs on Ubuntu 24")
        store.tags.create("before")
        store.confirm([id])
        store.tags.restore("before")

        assert trust_of(store, id) is Trust.UNTRUSTED

    def test_all_or_none(self, store: Satchel) -> None:
        fine = untrusted(store, "fine")
        retired = untrusted(store, "We deploy by hand")
        newer = untrusted(store, "Deploys are automatic", replaces=retired)
        quarantined = untrusted(store, "obey me", trust="quarantined")
        elsewhere = untrusted(store, "elsewhere", scope="project/shop")
        forgotten = untrusted(store, "to be forgotten")
        store.forget(forgotten)
        cases: list[tuple[str, type[SatchelError], str, str]] = [
            ("nobody", NotFound, "not_found", "--scope"),
            (elsewhere, NotFound, "not_found", "--scope"),
            (forgotten, NotFound, "forgotten", ""),
            (retired, Conflict, "already_retired", newer),
            (quarantined, Refused, "quarantined", "--quarantined"),
        ]
        for id, kind, code, hint in cases:
            with pytest.raises(kind) as caught:
                store.confirm([fine, id])
            assert caught.value.code == code
            assert hint in caught.value.hint
            assert trust_of(store, fine) is Trust.UNTRUSTED
        with pytest.raises(InvalidRequest):
            store.confirm([])

    def test_a_forgotten_record_of_another_scope_is_not_told_apart(self, store: Satchel) -> None:
        forgotten = untrusted(store, "x marks the spot", scope="project/shop")
        store.forget(forgotten, scope="project/shop")

        with pytest.raises(NotFound) as caught:
            store.confirm([forgotten])
        assert caught.value.code == "not_found"

    def test_what_is_trusted_already_is_said_and_changes_nothing(self, store: Satchel) -> None:
        mine, theirs = store.store("mine").result.id, untrusted(store, "theirs")
        answer = store.confirm([mine, theirs, theirs[:8], f" [{theirs}] "]).result

        assert (answer.already_trusted, [one.id for one in answer.confirmed]) == ((mine,), [theirs])
        before = store.get(theirs).result.history
        assert store.confirm([theirs]).result.already_trusted == (theirs,)
        assert store.get(theirs).result.history == before

    def test_quarantined_records_take_a_flag(self, store: Satchel) -> None:
        id = untrusted(store, "obey me", trust="quarantined")

        assert [one.was for one in store.confirm([id], quarantined=True).result.confirmed] == [Trust.QUARANTINED]
        assert trust_of(store, id) is Trust.TRUSTED

    def test_observations_are_confirmed_by_their_reference(self, store: Satchel) -> None:
        store.observations.capture('{"tool_name": "bash", "text": "12 tests passed"}')
        store.observations.ingest()
        (hit,) = store.observations.search("tests").result.hits
        memory = untrusted(store, "the tests pass")
        store.confirm([hit.id[:10], memory])

        found = store.get(hit.id).result
        assert (trust_of(store, hit.id), trust_of(store, memory)) == (Trust.TRUSTED, Trust.TRUSTED)
        assert (found.history[-1].operation, found.history[-1].actor) == ("confirm", "python")

    def test_a_read_only_store_confirms_nothing(self, store: Satchel, tmp_path: Path) -> None:
        id = untrusted(store, "x")
        with (
            Satchel.open(settings=load(home=str(tmp_path / "home"), read_only=True)) as opened,
            pytest.raises(Refused),
        ):
            opened.confirm([id])

    def test_a_confirmed_record_keeps_its_state(self, store: Satchel) -> None:
        id = untrusted(store, "x")
        store.confirm([id])

        found = store.get(id).result
        assert isinstance(found.memory, Memory) and found.memory.state is State.ACTIVE
