"""Ablation of the episode search: every question is asked again with one ingredient left out."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.datasets import load_turns
from bench.datasets.dataset import Corpus, Dataset, Level
from bench.embedding import load_embedder
from bench.haystack import Episodes, scratch
from bench.metrics import Ranking, by_category, figures
from bench.progress import say
from bench.report.results import Result, machine
from bench.retrieval import ranked_for
from satchel.config import load
from satchel.interfaces.serialization import to_json
from satchel.ports import Embedder
from satchel.recall.episodes import EpisodeWeights
from satchel.recall.request import Mode

NOTHING = "nothing"
LEFT_OUT: dict[str, EpisodeWeights] = {
    NOTHING: EpisodeWeights(),
    "neighbours, by word": EpisodeWeights(neighbour_shares=()),
    "neighbours, by meaning": EpisodeWeights(neighbour_cosines=(0.0, 0.0)),
    "regard to length when lending": EpisodeWeights(half_share_words=1e9),
    "regard to length when matching": EpisodeWeights(half_match_words=1e9),
    "speaker, asker and assistant": EpisodeWeights(speaker=0.0, person=0.0),
    "session": EpisodeWeights(session=0.0),
    "penalty for turns that ask": EpisodeWeights(question=0.0),
    "answers after a question": EpisodeWeights(answer=0.0),
    "time and period": EpisodeWeights(time=0.0, period=0.0),
    "lasting wishes": EpisodeWeights(wish=0.0),
    "spread over sessions": EpisodeWeights(spread=0.0),
    "stop phrases": EpisodeWeights(stop_phrases=False),
    "regard to what words cover": EpisodeWeights(lexical_share=0.5),
}
"""The weights of the search without each ingredient."""


def measure(files: Mapping[str, Path]) -> Result:
    """Ask every question of every dataset in hybrid mode, in full and without each ingredient."""
    where, embedder = machine(), load_embedder(load(), Mode.HYBRID, None, None)
    return {
        "machine": where,
        "sets": {name: _by_ingredient(load_turns(name, file), embedder) for name, file in files.items()},
    }


def _by_ingredient(found: Dataset, embedder: Embedder | None) -> Result:
    rankings: dict[str, list[Ranking]] = {name: [] for name in LEFT_OUT}
    for place, corpus in enumerate(found.corpora, start=1):
        say(f"{found.name}, {place} of {len(found.corpora)}")
        for name, ranking in _asked(corpus, embedder):
            rankings[name].append(ranking)
    return {name: _scored(several, found) for name, several in rankings.items()}


def _asked(corpus: Corpus, embedder: Embedder | None) -> Iterator[tuple[str, Ranking]]:
    with scratch(load(), embedder) as memory:
        haystack = Episodes(memory)
        haystack.load([unit for unit in corpus.units if unit.text.strip()], lambda *_: None)
        for name, weights in LEFT_OUT.items():
            memory.episodes.weights = weights
            for question in corpus.questions:
                if question.gold:
                    ranked = ranked_for(haystack, question, Mode.HYBRID, Level.TURN)
                    yield name, Ranking(question.category, tuple(ranked), question.gold)


def _scored(several: list[Ranking], found: Dataset) -> Result:
    whole = [one for one in several if one.category not in found.apart] or several
    return {"overall": to_json(figures(whole)), "categories": to_json(by_category(several))}
