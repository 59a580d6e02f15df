"""What differs between the datasets that follow the ledger: their columns, their indexes, and how a batch is written."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import lance
import pyarrow as pa
from msgspec import Struct

Item = TypeVar("Item")


class Layout(Struct, Generic[Item], frozen=True):
    """One dataset: its name, and how items of the feed become its rows."""

    name: str
    format: str
    """Changes when an older dataset can no longer be used as it is."""
    record: str
    """The column that names the record a row belongs to."""
    schema: Callable[[int], pa.Schema]
    """Returns the columns for vectors of a length."""
    apply: Callable[[lance.LanceDataset, Sequence[Item], int], None]
    """Writes a batch of the feed, given the length of a vector."""
    scalar: Mapping[str, str]
    full_text: Mapping[str, Mapping[str, Any]] = {}
