"""Public sets as the benchmarks beside the product read them: by the product's own readers."""

from collections.abc import Iterator
from pathlib import Path

from satchel.interfaces.bench.formats import read_set
from satchel.interfaces.bench.sets import BenchmarkSet, Level


def read(format: str, file: Path) -> BenchmarkSet:
    """Return the set that a file of this format holds, by turns."""
    return read_set(format, _chunks(file), Level.TURN)


def _chunks(file: Path) -> Iterator[bytes]:
    yield file.read_bytes()
