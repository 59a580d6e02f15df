"""The Lance table `memories`: its columns, and memories as rows."""

from array import array
from collections.abc import Callable, Mapping, Sequence

import lance
import pyarrow as pa
from msgspec.structs import replace

from satchel.adapters.lance import codes
from satchel.adapters.lance.codes import CodedRow
from satchel.adapters.lance.dataset import Layout, purge
from satchel.adapters.lance.folder import DatasetFolder
from satchel.adapters.lance.where import one_of
from satchel.domain.embedding import Vector
from satchel.domain.media import media_kind
from satchel.domain.view import is_unusual
from satchel.domain.words import MAX_TERM_CHARS, search_text
from satchel.ports import FeedItem

# Lance counts bytes; a character has up to four.
_TEXT_INDEX = {"base_tokenizer": "icu", "language": "English", "stem": True, "max_token_length": 4 * MAX_TERM_CHARS + 1}
_TERMS_INDEX = {
    "base_tokenizer": "simple",
    "language": "English",
    "stem": True,
    "max_token_length": 4 * MAX_TERM_CHARS + 1,
}
_BITMAPS = ("importance_label", "kind", "trust_tier", "state", "unusual")
# What no search of Satchel reads: for people who open the table with LanceDB.
_FOR_LANCEDB = frozenset({"text", "vector", "createdAt", "category", "importance", "source_kind", "source_ref", "lang"})
# Beyond this number of rows, merging is not slower than looking for each.
MAX_APPENDED = 200
KEY_BYTES, _ROW_BYTES = 16, 6
_SCALAR = {"id": "BTREE", "scope": "BTREE", **dict.fromkeys(_BITMAPS, "BITMAP")}


def table_schema(dimensions: int) -> pa.Schema:
    """Return the columns of a table that Satchel alone searches."""
    return pa.schema([field for field in lancedb_schema(dimensions) if field.name not in _FOR_LANCEDB])


def lancedb_schema(dimensions: int) -> pa.Schema:
    """Return all columns, for a number of dimensions."""
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            _searchable("text"),
            # The segmented text, so that the index and the ledger find the same records.
            _searchable("terms"),
            pa.field("vector", pa.list_(pa.float32(), dimensions)),
            # Where the ledger keeps it, and the beginning of its hash: all that a search reads, in one column, since
            # Lance takes most of the time for the columns of the found rows.
            pa.field("ledger_key", pa.binary(KEY_BYTES), nullable=False),
            pa.field("createdAt", pa.int64(), nullable=False),
            pa.field("category", pa.string(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("importance", pa.float32()),
            pa.field("importance_label", pa.string(), nullable=False),
            pa.field("scope", pa.string(), nullable=False),
            pa.field("trust_tier", pa.string(), nullable=False),
            pa.field("source_kind", pa.string(), nullable=False),
            pa.field("source_ref", pa.string()),
            pa.field("lang", pa.string()),
            pa.field("state", pa.string(), nullable=False),
            pa.field("valid_from", pa.int64()),
            pa.field("valid_to", pa.int64()),
            # Whether an ordinary view may exclude it. These few records are cached by a search.
            pa.field("unusual", pa.bool_(), nullable=False),
            pa.field("media_refs", pa.list_(pa.string())),
            pa.field("media_kind", pa.string()),
            pa.field("content_hash", pa.string(), nullable=False),
        ]
    )


def _searchable(name: str) -> pa.Field:
    """Return an uncompressed text column, so that a search of the files can verify an erasure."""
    return pa.field(name, pa.string(), nullable=False, metadata={"lance-encoding:compression": "none"})


