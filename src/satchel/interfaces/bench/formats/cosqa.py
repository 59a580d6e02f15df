"""CoSQA: what people ask of a search engine, and the Python function that answers it. One corpus for all."""

from msgspec import Struct

from satchel.interfaces.bench.formats.reading import corpus, not_of_format, only_turns, shaped
from satchel.interfaces.bench.sets import BenchmarkSet, Lane, Level, Question, Unit

NAME = "cosqa"


class Asked(Struct):
    """What is read of a question. Its gold is a place in the corpus."""

    idx: int | str
    query: str
    gold: int


class File(Struct):
    """What is read of a file."""

    queries: list[Asked]
    corpus: list[str]


def read(data: bytes, level: Level) -> BenchmarkSet:
    """Return the functions of a file and the questions about them."""
    only_turns(level, NAME)
    file = shaped(data, File, NAME)
    for one in file.queries:
        if not 0 <= one.gold < len(file.corpus):
            raise not_of_format(NAME, f"the gold of {one.idx} is {one.gold}, of {len(file.corpus)} functions")
    units = [Unit(str(place), code, language="python") for place, code in enumerate(file.corpus)]
    questions = [Question(str(one.idx), one.query, "code", (str(one.gold),)) for one in file.queries]
    return BenchmarkSet(NAME, level, Lane.DOCUMENTS, (corpus("the corpus", units, questions),))
