"""What readers share: bounded reading of files and JSON, and tolerant dates.

Nothing that a file says is taken for granted: a value of the wrong type makes one record a refusal, never the import fail.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from satchel.domain.document import SkippedFile
from satchel.domain.imports import Fields, Refusal
from satchel.domain.json_rows import RawRow, open_rows
from satchel.domain.moment import from_unix, parse_moment
from satchel.domain.strict_json import parse_json
from satchel.domain.text import decode_text
from satchel.errors import InvalidRequest, SatchelError
from satchel.ports import ImportSource, SourceFile, SourceForm

HEAD_BYTES = 1 << 16
# How far into a file the first name of an object is looked for.
NAMES_WITHIN = 1_000
MAX_TEXT_BYTES = 8 << 20
MAX_JSON_BYTES = 256 << 20
# A conversation of years with all its metadata.
MAX_OBJECT_BYTES = 64 << 20
_BOM = "\ufeff"

T = TypeVar("T")


def source_files(source: ImportSource) -> list[SourceFile]:
    """Return the readable files of a source, by path."""
    return [one for one in source.files() if isinstance(one, SourceFile)]


def files_ending(source: ImportSource, *endings: str) -> Iterator[SourceFile | SkippedFile]:
    """Yield the files whose names end in one of some endings, unreadable ones too; the only file whatever its name."""
    is_only = source.form is SourceForm.FILE
    return (one for one in source.files() if is_only or one.path.lower().endswith(endings))


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def head(source: ImportSource, path: str) -> bytes:
    """Return the first bytes of a file; none if it cannot be read."""
    found = b""
    try:
        for chunk in source.chunks(path):
            found += chunk
            if len(found) >= HEAD_BYTES:
                break
    except SatchelError:
        return b""
    return found[:HEAD_BYTES]


def whole(source: ImportSource, path: str, limit: int) -> bytes:
    """Return the bytes of a file, or raise InvalidRequest if there are too many."""
    pieces, size = [], 0
    for chunk in source.chunks(path):
        size += len(chunk)
        if size > limit:
            raise InvalidRequest(f"{path[:80]!r} is larger than {limit:,} bytes", code="too_large")
        pieces.append(chunk)
    return b"".join(pieces)


def text_of(source: ImportSource, path: str) -> str:
    """Return the text of a file, or raise InvalidRequest."""
    return decode_text(whole(source, path, MAX_TEXT_BYTES), path)


def json_of(source: ImportSource, path: str) -> Any:
    """Return the value in a JSON file, or raise InvalidRequest."""
    data = whole(source, path, MAX_JSON_BYTES)
    return parse_json(data, file_name(path), padded=True, bounded_integers=True)


def objects(source: ImportSource, path: str) -> Iterator[tuple[str, Fields] | Refusal]:
    """Yield the objects of a JSON list or of JSON lines with their places, and a refusal for each that is none."""
    format, rows = open_rows(source.chunks(path), None, max_row_bytes=MAX_OBJECT_BYTES)
    noun = "item" if format == "json" else "line"
    for row in rows:
        place = f"{path} {noun} {row.number}"
        try:
            yield place, _object(row)
        except InvalidRequest as error:
            yield Refusal(place, error.code)


def _object(row: RawRow) -> Fields:
    if row.problem:
        raise InvalidRequest("the row cannot be read", code=row.problem)
    value = parse_json(row.data, "the row", padded=True, bounded_integers=True)
    if not isinstance(value, dict):
        raise InvalidRequest("the row is not an object", code="not_an_object")
    return value


def first_object(source: ImportSource, path: str) -> Fields:
    """Return the first object of a JSON list or of JSON lines; empty if there is none, or it is cut off."""
    try:
        for found in objects(source, path):
            return {} if isinstance(found, Refusal) else found[1]
    except SatchelError:
        pass
    return {}


def is_one_object(source: ImportSource, path: str, *names: str) -> bool:
    """Return whether a file seems to be one JSON object that has one of some names, rather than one object per line."""
    start = head(source, path).removeprefix(_BOM.encode()).lstrip()
    return start.startswith(b"{") and any(f'"{name}"'.encode() in start[:NAMES_WITHIN] for name in names)


def listed_objects(source: ImportSource, path: str, *names: str) -> Iterator[tuple[str, Fields] | Refusal]:
    """Yield the objects in lists of one JSON object, by the names of the lists; a refusal if the file is not JSON."""
    try:
        value = mapping(json_of(source, path))
    except InvalidRequest as error:
        yield Refusal(path, error.code)
        return
    for name in names:
        for number, one in enumerate(sequence(value.get(name)), 1):
            yield f"{path} {name} {number}", mapping(one)


def each(
    found: Iterator[tuple[str, Fields] | Refusal], make: Callable[[str, Fields], Iterator[T]]
) -> Iterator[T | Refusal]:
    """Yield the item made from each object, or a refusal if the object is malformed."""
    for one in found:
        if isinstance(one, Refusal):
            yield one
            continue
        place, fields = one
        try:
            yield from make(place, fields)
        except InvalidRequest as error:
            yield Refusal(place, error.code)


def required_text(fields: Fields, *names: str) -> str:
    """Return the first text that there is under some names, or raise InvalidRequest."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    wrong = any(fields.get(name) not in (None, "") and not isinstance(fields[name], str) for name in names)
    raise InvalidRequest(f"no {names[0]}", code="wrong_type" if wrong else "missing_text")


def optional_text(fields: Fields, *names: str, limit: int = 1_000) -> str | None:
    """Return the first text under some names, cut to a length; None if there is none."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()[:limit]
    return None


def words(value: Any, most: int = 50) -> tuple[str, ...]:
    """Return a list of short texts, or a text with commas, as distinct words; anything else is left out."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    found = (one.strip()[:1_000] for one in listed if isinstance(one, str))
    return tuple(dict.fromkeys(one for one in found if one))[:most]


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> Sequence[Any]:
    """Return a value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def share(value: Any) -> float | None:
    """Return a number from 0 to 1; None if it is none."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None


def moment(value: Any) -> int | None:
    """Return a date in milliseconds, from seconds, milliseconds or ISO 8601; None if it is none or before 1970."""
    if isinstance(value, str):
        try:
            value = float(value) if value.replace(".", "", 1).isdigit() else parse_moment(value, "the date") / 1000
        except InvalidRequest:
            return None
    return from_unix(value)
