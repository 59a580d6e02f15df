"""Record what the scripts of the corpus answer now: `python -m tests.corpus.record [AREA …]`, from the repository's root.

Record again only after a deliberate change of behaviour, and read the diff: it is the list of everything that changed.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from .replay import Replay

HERE = Path(__file__).parent
MAX_WIDTH = 200


def record(area: str) -> None:
    """Replay one script and write its expectations."""
    with tempfile.TemporaryDirectory() as folder:
        entries = Replay(Path(folder).resolve()).run((HERE / "operations" / f"{area}.txt").read_text(encoding="utf-8"))
    (HERE / "expected" / f"{area}.json").write_text(laid_out(entries) + "\n", encoding="utf-8")


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


if __name__ == "__main__":
    for area in sys.argv[1:] or sorted(path.stem for path in (HERE / "operations").glob("*.txt")):
        record(area)