def as_table(kept: Sequence[CodedRow], schema: pa.Schema) -> pa.Table:
    """Return records as rows."""
    arrays = [
        vector_column([one.vector for one in kept], field.type.list_size)
        if field.name == "vector"
        else pa.array(map(_COLUMNS[field.name], kept), field.type, size=len(kept))
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def ledger_key(row: int, content_hash: str) -> bytes:
    """Return the row of a record in the ledger with the beginning of its content hash."""
    return row.to_bytes(_ROW_BYTES) + content_hash.rpartition(":")[2].encode()[: KEY_BYTES - _ROW_BYTES].ljust(
        KEY_BYTES - _ROW_BYTES, b"\0"
    )


def row_of(key: bytes) -> int:
    """Return the row of a key."""
    return int.from_bytes(key[:_ROW_BYTES])


_COLUMNS: Mapping[str, Callable[[CodedRow], object]] = {
    "id": lambda one: one.memory.id,
    "text": lambda one: one.memory.text,
    "terms": lambda one: search_text(one.memory),
    "ledger_key": lambda one: ledger_key(one.row, one.memory.content_hash),
    "createdAt": lambda one: one.memory.created_at,
    "category": lambda one: one.memory.category,
    "kind": lambda one: one.memory.kind,
    "importance": lambda one: one.memory.importance,
    "importance_label": lambda one: one.memory.label,
    "scope": lambda one: one.memory.scope,
    "trust_tier": lambda one: one.memory.trust,
    "source_kind": lambda one: one.memory.source_kind,
    "source_ref": lambda one: one.memory.source_ref,
    "lang": lambda one: one.memory.language,
    "state": lambda one: one.memory.state,
    "valid_from": lambda one: one.memory.valid_from,
    "valid_to": lambda one: one.memory.valid_to,
    "unusual": lambda one: is_unusual(one.memory),
    "media_refs": lambda one: list(one.memory.media_refs),
    "media_kind": lambda one: media_kind(one.memory.media_refs),
    "content_hash": lambda one: one.memory.content_hash,
}


def vector_column(vectors: Sequence[Vector | None], dimensions: int) -> pa.FixedSizeListArray:
    """Return vectors as a column. A missing one is null, which a search skips."""
    blank = array("f", bytes(4 * dimensions))
    joined = b"".join((blank if vector is None else vector).tobytes() for vector in vectors)
    values = pa.Array.from_buffers(pa.float32(), len(vectors) * dimensions, [None, pa.py_buffer(joined)])
    missing = pa.array([vector is None for vector in vectors], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(values, dimensions, mask=missing)


def _apply(dataset: lance.LanceDataset, files: DatasetFolder, items: Sequence[FeedItem], dimensions: int) -> None:
    gone = [item.id for item in items if item.memory is None]
    if gone:
        # First: a new record may have the row of an erased one.
        keys = dataset.to_table(columns=["ledger_key"], filter=one_of("id", gone)).column("ledger_key").to_pylist()
        codes.erase(files.path, [row_of(key) for key in keys], dimensions)
    kept = [CodedRow(item.row, item.memory, item.vector) for item in items if item.memory is not None]
    # No record has been in the table whose row has never had a code.
    are_new = bool(kept) and min(one.row for one in kept) >= codes.Codes(files.path, dimensions).rows
    codes.write(files.path, kept, dimensions)
    if kept:
        _put(dataset, as_table(kept, dataset.schema), are_new=are_new)
    if gone:
        purge(dataset, files, gone, MEMORIES)


def _put(dataset: lance.LanceDataset, rows: pa.Table, *, are_new: bool) -> None:
    # Merging compares the rows with the whole table. New ones are appended for a third of the time, a few after a look
    # into the index of the ids; nobody else writes meanwhile.
    ids = rows.column("id").to_pylist() if rows.num_rows <= MAX_APPENDED else []
    if are_new or (ids and not dataset.count_rows(one_of("id", ids))):
        dataset.insert(rows)
        return
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)


MEMORIES = Layout[FeedItem](
    name="memories",
    format="4",
    record="id",
    schema=table_schema,
    apply=_apply,
    scalar=_SCALAR,
    full_text={"terms": _TERMS_INDEX},
    create_files=codes.create,
    coded=True,
)
MEMORIES_FOR_LANCEDB = replace(
    MEMORIES,
    format="4 for LanceDB",
    schema=lancedb_schema,
    scalar=_SCALAR | {"category": "BITMAP"},
    full_text={"text": _TEXT_INDEX, "terms": _TERMS_INDEX},
)
