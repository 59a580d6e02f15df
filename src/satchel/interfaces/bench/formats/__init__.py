"""The public formats that the benchmark reads: one module each, all into the same values."""

from collections.abc import Callable, Iterable

from satchel.errors import InvalidRequest
from satchel.interfaces.bench.formats import beam, cosqa, locomo, longmemeval
from satchel.interfaces.bench.formats.reading import unpacked
from satchel.interfaces.bench.sets import BenchmarkSet, Level

READERS: dict[str, Callable[[bytes, Level], BenchmarkSet]] = {
    one.NAME: one.read for one in (locomo, longmemeval, beam, cosqa)
}


def read_set(name: str, chunks: Iterable[bytes], level: Level) -> BenchmarkSet:
    """Return the set that a file of this format holds. One without a single scored question measures nothing."""
    found = READERS[name](unpacked(chunks), level)
    if not found.corpora:
        raise InvalidRequest(f"the file of the format {name!r} has no conversation", code="empty_conversation")
    if not any(question.gold for corpus in found.corpora for question in corpus.questions):
        raise InvalidRequest(
            f"no question of the file says what answers it at the level of the {level}", code="missing_gold"
        )
    return found
