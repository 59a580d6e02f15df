"""Tables as OpenClaw's memory plugins keep them, made with LanceDB itself."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa

Row = Mapping[str, Any]

PLAIN = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("vector", pa.list_(pa.float32(), 4)),
        ("importance", pa.float64()),
        ("category", pa.string()),
        ("createdAt", pa.float64()),
    ]
)
"""The columns of memory-lancedb."""
GOVERNED = pa.schema([*PLAIN, ("importance_label", pa.string()), ("scope", pa.string()), ("trust_tier", pa.string())])
"""The columns of an engine that grades."""
TABLE = "memories"


def row(id: str, text: str, **values: Any) -> Row:
    """Return a row without governance."""
    return {"id": id, "text": text, "vector": [0.5, 0.25, 0.125, 1.0], "createdAt": 1_700_000_000_000.0} | values


def make_table(folder: Path, rows: Sequence[Row], schema: pa.Schema = GOVERNED, name: str = TABLE) -> Any:
    """Make a table with LanceDB and return it."""
    return lancedb.connect(str(folder)).create_table(name, pa.Table.from_pylist([dict(one) for one in rows], schema))


def read_table(folder: Path, name: str = TABLE) -> dict[str, Row]:
    """Return the rows of a table by id, as LanceDB reads them."""
    return {one["id"]: one for one in lancedb.connect(str(folder)).open_table(name).to_arrow().to_pylist()}
