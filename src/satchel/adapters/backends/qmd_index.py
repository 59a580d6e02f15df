"""QMD's own index, read only for the dates of its documents, which its answers lack."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

_DATE = (
    "SELECT modified_at FROM documents WHERE path = ? AND (? = '' OR collection = ?) ORDER BY modified_at DESC LIMIT 1"
)


def index_file(variables: Mapping[str, str]) -> Path:
    """Return where QMD stores its index, given the variables of its entry; otherwise its default place."""
    if own := variables.get("INDEX_PATH"):
        return Path(own)
    cache = variables.get("XDG_CACHE_HOME") or Path(variables.get("HOME") or Path.home(), ".cache")
    return Path(cache, "qmd", "index.sqlite")


def document_dates(index: Path, collection: str, paths: Sequence[str]) -> dict[str, str]:
    """Return when documents were last changed. Empty if the index cannot be read: dates are not worth an error."""
    if not paths or not index.is_file():
        return {}
    try:
        uri = f"{index.absolute().as_uri()}?mode=ro"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    except apsw.Error:
        return {}
    try:
        found = {path: connection.execute(_DATE, (path, collection, collection)).get for path in paths}
    except apsw.Error:
        return {}
    finally:
        connection.close()
    return {path: str(date) for path, date in found.items() if date}
