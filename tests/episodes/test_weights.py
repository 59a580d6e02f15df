"""Weights of the episode search."""

import pytest

from satchel.app import Satchel
from satchel.recall.episodes import EPISODE_WEIGHTS, EpisodeWeights

TURNS = [
    {"text": "Where did you go on holiday?", "session": "spring", "speaker": "Ann", "role": "user", "id": "a"},
    {"text": "To Lisbon, with my sister.", "session": "spring", "speaker": "Ben", "role": "assistant", "id": "b"},
    {"text": "A holiday is too long for me.", "session": "autumn", "speaker": "Ben", "role": "assistant", "id": "c"},
]


@pytest.fixture
def kept(memory: Satchel) -> Satchel:
    memory.episodes.add(TURNS)
    return memory


def parts(memory: Satchel, weights: EpisodeWeights) -> dict[str, dict[str, float]]:
    """Return the contributions of each found turn by ingredient."""
    memory.episodes.weights = weights
    hits = memory.episodes.search("where did Ben go on holiday?", mode="lexical").result.hits
    return {str(hit.ref): {part.name: part.value for part in hit.contributions} for hit in hits}


def test_all_ingredients_count_by_default(kept: Satchel) -> None:
    assert kept.episodes.weights == EPISODE_WEIGHTS == EpisodeWeights()
    assert parts(kept, EpisodeWeights())["b"]["neighbours"] > 0


def test_without_lending_only_turns_with_a_query_word_are_found(kept: Satchel) -> None:
    assert set(parts(kept, EpisodeWeights(neighbour_shares=()))) == {"a", "c"}


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("speaker", EpisodeWeights(speaker=0.0)),
        ("session", EpisodeWeights(session=0.0)),
        ("question", EpisodeWeights(question=0.0)),
    ],
)
def test_an_ingredient_with_weight_zero_changes_no_score(kept: Satchel, name: str, weights: EpisodeWeights) -> None:
    with_it, without = parts(kept, EpisodeWeights()), parts(kept, weights)

    assert any(found.get(name) for found in with_it.values())
    assert not any(found.get(name) for found in without.values())


def test_without_length_weighting_long_turns_are_lent_as_much(kept: Satchel) -> None:
    whole, blind = parts(kept, EpisodeWeights()), parts(kept, EpisodeWeights(half_share_words=1e9))

    assert blind["b"]["neighbours"] > whole["b"]["neighbours"]


def test_words_count_half_in_a_turn_of_a_thousand_words(memory: Satchel) -> None:
    memory.episodes.add([{"text": "kiln " + "clay " * 999, "session": "spring", "id": "long"}])

    def score(weights: EpisodeWeights) -> float:
        memory.episodes.weights = weights
        (hit,) = memory.episodes.search("kiln", mode="lexical").result.hits
        return hit.contributions[0].raw

    assert score(EpisodeWeights()) == pytest.approx(score(EpisodeWeights(half_match_words=1e9)) / 2, rel=1e-3)


def test_question_phrases_can_be_kept_in_the_query(kept: Satchel) -> None:
    kept.episodes.weights = EpisodeWeights(stop_phrases=False)
    told = kept.episodes.search("can you remind me of the holiday?", mode="lexical").receipt.decided["prepared"]

    assert isinstance(told, dict) and told["stop_phrases"] == []
