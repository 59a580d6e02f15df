"""What a store takes: bytes on disk for each memory, and the memory of a process that searches it."""

import json
import subprocess
import sys
from pathlib import Path

from bench.filled import how_filled
from bench.ground import Ground
from bench.measure import Bar, Row, Sample

RECALLS = 50
_VECTOR_BYTES = 384 * 4


def disk(ground: Ground) -> list[Row]:
    """Weigh the store as it was filled, beside plain FTS5 and an array of the same vectors."""
    plain, home, count = ground.plain, ground.pristine, ground.rows
    pages, size = (plain.database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    beside = (("plain FTS5 file + raw vectors", Sample((pages * size / count + _VECTOR_BYTES,), "bytes")),)
    ledger, index = _bytes(home / "ledger.sqlite3"), _bytes(home / "index")
    note = f"ledger {ledger / count:,.0f}, index {index / count:,.0f}"
    return [Row("size on disk for each memory", Sample(((ledger + index) / count,), "bytes"), (), beside, note)]


def filling(ground: Ground) -> list[Row]:
    """Say how long filling took when this store was made."""
    return [
        Row(f"filling the store: {step}", Sample((seconds,), "s"), note=rate)
        for step, seconds in how_filled(ground.pristine).items()
        for rate in [f"{ground.rows / seconds:,.0f} memories a second, when the store was made"]
    ]


def resident(ground: Ground) -> list[Row]:
    """Measure the peak memory of a process after fifty recalls, beside the same process on a store of one memory."""
    nearly_empty = ground.work / "nearly-empty"
    with ground.open(nearly_empty) as memory:
        memory.store(ground.questions[0].text, scope=ground.questions[0].scope)
    full, least = _peak(ground, ground.large), _peak(ground, nearly_empty)
    beside = (("the same with one memory", Sample((least["peak"],), "MB")),)
    note = f"after {RECALLS} recalls; of the {full['now']:,.0f} MB at the end {full['own']:,.0f} are its own"
    bars = (Bar(2_048.0),) if ground.rows >= 1_000_000 else ()
    return [Row(f"peak memory of a warm process, {ground.rows:,}", Sample((full["peak"],), "MB"), bars, beside, note)]


def _peak(ground: Ground, home: Path) -> dict[str, float]:
    asked = json.dumps([[one.question, one.scope] for one in ground.questions[:RECALLS]])
    command = [sys.executable, "-m", "bench.resident", str(home)]
    done = subprocess.run(command, input=asked, env=ground.environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _bytes(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
