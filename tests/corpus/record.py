"""Record what the scripts of the corpus answer now, from the repository's root:

    python -m tests.corpus.record            every area, and the kept store
    python -m tests.corpus.record AREA …     only these; "store" is the kept store
    python -m tests.corpus.record make       make the kept store itself again

Record again only after a deliberate change of behaviour, and read the diff: it is the list of everything that changed.
The kept store is never made again: it shows that what an earlier version wrote can still be read.
"""

import gzip
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from .replay import STARTED_AT, Replay

HERE = Path(__file__).parent
STORE = "store"
AREAS = [*sorted(path.stem for path in (HERE / "operations").glob("*.txt")), STORE]
LEDGER = "ledger.sqlite3"
KEPT_SECONDS = 7 * 86_400  # the kept store is read a week after it was made
MAX_WIDTH = 200
_KEPT = HERE / "store" / f"{LEDGER}.gz"


def replayed(area: str, folder: Path) -> list[dict[str, Any]]:
    """Replay the script of an area, or what is asked of the kept store."""
    if area != STORE:
        return Replay(folder).run(_script(f"operations/{area}.txt"))
    write_kept_store(folder / "kept")
    return Replay(folder, now=STARTED_AT + KEPT_SECONDS).run(_script("store/read.txt"))


def write_kept_store(folder: Path) -> None:
    """Write the ledger of an earlier version into the folder of a new store."""
    folder.mkdir()
    (folder / LEDGER).write_bytes(gzip.decompress(_KEPT.read_bytes()))


def expected(area: str) -> Path:
    """Return the file of what an area answered when it was recorded."""
    return HERE / "store" / "expected.json" if area == STORE else HERE / "expected" / f"{area}.json"


def make_store() -> None:
    """Write the ledger of a store into one file, so that later versions can be asked to read it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        Replay(folder).run(_script("store/write.txt"))
        with closing(sqlite3.connect(folder / "kept" / LEDGER)) as ledger:
            ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _KEPT.write_bytes(gzip.compress((folder / "kept" / LEDGER).read_bytes(), mtime=0))


def _script(path: str) -> str:
    return (HERE / path).read_text(encoding="utf-8")


def laid_out(value: Any, indent: int = 0) -> str:
    """Return a value as JSON with sorted keys, with what fits on a line on one line."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if not isinstance(value, (dict, list)) or len(line) + indent <= MAX_WIDTH:
        return line
    start, end = "{}" if isinstance(value, dict) else "[]"
    inner = indent + 1
    parts = (
        [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(value[key], inner)}" for key in sorted(value)]
        if isinstance(value, dict)
        else [laid_out(item, inner) for item in value]
    )
    between = ",\n" + " " * inner
    return f"{start}\n{' ' * inner}{between.join(parts)}\n{' ' * indent}{end}"


def main(words: list[str]) -> None:
    """Record what is named, or everything."""
    if words == ["make"]:
        make_store()
        words = [STORE]
    for area in words or AREAS:
        with tempfile.TemporaryDirectory() as folder:
            entries = replayed(area, Path(folder).resolve())
        expected(area).write_text(laid_out(entries) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
