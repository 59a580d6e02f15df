"""The block budget: never exceeded, newest kept longest, output always well-formed."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from satchel.domain.policies import BudgetPolicy
from satchel.turns.block import BlockEntry, ids_comment, parse_block, render_block
from satchel.turns.budget import ELLIPSIS, BlockSlot, fit_budget, marker, receipt_section
from tests.tables import each_case

steady = settings(max_examples=300, deadline=None, derandomize=True)


def slot(id: str, text: str = "text", created_at: int = 0, *, pinned: bool = False) -> BlockSlot:
    return BlockSlot(id, BlockEntry("fact", "unknown", text), created_at, pinned)


def policy(max_chars: int, recent: int = 1, action: str = "truncate_oldest", *, enabled: bool = True) -> BudgetPolicy:
    return BudgetPolicy(enabled, max_chars, recent, action)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.text(
    st.sampled_from("<&\n'\u202e"), max_size=80
)
slots = st.lists(
    st.builds(
        BlockSlot,
        st.text(st.sampled_from("ab->-"), max_size=40),
        st.builds(BlockEntry, st.just("fact"), st.just("unknown"), texts),
        st.integers(0, 5),
        st.booleans(),
    ),
    max_size=7,
    unique_by=lambda one: one.id,
)
policies = st.builds(
    BudgetPolicy,
    st.just(True),
    st.integers(0, 900),
    st.integers(0, 5),
    st.sampled_from(["truncate_oldest", "truncate_tail"]),
)


def whole(given: list[BlockSlot]) -> str:
    return render_block([one.entry for one in given])


def room_for(*given: BlockSlot) -> int:
    return len(whole(list(given)))


OLD, MIDDLE, NEW = slot("old", created_at=1), slot("middle", created_at=2), slot("new", created_at=3)


def test_a_block_within_budget_is_unchanged() -> None:
    done = fit_budget([NEW, OLD], policy(room_for(NEW, OLD)))
    assert done.text == whole([NEW, OLD])
    assert (done.kept, done.dropped, done.truncated_chars, done.truncated) == (("new", "old"), (), 0, False)
    assert marker(done) is None


def test_the_oldest_or_the_lowest_ranked_are_dropped_first() -> None:
    ranked = [OLD, NEW, MIDDLE]
    assert fit_budget(ranked, policy(room_for(NEW, MIDDLE))).dropped == ("old",)
    assert fit_budget(ranked, policy(room_for(NEW, MIDDLE), action="truncate_tail")).dropped == ("middle",)
    assert fit_budget(ranked, policy(room_for(NEW), action="truncate_tail")).dropped == ("middle", "old")


def test_the_newest_are_protected_even_if_ranked_last() -> None:
    ranked = [OLD, MIDDLE, NEW]
    done = fit_budget(ranked, policy(room_for(OLD, NEW), action="truncate_tail"))
    assert (done.kept, done.dropped) == (("old", "new"), ("middle",))
    assert fit_budget(ranked, policy(room_for(OLD), recent=0, action="truncate_tail")).kept == ("old",)


def test_ties_of_age_break_by_id() -> None:
    same = [slot("b"), slot("a"), slot("c")]
    assert fit_budget(same, policy(room_for(slot("a")))).dropped == ("c", "b")


def test_pinned_slots_stay_and_do_not_count_as_newest() -> None:
    pinned = slot("set", created_at=9, pinned=True)
    done = fit_budget([pinned, OLD, NEW], policy(room_for(pinned, NEW)))
    assert (done.kept, done.dropped) == (("set", "new"), ("old",))


def test_a_protected_memory_that_is_too_long_is_truncated_cleanly() -> None:
    done = fit_budget([slot("long", "<&" * 900)], policy(300))
    (entry,) = parse_block(done.text)
    assert entry.text.endswith(ELLIPSIS)
    assert ("<&" * 900).startswith(entry.text.removesuffix(ELLIPSIS))
    assert 300 - 10 < len(done.text) <= 300
    assert done.truncated_chars == done.before_chars - done.after_chars
    assert done.min_recent_slots_honored


def test_a_large_comment_is_dropped_before_a_protected_memory() -> None:
    named = BlockSlot("id" * 400, NEW.entry, 3)
    done = fit_budget([named], policy(300), ids_in_comment=3)
    assert done.text == whole([named])
    assert done.truncated_chars == len(ids_comment([named.id])) + 1


def test_the_comment_names_up_to_the_allowed_number_of_ids() -> None:
    done = fit_budget([NEW, MIDDLE, OLD], policy(1800), ids_in_comment=2)
    assert done.text == f"{whole([NEW, MIDDLE, OLD])}\n{ids_comment(['new', 'middle'])}"


def test_a_budget_below_the_bare_wrapper_gives_an_empty_block() -> None:
    done = fit_budget([NEW, OLD], policy(40), ids_in_comment=3)
    assert (done.text, done.kept, set(done.dropped)) == ("", (), {"new", "old"})
    assert not done.min_recent_slots_honored
    assert fit_budget([], policy(300)).text == ""


def test_a_disabled_budget_changes_nothing() -> None:
    off = policy(1, enabled=False)
    done = fit_budget([NEW, OLD], off)
    assert done.text == whole([NEW, OLD])
    assert receipt_section(done, off).enabled is False
    assert marker(done) is None


def test_the_receipt_and_the_marker_report_dropped_slots() -> None:
    asked = policy(room_for(NEW))
    done = fit_budget([NEW, OLD], asked)
    assert to_builtins(receipt_section(done, asked)) == {
        "enabled": True,
        "maxChars": room_for(NEW),
        "minRecentSlots": 1,
        "overflowAction": "truncate_oldest",
        "beforeChars": room_for(NEW, OLD),
        "afterChars": room_for(NEW),
        "droppedCount": 1,
        "droppedIds": ["old"],
        "truncatedChars": 0,
        "truncated": True,
        "minRecentSlotsHonored": True,
    }
    assert marker(done) == {
        "marker": "openclaw-mem-engine:contextBudget",
        "beforeChars": room_for(NEW, OLD),
        "afterChars": room_for(NEW),
        "droppedIds": ["old"],
        "droppedCount": 1,
        "truncatedChars": 0,
    }


@steady
@given(slots, policies, st.integers(0, 3))
def test_a_block_never_exceeds_its_budget_and_always_parses(
    given: list[BlockSlot], asked: BudgetPolicy, ids: int
) -> None:
    done = fit_budget(given, asked, ids_in_comment=ids)
    assert len(done.text) == done.after_chars <= asked.max_chars
    assert sorted([*done.kept, *done.dropped]) == sorted(one.id for one in given)
    assert done.text == "" if not done.kept else done.text.startswith("<relevant-memories>\n")
    assert done.text.count("<relevant-memories>") == done.text.count("</relevant-memories>") == bool(done.kept)
    # Nothing but the comment after the block begins one.
    assert done.text.count("<!--") == done.text.endswith("-->") <= 1
    by_id = {one.id: one.entry.text for one in given}
    entries = parse_block(done.text)
    assert len(entries) == len(done.kept)
    for id, entry in zip(done.kept, entries, strict=True):
        assert entry.text == by_id[id] or by_id[id].startswith(entry.text.removesuffix(ELLIPSIS))


@steady
@given(slots, policies, st.integers(0, 3))
def test_the_newest_are_dropped_last(given: list[BlockSlot], asked: BudgetPolicy, ids: int) -> None:
    done = fit_budget(given, asked, ids_in_comment=ids)
    ordinary = sorted((one for one in given if not one.pinned), key=lambda one: (-one.created_at, one.id))
    newest = {one.id for one in ordinary[: asked.min_recent_slots]}
    others = {one.id for one in given if not one.pinned} - newest
    assert done.min_recent_slots_honored == (newest <= set(done.kept))
    if newest & set(done.dropped):
        assert not others & set(done.kept)
    assert fit_budget(given, asked, ids_in_comment=ids) == done


@each_case("action", ["truncate_oldest", "truncate_tail"])
def test_very_long_memories_are_truncated(action: str) -> None:
    given = [slot(str(number), "&" * 100_000, number) for number in range(6)]
    assert len(fit_budget(given, policy(1800, 5, action)).text) <= 1800
