"""Choosing: budget, decisions, rules."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.policies import PackPolicy
from satchel.domain.tokens import estimate_tokens
from satchel.packing.bundle import render_bundle
from satchel.packing.choose import PackLimits, choose
from satchel.packing.values import Layer, Offer, OfferSource, PackDecision
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)
words = st.sampled_from(["alpha", "beta.", "我们部署", "x" * 60, "\n", "<b>", "9.5", "ünter!", "😀"])
texts = st.lists(words, min_size=1, max_size=60).map(" ".join) | st.text(max_size=80)
offers = st.lists(
    st.builds(
        Offer,
        ref=st.uuids().map(str),
        id=st.uuids().map(str),
        source=st.sampled_from(list(OfferSource)),
        type=st.just("memory"),
        text=texts,
        relevance=st.floats(0, 1),
        head=st.sampled_from(["", "fact", "Ann"]),
        kind=st.sampled_from(["", "preference", "decision", "episode", "fact"]),
        label=st.sampled_from(["must_remember", "nice_to_have", "unknown", "ignore"]),
        trust=st.sampled_from(["trusted", "untrusted", "unknown", "quarantined"]),
        at=st.none() | st.integers(0, 10**13),
        dissent=st.booleans(),
    ),
    max_size=30,
)


def limits(budget: int = 400, items: int = 20, tail: int | None = None, **policy: Any) -> PackLimits:
    return PackLimits(budget, items, budget // 3 if tail is None else tail, PackPolicy(**policy))


def chosen(*found: Offer, terms: frozenset[str] = frozenset(), **given: Any) -> list[PackDecision]:
    return choose(found, terms, limits(**given), estimate_tokens, lambda text: text)


def offer(
    name: str, text: str = "", relevance: float = 0.5, source: OfferSource = OfferSource.MEMORIES, **more: Any
) -> Offer:
    given = {"head": "fact", "worth": relevance, **more}
    return Offer(f"mem:{name}", name, source, "memory", text or f"the text of {name}", relevance, **given)


def names(decisions: list[PackDecision], *, included: bool = True) -> list[str]:
    return [one.offer.id for one in decisions if one.included is included]


def reason(decisions: list[PackDecision], name: str) -> tuple[str, ...]:
    return next(one.reasons for one in decisions if one.offer.id == name)


@steady
@given(offers, st.integers(1, 600), st.integers(1, 20), st.integers(0, 300))
def test_the_budget_is_never_exceeded_and_every_offer_has_a_decision(
    found: list[Offer], budget: int, items: int, tail: int
) -> None:
    decisions = choose(found, frozenset({"alpha"}), limits(budget, items, tail), estimate_tokens, lambda text: text)
    bundle = render_bundle([one for one in decisions if one.included])

    assert estimate_tokens(bundle) <= budget or not bundle
    assert sorted(one.offer.id for one in decisions) == sorted(one.id for one in found)
    assert all(one.reasons and one.rationale for one in decisions)
    assert sum(one.included and one.offer.source is not OfferSource.TAIL for one in decisions) <= items
    assert not any(
        one.included and one.offer.trust == "quarantined" and one.offer.source is not OfferSource.TAIL
        for one in decisions
    )


@steady
@given(offers, st.randoms(use_true_random=False))
def test_the_choice_does_not_depend_on_the_order_of_lanes(found: list[Offer], chance: Any) -> None:
    state = [one for one in found if one.source is not OfferSource.TAIL]
    mixed = list(state)
    chance.shuffle(mixed)

    assert names(chosen(*state)) == names(chosen(*mixed))


def test_an_inconsistent_token_counter_does_not_break_the_budget() -> None:
    decisions = choose(
        [offer(str(number)) for number in range(9)],
        frozenset(),
        limits(300),
        lambda text: estimate_tokens(text) * (3 if text.startswith("<") else 1),
        lambda text: text,
    )

    assert estimate_tokens(render_bundle([one for one in decisions if one.included])) * 3 <= 300


def test_relevant_and_important_offers_come_first() -> None:
    decisions = chosen(
        offer("weak", relevance=0.1),
        offer("must", relevance=0.55, label="must_remember"),
        offer("good", relevance=0.6),
        items=1,
    )

    assert names(decisions) == ["must"]
    assert reason(decisions, "weak") == ("relevance_too_low",) and reason(decisions, "good") == ("max_items_reached",)


def test_rules_need_less_relevance() -> None:
    decisions = chosen(
        offer("best", relevance=0.9), offer("rule", relevance=0.12, kind="preference"), offer("note", relevance=0.12)
    )

    assert set(names(decisions)) == {"best", "rule"}


def test_without_a_very_relevant_offer_near_best_ones_are_included() -> None:
    decisions = chosen(offer("best", relevance=0.15), offer("near", relevance=0.07), offer("far", relevance=0.04))

    assert set(names(decisions)) == {"best", "near"}


def test_a_summary_replaces_its_sources() -> None:
    decisions = chosen(
        offer("summary", "in short", rests_on=("raw",)), offer("raw", "at length", 0.9, OfferSource.EPISODES)
    )

    assert names(decisions) == ["summary"] and reason(decisions, "raw") == ("covered",)


def test_duplicates_from_two_lanes_are_included_once() -> None:
    decisions = chosen(
        offer("memory", "We ship on Thursdays."), offer("episode", "we ship on thursdays", 0.9, OfferSource.EPISODES)
    )

    assert names(decisions) == ["memory"] and reason(decisions, "episode") == ("duplicate",)


def test_the_newest_turns_come_before_anything_else() -> None:
    turns = [offer(f"turn {number}", f"turn number {number}", 1.0, OfferSource.TAIL) for number in range(6)]
    decisions = chosen(*turns, *(offer(str(number), "x " * 60) for number in range(9)), budget=300, tail=120)

    assert names(decisions)[-4:] == ["turn 2", "turn 3", "turn 4", "turn 5"]
    assert reason(decisions, "turn 5")[0] == "protected_tail" and reason(decisions, "turn 0") == ("max_items_reached",)


def test_without_a_tail_budget_turns_are_excluded_with_a_reason() -> None:
    assert reason(chosen(offer("turn", source=OfferSource.TAIL), tail=0), "turn") == ("tail_budget_disabled",)
    assert reason(chosen(offer("turn", "x " * 50, 1.0, OfferSource.TAIL), tail=5), "turn") == (
        "tail_budget_tokens_exceeded",
    )


def test_dissent_has_a_reserved_place() -> None:
    agreeing = [offer(str(number), f"agreeing text {number}", 0.9) for number in range(9)]
    decisions = chosen(*agreeing, offer("against", "but it failed in May", 0.3, dissent=True), items=3)

    assert "against" in names(decisions)


def test_knowledge_leaves_room_for_evidence_and_gets_the_rest_back() -> None:
    state = [offer(f"m{number}", f"memory {number} " * 8, 0.9) for number in range(15)]
    evidence = [offer(f"e{number}", f"evidence {number} " * 8, 0.2, OfferSource.EPISODES) for number in range(15)]
    mixed = names(chosen(*state, *evidence, budget=500))

    assert any(name.startswith("e") for name in mixed)
    assert len(names(chosen(*state, budget=500))) > sum(name.startswith("m") for name in mixed)


def test_full_texts_are_capped_and_the_cap_is_reported() -> None:
    long = "First. " + "The middle is long and goes on. " * 12 + "Last."
    decisions = chosen(*(offer(str(number), f"{number} {long}") for number in range(4)), budget=3_000, max_l2_items=2)

    assert [one.layer for one in decisions].count(Layer.DETAIL) == 2
    assert sum(one.l2_cap_hit for one in decisions) == 2


@each_case(
    ("given", "rule"),
    [
        ({"label": "nice_to_have"}, "nice_cap_reached"),
        ({"kind": "episode"}, "quota_event_capped"),
    ],
)
def test_nice_to_have_items_and_events_are_capped(given: dict[str, Any], rule: str) -> None:
    many = [offer(str(number), **given) for number in range(12)]
    decisions = chosen(*many, budget=2_000, nice_cap=3, max_state_lines=10)

    assert next(one.reasons for one in decisions if not one.included) == (rule,)
    assert any(one.nice_cap_hit for one in decisions) is (rule == "nice_cap_reached")


def test_secrets_are_masked_before_tokens_are_counted() -> None:
    [decision] = choose(
        [offer("a", "the key is 123")], frozenset(), limits(), estimate_tokens, lambda text: text.replace("123", "[…]")
    )

    assert decision.text == "the key is […]"


def test_episodes_are_excluded_if_none_is_relevant() -> None:
    told = [
        offer("near", relevance=0.3, source=OfferSource.EPISODES),
        offer("beside", relevance=0.001, source=OfferSource.EPISODES),
    ]

    assert set(names(chosen(*told))) == {"near", "beside"}
    assert names(chosen(told[1])) == [] and reason(chosen(told[1]), "beside") == ("relevance_too_low",)


def test_turns_of_a_named_speaker_need_no_shared_words() -> None:
    named = offer("hers", relevance=0.001, source=OfferSource.EPISODES, named=True)
    other = offer("his", relevance=0.001, source=OfferSource.EPISODES)

    assert set(names(chosen(named, other))) == {"hers", "his"}


def test_only_documents_near_the_best_relevance_are_included() -> None:
    pieces = [
        offer("best", relevance=0.6, source=OfferSource.DOCUMENTS),
        offer("far", relevance=0.1, source=OfferSource.DOCUMENTS),
    ]

    assert names(chosen(*pieces)) == ["best"]


def test_evidence_without_room_is_excluded_with_a_reason() -> None:
    turns = [offer(f"e{number}", f"evidence {number} " * 20, 0.9, OfferSource.EPISODES) for number in range(9)]
    decisions = chosen(*turns, budget=150)

    assert {reason(decisions, name) for name in names(decisions, included=False)} == {("budget_tokens_exceeded",)}


def test_long_evidence_in_full_is_capped_and_the_cap_is_reported() -> None:
    long = "First. " + " ".join(f"Part {number} is about the {number}th bridge and goes on." for number in range(14))
    turns = [offer(f"e{number}", f"Day {number}. {long}", 0.9, OfferSource.EPISODES) for number in range(3)]
    decisions = chosen(*turns, budget=3_000, max_l2_items=1)

    assert sorted((one.layer, one.l2_cap_hit) for one in decisions) == [
        (Layer.OVERVIEW, True),
        (Layer.OVERVIEW, True),
        (Layer.DETAIL, False),
    ]
    assert [one.text == one.offer.text for one in decisions].count(True) == 1


def test_turns_of_a_day_are_in_the_order_they_were_said() -> None:
    turns = [
        offer(name, f"{name} was said", 0.9, OfferSource.EPISODES, at=5, session="s", position=place)
        for name, place in (("third", 3), ("first", 1), ("second", 2))
    ]

    assert names(chosen(*turns)) == ["first", "second", "third"]
