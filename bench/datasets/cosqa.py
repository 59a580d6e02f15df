"""CoSQA: web queries and the Python function that answers each. One corpus for all."""

from msgspec import Struct

from bench.datasets.dataset import Dataset, Lane, Level, Question, Unit
from bench.datasets.reading import corpus, not_of_format, only_turns, shaped

NAME = "cosqa"


class CosqaQuestion(Struct):
    """The fields of a question that are used. Its gold is an index into the corpus."""

    idx: int | str
    query: str
    gold: int


class CosqaFile(Struct):
    """The fields of a file that are used."""

    queries: list[CosqaQuestion]
    corpus: list[str]


def read(data: bytes, level: Level) -> Dataset:
    """Return the functions of a file and the questions about them."""
    only_turns(level, NAME)
    file = shaped(data, CosqaFile, NAME)
    for one in file.queries:
        if not 0 <= one.gold < len(file.corpus):
            raise not_of_format(
                NAME, f"the gold of {one.idx} is {one.gold}, but there are {len(file.corpus)} functions"
            )
    units = [Unit(str(place), code, language="python") for place, code in enumerate(file.corpus)]
    questions = [Question(str(one.idx), one.query, "code", (str(one.gold),)) for one in file.queries]
    return Dataset(NAME, level, Lane.DOCUMENTS, (corpus("the corpus", units, questions),))
