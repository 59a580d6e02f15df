"""Validation of drafts, and replacing memories."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from satchel.domain.admit import MAX_LIST_ITEMS, Draft, admit, supersede
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.text import MAX_FIELD_CHARS, MAX_TEXT_CHARS
from satchel.errors import Conflict, InvalidRequest, Refused, SatchelError
from tests.tables import each_case

NOW = 1_700_000_000_000
PLAIN = Draft(text="Tea at four.", scope="global")
FIELDS = ["source_ref", "title", "session", "task", "language"]
LISTS = ["tags", "keywords"]


def admitted(**changes: Any) -> Memory:
    return admit(replace(PLAIN, **changes), id=MemoryId("m1"), now=NOW)


def code_for(**changes: Any) -> str:
    with pytest.raises(SatchelError) as caught:
        admitted(**changes)
    assert isinstance(caught.value, InvalidRequest | Refused)
    assert caught.value.message.encode()
    return caught.value.code


def test_a_plain_draft_becomes_a_trusted_ungraded_active_memory() -> None:
    assert admitted() == Memory(
        id=MemoryId("m1"),
        text="Tea at four.",
        scope="global",
        created_at=NOW,
        updated_at=NOW,
        kind=Kind.OTHER,
        label=Label.UNKNOWN,
        trust=Trust.TRUSTED,
        source_kind=SourceKind.OPERATOR,
        state=State.ACTIVE,
    )


def test_a_full_draft_keeps_every_field() -> None:
    draft = Draft(
        text="用茶",
        scope="team:tea",
        kind="preference",
        importance=0.8,
        trust="quarantined",
        source_kind="web",
        source_ref="https://example.org",
        title="Tea",
        session="s1",
        task="t1",
        language="zh",
        tags=("b", "a", "b"),
        keywords=("drink",),
        media=("cup.png", "cup.png"),
        valid_from="2026-01-01",
        valid_to="2027-01-01T00:00:00Z",
    )
    assert admit(draft, id=MemoryId("m2"), now=NOW) == Memory(
        id=MemoryId("m2"),
        text="用茶",
        scope="team:tea",
        created_at=NOW,
        updated_at=NOW,
        kind=Kind.PREFERENCE,
        title="Tea",
        importance=0.8,
        label=Label.MUST_REMEMBER,
        trust=Trust.QUARANTINED,
        source_kind=SourceKind.WEB,
        source_ref="https://example.org",
        language="zh",
        session="s1",
        task="t1",
        tags=("b", "a"),
        keywords=("drink",),
        media_refs=("cup.png",),
        valid_from=1_767_225_600_000,
        valid_to=1_798_761_600_000,
    )


def test_every_field_of_a_draft_is_tested() -> None:
    assert {one.name for one in fields(Draft)} == {
        *("text", "scope", "kind", "importance", "trust", "source_kind", "valid_from", "valid_to"),
        *FIELDS,
        *LISTS,
        "media",
    }


BAD_TEXTS = [
    ("", "empty_text"),
    (" \n\t", "empty_text"),
    ("a\x00b", "unwritable_character"),
    ("a\x1bb", "unwritable_character"),
    ("a\x7fb", "unwritable_character"),
    ("a\ud800", "unwritable_character"),
]


@each_case(("text", "code"), [*BAD_TEXTS, ("x" * (MAX_TEXT_CHARS + 1), "text_too_long")])
def test_a_text_that_cannot_be_stored_is_refused(text: str, code: str) -> None:
    assert code_for(text=text) == code


@each_case("field", FIELDS)
@each_case(("text", "code"), [*BAD_TEXTS, ("x" * (MAX_FIELD_CHARS + 1), "text_too_long")])
def test_a_field_that_cannot_be_stored_is_refused(field: str, text: str, code: str) -> None:
    assert code_for(**{field: text}) == code


@each_case("field", LISTS)
@each_case(("text", "code"), [*BAD_TEXTS, ("x" * (MAX_FIELD_CHARS + 1), "text_too_long")])
def test_a_list_with_an_item_that_cannot_be_stored_is_refused(field: str, text: str, code: str) -> None:
    assert code_for(**{field: ("fine", text)}) == code


@each_case("field", LISTS)
def test_a_list_over_the_limit_is_refused(field: str) -> None:
    items = tuple(f"item {number}" for number in range(MAX_LIST_ITEMS))
    assert getattr(admitted(**{field: items}), field) == items
    assert code_for(**{field: (*items, "one more")}) == "too_many"


def test_the_longest_text_and_fields_are_accepted() -> None:
    assert len(admitted(text="x" * MAX_TEXT_CHARS).text) == MAX_TEXT_CHARS
    for field in FIELDS:
        assert getattr(admitted(**{field: "x" * MAX_FIELD_CHARS}), field) == "x" * MAX_FIELD_CHARS


@each_case("importance", [math.nan, math.inf, -math.inf, -1.0, 2.0, -1e-9, 1.0000001])
def test_an_importance_outside_0_to_1_is_refused(importance: float) -> None:
    assert code_for(importance=importance) == "out_of_range"


@each_case(
    ("importance", "label"), [(0.0, "ignore"), (0.5, "nice_to_have"), (0.8, "must_remember"), (1, "must_remember")]
)
def test_importance_is_kept_and_labelled(importance: float, label: str) -> None:
    memory = admitted(importance=importance)
    assert (memory.importance, memory.label) == (importance, label)


@each_case("field", ["kind", "trust", "source_kind"])
@each_case("word", ["", "Fact", "nonsense", " fact", "x" * 5_000, "\ud800"])
def test_an_unknown_word_is_refused(field: str, word: str) -> None:
    assert code_for(**{field: word}) == "unknown_word"


@each_case("kind", Kind)
def test_every_kind_is_known_by_its_word(kind: Kind) -> None:
    assert admitted(kind=kind.value).kind is kind


@each_case("field", ["valid_from", "valid_to"])
@each_case("date", ["", "soon", "2026-02-30", "12:00"])
def test_a_bad_date_is_refused(field: str, date: str) -> None:
    assert code_for(**{field: date}) == "invalid_date"


@each_case("end", ["2026-01-01", "2025-12-31", "2026-01-01T01:00:00+01:00"])
def test_a_validity_that_ends_before_or_when_it_begins_is_refused(end: str) -> None:
    assert code_for(valid_from="2026-01-01", valid_to=end) == "invalid_date"


def test_a_validity_may_be_open_at_either_end_and_lie_in_the_past() -> None:
    began, ended = admitted(valid_from="2020-01-01"), admitted(valid_to="2020-01-01")
    assert (began.valid_from, began.valid_to) == (1_577_836_800_000, None)
    assert (ended.valid_from, ended.valid_to) == (None, 1_577_836_800_000)


@each_case("channel", ["tool", "web", "import"])
def test_tool_web_and_import_content_is_never_trusted(channel: str) -> None:
    assert admitted(source_kind=channel).trust is Trust.UNTRUSTED
    assert code_for(source_kind=channel, trust="trusted") == "trust_not_granted"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.text("abc", min_size=1, max_size=2), max_size=12))
def test_tags_keep_their_order_without_duplicates(tags: Sequence[str]) -> None:
    assert admitted(tags=tuple(tags)).tags == tuple(sorted(set(tags), key=tags.index))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.text(st.characters(exclude_categories=()), max_size=10),
    st.none() | st.floats(),
    st.sampled_from([*SourceKind, "?"]),
    st.none() | st.sampled_from([*Trust, "?"]),
)
def test_any_draft_becomes_a_memory_or_is_refused_by_code(
    text: str, importance: float | None, source_kind: str, trust: str | None
) -> None:
    changes = {"text": text, "importance": importance, "source_kind": source_kind, "trust": trust}
    try:
        memory = admitted(**changes)
    except (InvalidRequest, Refused) as error:
        assert error.code in {*(code for _, code in BAD_TEXTS), "out_of_range", "unknown_word", "trust_not_granted"}
    else:
        assert (memory.text, memory.importance, memory.source_kind) == (text, importance, source_kind)


def superseding_code(old: Memory, new: Memory) -> str:
    with pytest.raises(SatchelError) as caught:
        supersede(old, new)
    return caught.value.code


OLD = admitted(text="Tea at four.", tags=("tea",))
NEW = admit(replace(PLAIN, text="Tea at five."), id=MemoryId("m2"), now=NOW + 5)


def test_a_replaced_memory_is_retired_and_names_its_successor() -> None:
    assert supersede(OLD, NEW) == replace(
        OLD,
        state=State.RETIRED,
        replaced_by=MemoryId("m2"),
        reason="replaced by a newer memory",
        updated_at=NOW + 5,
    )


def test_a_memory_is_replaced_within_its_own_scope_only() -> None:
    assert superseding_code(OLD, replace(NEW, scope="team")) == "scope_mismatch"


@each_case("old", Trust)
@each_case("new", Trust)
def test_a_memory_is_never_replaced_by_a_less_trusted_one(old: Trust, new: Trust) -> None:
    ascending = [Trust.QUARANTINED, Trust.UNTRUSTED, Trust.TRUSTED]
    was, is_now = replace(OLD, trust=old), replace(NEW, trust=new)
    if ascending.index(new) < ascending.index(old):
        assert superseding_code(was, is_now) == "trust_not_granted"
    else:
        assert supersede(was, is_now).replaced_by == "m2"


def test_a_retired_memory_is_not_replaced_again() -> None:
    with pytest.raises(Conflict) as caught:
        supersede(supersede(OLD, NEW), replace(NEW, id=MemoryId("m3")))
    assert caught.value.code == "already_retired"
    assert "m2" in caught.value.hint


@each_case("state", [state for state in State if state is not State.RETIRED])
def test_a_memory_in_any_other_state_can_be_replaced(state: State) -> None:
    assert supersede(replace(OLD, state=state), NEW).state is State.RETIRED


def test_another_scope_does_not_learn_whether_a_memory_is_retired_or_trusted() -> None:
    hidden = replace(supersede(OLD, NEW), scope="team")
    assert superseding_code(hidden, replace(NEW, trust=Trust.QUARANTINED)) == "scope_mismatch"
