"""A long passage is as relevant as its closest sentence, under its heading; code is read by its comments."""

from array import array
from collections.abc import Sequence

from msgspec.structs import replace

from satchel.app import Satchel
from satchel.core.parts import Parts
from satchel.domain.document import DocKind
from satchel.domain.document_hits import DocHit
from satchel.domain.embedding import BUNDLED_MODEL, Vector
from satchel.domain.passage import PassageId
from satchel.wiring.sentence_rating import rate_by_sentences
from tests.tables import each_case

FILLER = "The boat leaves at noon and comes back late. Nobody has seen the heron since."
FOUND = ("vector",)


class Topics:
    """Implements ports.Embedder: a text points towards the topics it mentions, whatever its words. Calibrated as the default."""

    name = BUNDLED_MODEL
    dimensions = 3
    _topics = (("ring", "alarm"), ("siren", "horn"), ("boat", "heron"))

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text.lower()) for text in texts]

    def _vector(self, text: str) -> Vector:
        found = [float(sum(word in text for word in topic)) for topic in self._topics]
        length = sum(one * one for one in found) ** 0.5 or 1.0
        return array("f", [one / length for one in found])


def _parts(memory: Satchel) -> Parts:
    return replace(memory.parts, embedder=lambda name: Topics())


def _hit(text: str, heading: str = "", kind: DocKind = DocKind.MARKDOWN, match: tuple[str, ...] = FOUND) -> DocHit:
    headings = (heading,) if heading else ()
    place = ("doc:c:a.md#1", "a.md", "c", "a.md", kind, "A", headings, 1, 9, text, "global", 1, 1.0, (), 0.05, match, 1)
    return DocHit(PassageId("p1"), *place)


@each_case(
    "hit, is_closer",
    [
        (_hit(f"{FILLER} The alarm goes off for three minutes."), True),
        (_hit(FILLER), False),
        (_hit(f"{FILLER} It goes off for three minutes, the alarm.", match=("lexical",)), False),
        (_hit('def sound():\n    """Let the alarm go off until noon."""\n', kind=DocKind.CODE), True),
        (_hit("alarm = alarm_of(alarm, other_alarm_of_boats)\n", kind=DocKind.CODE), False),
    ],
    ids=str,
)
def test_a_passage_is_as_relevant_as_its_closest_sentence(memory: Satchel, hit: DocHit, is_closer: bool) -> None:
    [rated] = rate_by_sentences(_parts(memory), "does it ring", [hit])

    assert (rated.relevance > hit.relevance) is is_closer


def test_a_sentence_is_also_read_under_its_heading(memory: Satchel) -> None:
    text = "It alarms people for forty minutes on its battery."
    rated = {
        heading: rate_by_sentences(_parts(memory), "ringing siren", [_hit(text, heading)])[0].relevance
        for heading in ("", "Boats", "Sirens")
    }

    assert rated["Sirens"] > rated[""] == rated["Boats"]


def test_without_a_calibrated_model_nothing_changes(memory: Satchel) -> None:
    hits = [_hit(f"{FILLER} The alarm goes off for three minutes.")]

    assert rate_by_sentences(memory.parts, "does it ring", hits) == hits
    assert rate_by_sentences(_parts(memory), "does it ring", []) == []
