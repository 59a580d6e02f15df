"""The working set: sections, limits, determinism."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from satchel.domain.policies import WorkingSetPolicy
from satchel.domain.record import Kind, Memory, MemoryId
from satchel.turns.working_set import is_working_set, receipt_section, working_set, working_set_id
from tests.canary import MASKED, TOKEN

steady = settings(max_examples=200, deadline=None, derandomize=True)

ROOMY = WorkingSetPolicy(enabled=True, max_chars=2_800)


def memory(id: str, text: str, kind: Kind, importance: float = 0.5, created_at: int = 0, scope: str = "team") -> Memory:
    return Memory(MemoryId(id), text, scope, created_at, created_at, kind=kind, importance=importance)


RECENT = [
    memory("r1", "Never deploy on Fridays", Kind.PREFERENCE, 0.78, 1),
    memory("d1", "We use Postgres", Kind.DECISION, 0.88, 2),
    memory("d2", "We host the docs ourselves", Kind.DECISION, 0.9, 3),
    memory("t1", "Renew the certificate", Kind.TODO, 0.7, 4),
    memory("p1", "I like tea", Kind.PREFERENCE, 0.9, 5),
    memory("x1", "Only the other team may know", Kind.DECISION, 0.99, 6, scope="other"),
    memory("working_set:team", "Constraints: an older one; never again", Kind.DECISION, 0.99, 7),
]


def test_sections_are_in_order() -> None:
    made = working_set("team", RECENT, "[SCOPE: team] Write the release notes\nWhich version is it?", ROOMY)
    assert made is not None
    assert made.id == "working_set:team"
    assert made.text == (
        "Goal: Write the release notes | Constraints: Never deploy on Fridays | "
        "Decisions: We host the docs ourselves; We use Postgres | Next actions: Renew the certificate | "
        "Open questions: Which version is it?"
    )
    assert made.consumed == ("r1", "d2", "d1", "t1")


def test_too_little_content_gives_no_working_set() -> None:
    assert working_set("team", [], "Write the release notes", ROOMY) is None
    assert working_set("team", RECENT[1:2], "Write the release notes", ROOMY) is None
    assert working_set("team", RECENT[:1], "", ROOMY) is not None
    assert working_set("team", RECENT[1:3], "", ROOMY) is not None


def test_items_are_limited_shortened_and_distinct() -> None:
    many = [
        memory(f"d{number}", f"We chose part {number} " + "x" * 200, Kind.DECISION, created_at=number)
        for number in range(9)
    ]
    made = working_set("team", [*many, memory("same", many[8].text, Kind.DECISION, created_at=9)], "", ROOMY)
    assert made is not None
    assert len(made.decisions) == ROOMY.max_items_per_section
    assert all(len(item) == ROOMY.max_item_chars for item in made.decisions)
    assert len(set(made.decisions)) == 2
    assert made.consumed == ()


def test_the_receipt_counts_its_sections() -> None:
    made = working_set("team", RECENT, "Write it\nWhy?", ROOMY)
    assert made is not None
    assert to_builtins(receipt_section(made, ROOMY, suppressed=2, persisted=True)) == {
        "enabled": True,
        "generated": True,
        "id": "working_set:team",
        "chars": len(made.text),
        "sections": {"goal": 1, "constraints": 1, "decisions": 2, "nextActions": 1, "openQuestions": 1},
        "consumedCount": 4,
        "suppressedRecallCount": 2,
        "persisted": True,
    }
    assert to_builtins(receipt_section(None, WorkingSetPolicy(), suppressed=0, persisted=False)) == {
        "enabled": False,
        "generated": False,
        "id": None,
        "chars": 0,
        "sections": {"goal": 0, "constraints": 0, "decisions": 0, "nextActions": 0, "openQuestions": 0},
        "consumedCount": 0,
        "suppressedRecallCount": 0,
        "persisted": False,
    }


def test_a_working_set_is_recognized_by_its_id() -> None:
    assert is_working_set(working_set_id("team"))
    assert not is_working_set("team")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300) | st.sampled_from(
    ["never", "only this", "a\nb", "同じ 只"]
)
memories = st.lists(
    st.builds(
        memory,
        st.uuids().map(str),
        texts,
        st.sampled_from([Kind.PREFERENCE, Kind.DECISION, Kind.TODO, Kind.FACT]),
        st.floats(0, 1),
        st.integers(0, 9),
        st.sampled_from(["team", "other"]),
    ),
    max_size=12,
    unique_by=lambda one: one.id,
)


@steady
@given(memories, texts, st.integers(240, 600), st.integers(1, 5))
def test_it_is_bounded_scoped_and_independent_of_order(
    given: list[Memory], prompt: str, chars: int, items: int
) -> None:
    policy = replace(ROOMY, max_chars=chars, max_items_per_section=items)
    made = working_set("team", given, prompt, policy)
    assert made == working_set("team", given[::-1], prompt, policy)
    if made is None:
        return
    assert len(made.text) <= chars
    assert "\n" not in made.text
    for section in (made.constraints, made.decisions, made.next_actions, made.open_questions):
        assert len(section) <= items
    own = {one.id for one in given if one.scope == "team"}
    assert set(made.consumed) <= own


def test_secrets_are_masked_before_items_are_cut() -> None:
    long = f"Never say {'very ' * 12}loud that the key is {TOKEN}"
    made = working_set("team", [memory("a", long, Kind.PREFERENCE)], f"Use {TOKEN} for it\nIs {TOKEN} right?", ROOMY)
    assert made is not None
    assert TOKEN[4:12] not in made.text
    assert made.goal == f"Use {MASKED} for it"
    assert made.open_questions == (f"Is {MASKED} right?",)


def test_a_memory_that_is_quoted_with_a_mask_is_quoted_in_full() -> None:
    made = working_set("team", [memory("a", f"Never use {TOKEN}", Kind.PREFERENCE)], "", ROOMY)
    assert made is not None
    assert (made.constraints, made.consumed) == ((f"Never use {MASKED}",), ("a",))
