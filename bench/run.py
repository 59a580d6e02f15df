"""Run the benchmarks of the command line and keep what each prints: python -m bench.run [--data FOLDER] [--only NAME]…

A file of FOLDER is asked when its name begins like its format: locomo…, lme… or longmemeval…, beam…, cosqa…
"""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.page import RESULTS
from bench.progress import say

BEGINNINGS = {"locomo": "locomo", "lme": "longmemeval", "longmemeval": "longmemeval", "beam": "beam", "cosqa": "cosqa"}
LEVELS = {"locomo": ("turn", "session"), "longmemeval": ("turn", "session")}
MODES = ("hybrid", "vector", "lexical")
BENCHMARKS = ("retrieval", "pack", "speed", "governance", "precision")


def main() -> None:
    """Run what was asked for, one after another."""
    given = _parser().parse_args()
    wanted = given.only or BENCHMARKS
    for name, words in _commands(given.data, given.memories):
        if words[0] in wanted:
            say(f"satchel bench {shlex.join(words)}")
            keep(name, words)


def keep(name: str, words: Sequence[str]) -> None:
    """Run one benchmark and write its result file."""
    done = subprocess.run(
        [sys.executable, "-m", "satchel", "bench", *words, "--json"], stdout=subprocess.PIPE, check=False
    )
    answer = json.loads(done.stdout)
    if not answer["ok"]:
        raise SystemExit(f"{name}: {answer['error']['message']}")
    shown = [Path(word).name if "/" in word else word for word in words]
    kept = {"benchmark": words[0], "command": f"satchel bench {shlex.join(shown)}", "result": answer["result"]}
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")


def _commands(folder: Path | None, memories: Sequence[int]) -> Iterator[tuple[str, list[str]]]:
    for file in sorted(folder.iterdir()) if folder else ():
        format = next((name for start, name in BEGINNINGS.items() if file.name.startswith(start)), None)
        if format:
            about = ["--set", format, "--data", str(file)]
            for level in LEVELS.get(format, ("turn",)):
                for mode in MODES:
                    yield f"retrieval-{format}-{level}-{mode}", ["retrieval", *about, "--level", level, "--mode", mode]
            if format == "locomo":
                yield f"pack-{format}", ["pack", *about]
        elif file.name.startswith("precision") and file.is_dir():
            yield "precision", ["precision", "--data", str(file)]
    yield "governance", ["governance"]
    sizes = [word for size in memories for word in ("--memories", str(size))]
    yield "speed" + "".join(f"-{size}" for size in memories), ["speed", *sizes]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.run", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="folder of public sets; none are asked without it")
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="run this only; may be repeated")
    parser.add_argument("--memories", action="append", type=int, default=[], help="sizes of the speed benchmark")
    return parser


if __name__ == "__main__":
    main()
