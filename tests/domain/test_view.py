"""Which records a request may see."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import LIVE_STATES, RULES, View, admin_view, held_out_by, is_unusual, without_quarantined
from tests.tables import each_case

steady = settings(max_examples=250, deadline=None, derandomize=True)

NOW = 1_000
SCOPES = ["global", "team", "team:a"]
VIEW = View(Reach(("global",)), NOW)
SEEN = Memory(MemoryId("m"), "text", "global", created_at=1, updated_at=1, trust=Trust.TRUSTED)

dates = st.none() | st.integers(min_value=NOW - 2, max_value=NOW + 2)
memories = st.builds(
    Memory,
    id=st.just(MemoryId("m")),
    text=st.just("text"),
    scope=st.sampled_from(SCOPES),
    created_at=st.just(1),
    updated_at=st.just(1),
    kind=st.sampled_from(Kind),
    label=st.sampled_from(Label),
    trust=st.sampled_from(Trust),
    state=st.sampled_from(State),
    valid_from=dates,
    valid_to=dates,
    media_refs=st.sampled_from([(), ("a.jpg",), ("a.jpg", "b.mp3")]),
)
reaches = st.just(EVERYWHERE) | st.lists(st.sampled_from(SCOPES), min_size=1, unique=True).map(
    lambda scopes: Reach(tuple(scopes))
)
views = st.builds(
    View,
    reach=reaches,
    now=st.just(NOW),
    states=st.just(LIVE_STATES) | st.lists(st.sampled_from(State), unique=True).map(tuple),
    trusts=st.lists(st.sampled_from(Trust), unique=True).map(tuple),
    kinds=st.lists(st.sampled_from(Kind), unique=True, max_size=3).map(tuple),
    labels=st.lists(st.sampled_from(Label), unique=True, max_size=3).map(tuple),
    media=st.sampled_from([None, "any", "image", "audio", "other"]),
    timeless=st.booleans(),
)


@each_case(
    ("memory", "rule"),
    [
        (SEEN, None),
        (replace(SEEN, scope="team"), "scope"),
        (replace(SEEN, scope="global:x"), "scope"),
        (replace(SEEN, trust=Trust.UNTRUSTED), None),
        (replace(SEEN, trust=Trust.QUARANTINED), "trust"),
        (replace(SEEN, state=State.ARCHIVED), "state"),
        (replace(SEEN, state=State.RETIRED), "state"),
        (replace(SEEN, valid_from=NOW), None),
        (replace(SEEN, valid_from=NOW + 1), "not_yet_valid"),
        (replace(SEEN, valid_to=NOW + 1), None),
        (replace(SEEN, valid_to=NOW), "expired"),
    ],
)
def test_exactly_the_records_that_break_a_rule_are_held_out(memory: Memory, rule: str | None) -> None:
    assert held_out_by(memory, VIEW) == rule


def test_a_recall_sees_every_state_of_a_living_record() -> None:
    seen = [state for state in State if held_out_by(replace(SEEN, state=state), VIEW) is None]
    assert seen == [State.CAPTURED, State.CATEGORIZED, State.ACTIVE, State.CONSOLIDATED, State.STALE]


def test_kinds_are_held_out_only_when_kinds_are_named() -> None:
    only_todos = replace(VIEW, kinds=(Kind.TODO,))
    assert {kind for kind in Kind if held_out_by(replace(SEEN, kind=kind), only_todos) is None} == {Kind.TODO}
    assert held_out_by(SEEN, only_todos) == "kind"
    assert all(held_out_by(replace(SEEN, kind=kind), VIEW) is None for kind in Kind)


def test_labels_are_held_out_only_when_labels_are_named() -> None:
    graded = replace(VIEW, labels=(Label.MUST_REMEMBER, Label.NICE_TO_HAVE))
    admitted = {label for label in Label if held_out_by(replace(SEEN, label=label), graded) is None}
    assert admitted == {Label.MUST_REMEMBER, Label.NICE_TO_HAVE}
    assert held_out_by(SEEN, graded) == "label"
    assert all(held_out_by(replace(SEEN, label=label), VIEW) is None for label in Label)


def test_a_view_without_tiers_or_states_sees_nothing() -> None:
    assert held_out_by(SEEN, replace(VIEW, trusts=())) == "trust"
    assert held_out_by(SEEN, replace(VIEW, states=())) == "state"


def test_the_rules_have_names_and_scope_is_first() -> None:
    assert [name for name, _ in RULES] == [
        "scope",
        "trust",
        "state",
        "not_yet_valid",
        "expired",
        "kind",
        "label",
        "media",
    ]


@steady
@given(memories, views)
def test_a_record_out_of_reach_is_always_held_out_by_scope(memory: Memory, view: View) -> None:
    out_of_reach = not view.reach.everywhere and memory.scope not in view.reach.scopes
    assert (held_out_by(memory, view) == "scope") == out_of_reach


@steady
@given(memories, views)
def test_the_first_broken_rule_is_returned(memory: Memory, view: View) -> None:
    broken = [
        (not view.reach.everywhere and memory.scope not in view.reach.scopes, "scope"),
        (memory.trust not in view.trusts, "trust"),
        (memory.state not in view.states, "state"),
        (not view.timeless and memory.valid_from is not None and memory.valid_from > view.now, "not_yet_valid"),
        (not view.timeless and memory.valid_to is not None and memory.valid_to <= view.now, "expired"),
        (bool(view.kinds) and memory.kind not in view.kinds, "kind"),
        (bool(view.labels) and memory.label not in view.labels, "label"),
        (view.media == "any" and not memory.media_refs, "media"),
        (view.media == "image" and "a.jpg" not in memory.media_refs, "media"),
        (view.media == "audio" and "b.mp3" not in memory.media_refs, "media"),
        (view.media == "other", "media"),
    ]
    assert held_out_by(memory, view) == next((name for is_broken, name in broken if is_broken), None)


@steady
@given(memories, reaches)
def test_the_administrator_sees_everything_within_reach(memory: Memory, reach: Reach) -> None:
    assert held_out_by(memory, admin_view(reach, NOW)) == (None if reach.admits(memory.scope) else "scope")


@each_case(
    ("memory", "unusual"),
    [
        (SEEN, False),
        (replace(SEEN, trust=Trust.UNTRUSTED), False),
        (replace(SEEN, trust=Trust.QUARANTINED), True),
        (replace(SEEN, state=State.RETIRED), True),
        (replace(SEEN, state=State.STALE), False),
        (replace(SEEN, valid_from=0), True),
        (replace(SEEN, valid_to=0), True),
    ],
)
def test_a_record_that_a_default_view_can_exclude_is_unusual(memory: Memory, unusual: bool) -> None:
    assert is_unusual(memory) is unusual


def test_a_view_for_a_prompt_has_no_quarantined_records() -> None:
    everything = admin_view(EVERYWHERE, NOW)
    assert without_quarantined(everything) == replace(everything, trusts=(Trust.TRUSTED, Trust.UNTRUSTED))


def test_only_the_administrator_sees_without_time() -> None:
    expired = replace(SEEN, valid_to=NOW)
    assert held_out_by(expired, View(EVERYWHERE, NOW)) == "expired"
    assert held_out_by(expired, admin_view(EVERYWHERE, NOW)) is None
