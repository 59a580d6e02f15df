"""Questions that want an explanation, a relation or something named: which text answers them, and how well."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.app import Satchel
from satchel.domain.routing import RouterEnvelope
from tests.tables import each_case

FILES = {
    "docs/ovens.md": "# The ovens\n\nThe ovens are lit at three. Each of them holds forty trays, and nobody opens them "
    "before the bell. To undo a wrong batch, take the trays out and let the dough rest for an hour. The flour comes from the "
    "mill by the river, twice a week. Salt is kept dry in the cellar, next to the sugar.\n",
    "docs/returns.md": "# Returns\n\nBread that was not sold goes to the shelter at eight.\n",
    "shop/ovens.py": '"""The ovens."""\n\n\nclass OvenPark:\n    """Lights the ovens."""\n',
    "shop/till.py": '"""Takes money."""\n\n\nclass TillRoll:\n    """What the till printed."""\n',
}


def fill(memory: Satchel, tmp_path: Path) -> Satchel:
    for path, text in FILES.items():
        place = tmp_path / "files" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    memory.documents.ingest(str(tmp_path / "files"))
    memory.graph.extract(str(tmp_path / "files"))
    return memory


@pytest.fixture
def stocked(memory: Satchel, tmp_path: Path) -> Satchel:
    return fill(memory, tmp_path)


def route(store: Satchel, query: str) -> RouterEnvelope:
    return store.routing.route(query).result


@each_case("query", ["how do the ovens work", "explain the ovens", "what is the strategy for ovens"])
def test_prose_explains_before_code_that_matches_as_well(stocked: Satchel, query: str) -> None:
    found = route(stocked, query)

    assert found.results[0].path
    assert found.results[0].path.endswith("docs/ovens.md")
    assert found.status.value == "success"


def test_a_title_in_the_question_makes_its_text_a_good_match(stocked: Satchel) -> None:
    found = route(stocked, "how do returns work")

    assert found.results[0].path
    assert found.results[0].path.endswith("docs/returns.md")
    assert found.status.value == "success"


def test_a_sentence_of_a_long_passage_can_answer(memory: Satchel, tmp_path: Path, encoder: OnnxEncoder) -> None:
    store = fill(Satchel(replace(memory.parts, embedder=lambda wanted: encoder)), tmp_path)
    store.maintenance.index_build()
    asked = "explain how to correct a bad batch of dough"
    passage = next(one for one in store.documents.search(asked, mode="vsearch").result.hits if "undo" in one.text)
    routed = next(one for one in route(store, asked).results if "undo" in one.content)

    assert routed.relevance > passage.relevance


@each_case(
    "query",
    [
        "how does OvenPark relate to TillRoll",
        "relationship between OvenPark and MissingThing",
        "path between OvenPark and zebra",
        "trace from OvenPark to zebra",
    ],
)
def test_a_text_that_names_only_one_of_two_things_does_not_relate_them(stocked: Satchel, query: str) -> None:
    assert route(stocked, query).status.value in ("partial", "empty")


@each_case("query", ["did we decide to light the ovens", "what did we decide about OvenPark"])
def test_code_states_no_decision(stocked: Satchel, query: str) -> None:
    assert route(stocked, query).status.value in ("partial", "empty")


def test_a_question_for_a_measure_is_answered_by_the_best_match_not_by_a_document(stocked: Satchel) -> None:
    stocked.store("The ovens are 80 cm deep.")

    assert route(stocked, "how deep are the ovens").results[0].path is None
