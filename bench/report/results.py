"""Result files: the result of each benchmark with the command that made it. The report is written from them alone."""

import json
from collections.abc import Mapping
from typing import Any, cast

from bench import ROOT
from bench.machine import this_machine
from satchel.interfaces.serialization import to_json

RESULTS = ROOT / "bench" / "results"
Result = Mapping[str, Any]


def keep(name: str, benchmark: str, command: str, result: Result) -> None:
    """Write the file of one result."""
    RESULTS.mkdir(exist_ok=True)
    kept = {"benchmark": benchmark, "command": command, "result": result}
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")


def results() -> list[Result]:
    """Return every result, sorted by file name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def machine() -> Result:
    """Return this machine as JSON."""
    return cast(Result, to_json(this_machine()))
