"""Documents and memories by words and meaning: a model never pushes an exact answer down."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.domain.periods import Period
from satchel.domain.routing import BackendQuery
from satchel.recall.relevance import COMPLETE, hit_relevance
from satchel.routing.lanes import LaneHit, LaneResult, Lanes
from satchel.routing.qmd import answer_qmd, words_first
from satchel.routing.text_relevance import holds_all
from tests.faults.extent import extent
from tests.tables import each_case

WORDS = ("tide", "gauge", "siren", "dyke", "mast", "radar", "boat", "flood")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=8)
QUESTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True)
COSINES = st.lists(st.sampled_from([0.0, 0.4, 0.6, 0.9]), min_size=9, max_size=9)
SPACE = "satchel-encoder-2"


def _hits(question: Sequence[str], texts: Sequence[Sequence[str]], cosines: Sequence[float] | None) -> list[LaneHit]:
    """Return texts as a lane rates them: by words, or by words and these cosines."""
    near: Sequence[float | None] = cosines or [None] * len(texts)
    rated = [
        hit_relevance(question, frozenset(words), cosine, None if cosine is None else SPACE, {})
        for words, cosine in zip(texts, near, strict=False)
    ]
    found = [LaneHit(f"doc:{n}", " ".join(words), rated[n], 1) for n, words in enumerate(texts)]
    return sorted(found, key=lambda one: (-one.relevance, one.id))


def _lanes(by_words: Sequence[LaneHit], with_model: Sequence[LaneHit]) -> Lanes:
    def search(
        text: str, *, mode: str, limit: int, scope: str | None, period: Period | None = None, untrusted: bool = False
    ) -> LaneResult:
        return LaneResult(tuple(by_words if mode == "search" else with_model))

    def nothing(*_: object, **__: object) -> LaneResult:
        return LaneResult(())

    return Lanes(memories=search, recent=nothing)


def _asked(question: Sequence[str], mode: str) -> BackendQuery:
    return BackendQuery(" ".join(question), mode, 20, 0.0)


@settings(max_examples=extent(200, 1_000), deadline=None)
@given(QUESTIONS, TEXTS, COSINES, st.sampled_from(["vsearch", "query"]))
def test_a_model_never_puts_an_incomplete_text_before_a_complete_one(
    question: list[str], texts: list[list[str]], cosines: list[float], mode: str
) -> None:
    texts = [*texts, question]
    by_words, with_model = _hits(question, texts, None), _hits(question, texts, cosines)
    # The nearest need not include the complete one.
    seen = with_model if mode == "query" else with_model[:2]

    plain = answer_qmd(_asked(question, mode), _lanes(by_words, by_words)).results
    modelled = answer_qmd(_asked(question, mode), _lanes(by_words, seen)).results

    assert plain[0].relevance >= COMPLETE and holds_all(question, plain[0].content)
    assert holds_all(question, modelled[0].content)
    assert modelled[0].relevance >= plain[0].relevance


@settings(max_examples=extent(200, 1_000), deadline=None)
@given(QUESTIONS, TEXTS, COSINES)
def test_a_model_never_lowers_a_relevance(question: list[str], texts: list[list[str]], cosines: list[float]) -> None:
    by_words, with_model = _hits(question, texts, None), _hits(question, texts, cosines)

    plain = {one.id: one.relevance for one in words_first(by_words, " ".join(question))}

    assert all(one.relevance >= plain[one.id] for one in words_first(with_model, " ".join(question)))


def test_the_only_text_with_every_word_comes_first() -> None:
    exact = LaneHit("doc:1", "replace a gauge: mute it, swap the head", 0.6, 1)
    near = LaneHit("doc:2", "how gauges measure", 0.9, 1)

    assert words_first([near, exact], "replace gauge") == [exact, replace(near, relevance=0.6)]


def test_a_text_with_the_question_as_its_title_comes_first() -> None:
    other = LaneHit("doc:1", "the forecast did not run", 0.9, 1, title="The forecast did not run")
    titled = LaneHit("doc:2", "the forecast adds tide and surge", 0.6, 1, title="Forecast")

    assert [one.id for one in words_first([other, titled], "forecast")] == ["doc:2", "doc:1"]


@each_case(
    "query, first",
    [("how do I mute a gauge", "mem:1"), ("how does muting work", "doc:1"), ("muted gauges", "mem:1")],
    ids=str,
)
def test_an_explanation_comes_from_a_document_and_a_procedure_also_from_a_memory(query: str, first: str) -> None:
    document = LaneHit("doc:1", "grey ones stay on the map", 0.7, 1, path="docs/map.md")
    memory = LaneHit("mem:1", "to silence one: switch it off", 0.8, 1)
    lanes = _lanes([], [document, memory])

    assert answer_qmd(_asked([query], "query"), lanes).results[0].id == first


def test_what_is_only_faintly_near_is_not_returned() -> None:
    faint, shared = LaneHit("doc:1", "something else", 0.06, 1), LaneHit("doc:2", "a tide", 0.04, 1)
    lanes = _lanes([shared], [faint, shared])

    assert [one.id for one in answer_qmd(_asked(["tide"], "query"), lanes).results] == ["doc:2"]
    plausible = _lanes([shared], [replace(faint, relevance=0.2), shared])
    assert [one.id for one in answer_qmd(_asked(["tide"], "query"), plausible).results] == ["doc:1", "doc:2"]
