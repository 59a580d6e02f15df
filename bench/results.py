"""Result files: what a benchmark came to, beside the command that printed it. The page of figures is made of them alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from satchel.interfaces.bench.machine import this_machine
from satchel.interfaces.encode import encoded

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"
Result = Mapping[str, Any]


def keep(name: str, benchmark: str, command: str, result: Result) -> None:
    """Write the file of one result. It says on which machine it was measured, and how busy that was."""
    RESULTS.mkdir(exist_ok=True)
    kept = {"benchmark": benchmark, "command": command, "result": result}
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")


def results() -> list[Result]:
    """Return every result, in the order of the files' names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def machine() -> Result:
    """Return where and when something is measured, as `satchel bench` says it."""
    return cast(Result, encoded(this_machine()))
