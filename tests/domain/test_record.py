"""The memory record."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.canonical import digest
from satchel.domain.record import Kind, Label, Memory, MemoryId, label_for
from tests.tables import each_case


def memory(text: str = "Tea at four.", **changes: object) -> Memory:
    plain: dict[str, object] = {"id": MemoryId("m1"), "text": text, "scope": "global", "created_at": 1, "updated_at": 1}
    return Memory(**(plain | changes))  # type: ignore[arg-type]


@each_case(
    ("importance", "label"),
    [
        (None, Label.UNKNOWN),
        (0.0, Label.IGNORE),
        (0.4999, Label.IGNORE),
        (0.5, Label.NICE_TO_HAVE),
        (0.7999, Label.NICE_TO_HAVE),
        (0.8, Label.MUST_REMEMBER),
        (1.0, Label.MUST_REMEMBER),
    ],
)
def test_importance_determines_the_label(importance: float | None, label: Label) -> None:
    assert label_for(importance) is label


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(min_value=0, max_value=1), st.floats(min_value=0, max_value=1))
def test_higher_importance_never_gets_a_lower_label(one: float, other: float) -> None:
    ascending = [Label.IGNORE, Label.NICE_TO_HAVE, Label.MUST_REMEMBER]
    less, more = sorted([one, other])
    assert ascending.index(label_for(less)) <= ascending.index(label_for(more))


@each_case("kind", Kind)
def test_every_kind_has_its_category_in_the_older_taxonomy(kind: Kind) -> None:
    same = {"preference", "decision", "fact", "entity", "todo", "other"}
    assert memory(kind=kind).category == (kind.value if kind.value in same else "other")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text())
def test_a_record_carries_the_hash_of_its_text(text: str) -> None:
    assert memory(text).content_hash == digest(text)


def test_a_given_hash_is_kept_so_that_damage_is_detected() -> None:
    assert memory(content_hash="sha256:other").content_hash == "sha256:other"


def test_an_ungraded_record_of_unknown_origin_is_neither_important_nor_trusted() -> None:
    plain = memory()
    assert (plain.label, plain.trust, plain.kind, plain.state) == ("unknown", "untrusted", "other", "active")


def test_records_with_the_same_content_are_equal() -> None:
    assert memory() == memory()
    assert memory() != memory("Coffee at four.")
