"""Run the benchmarks and keep a result file of each: python -m bench.run [--data FOLDER] [--only PART]… [--memories N]…

A file of FOLDER is asked when its name begins like its format: locomo…, lme… or longmemeval…, beam…, cosqa…; the folder
precision… holds PrecisionMemBench, the folder security samples of secrets and of injected orders.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from bench import ablation, calibrate, capture, injection, routing, secrets
from bench.progress import say
from bench.results import Result, keep, machine

BEGINNINGS = {"locomo": "locomo", "lme": "longmemeval", "longmemeval": "longmemeval", "beam": "beam", "cosqa": "cosqa"}
LEVELS = {"locomo": ("turn", "session"), "longmemeval": ("turn", "session")}
MODES = ("hybrid", "vector", "lexical")
PLAIN_MODES = ("hybrid", "lexical")
FUSIONS = ("scores", "rrf")
SIZES = (1_000, 10_000, 100_000)
NEED_DATA = ("retrieval", "ablation", "memories", "pack", "precision", "relevance", "injection", "secrets")
PARTS = (*NEED_DATA, "golden", "capture", "routing", "governance", "speed")


class Failed(Exception):
    """A benchmark did not come to a result."""


class Job(Struct, frozen=True):
    """One result to be made: the part it belongs to, the name of its file, the command, and what is run for it."""

    part: str
    name: str
    command: str
    run: Callable[[], Result]


class Data(Struct, frozen=True):
    """What there is to ask of: public sets by their format, and two folders."""

    sets: Mapping[str, Path] = field(default_factory=dict)
    precision: Path | None = None
    security: Path | None = None


def main() -> None:
    """Run what was asked for, one after another."""
    given = _parser().parse_args()
    wanted = given.only or PARTS
    every = jobs(found(given.data), given.memories or SIZES, given.measure or ())
    chosen = [one for one in every if one.part in wanted]
    failed = [one.name for one in chosen if not _done(one)]
    for part in wanted:
        if part not in {one.part for one in chosen}:
            say(f"{part} was left out: it needs public data, which --data names (DATA=folder of `make bench`)")
    if failed:
        raise SystemExit(f"these could not be measured: {', '.join(failed)}")


def _done(one: Job) -> bool:
    """Run one job and keep its result. One that fails is named, and does not stop the others."""
    say(one.command)
    try:
        keep(one.name, one.part, one.command, one.run())
    except Failed as error:
        say(f"{one.name}: {error}")
        return False
    return True


def found(folder: Path | None) -> Data:
    """Return what a folder holds of public data."""
    if folder is None:
        return Data()
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not a folder")
    inside = sorted(folder.iterdir())
    sets = {
        format: file
        for start, format in BEGINNINGS.items()
        for file in inside
        if file.is_file() and file.name.startswith(start)
    }
    folders = {
        name: next((one for one in inside if one.is_dir() and one.name.startswith(name)), None)
        for name in ("precision", "security")
    }
    return Data({name: sets[name] for name in dict.fromkeys(BEGINNINGS.values()) if name in sets}, **folders)


def jobs(data: Data, sizes: Sequence[int], measured: Sequence[str] = ()) -> Iterator[Job]:
    """Yield everything that can be measured with some data; of speed all, or what is named."""
    for format, file in data.sets.items():
        yield from _asked_of(format, file)
    sets = {format: file for format, file in data.sets.items() if format != "cosqa"}
    if sets:
        yield _ours("ablation", lambda: ablation.measure(sets), "--data", "FOLDER")
    if data.sets:
        yield _ours("relevance", lambda: calibrate.measure(data.sets), "--data", "FOLDER")
    if data.precision:
        yield _satchel("precision", "precision", "--data", str(data.precision))
    if data.security:
        security = sorted(data.security.glob("*.jsonl"))
        yield _ours("injection", lambda: injection.measure(security), "--data", "FOLDER")
        yield _ours("secrets", lambda: secrets.measure(security), "--data", "FOLDER")
    yield Job("golden", "golden", "satchel eval", _golden)
    yield _ours("capture", capture.measure)
    yield _ours("routing", routing.measure)
    yield _satchel("governance", "governance")
    for size in sizes:
        only = [word for name in measured for word in ("--only", name)]
        yield _satchel("speed", f"speed-{size}", "--memories", str(size), *only)


def _asked_of(format: str, file: Path) -> Iterator[Job]:
    about = ("--set", format, "--data", str(file))
    for level in LEVELS.get(format, ("turn",)):
        for mode in MODES:
            yield _satchel("retrieval", f"retrieval-{format}-{level}-{mode}", *about, "--level", level, "--mode", mode)
        for mode in PLAIN_MODES:
            words = (*about, "--level", level, "--mode", mode, "--through", "plain")
            yield _satchel("retrieval", f"retrieval-{format}-{level}-{mode}-plain", *words)
    for fusion in FUSIONS:
        job = _satchel(
            "retrieval", f"memories-{format}-{fusion}", *about, "--through", "memories", recall_fusion=fusion
        )
        yield Job("memories", job.name, job.command, job.run)
    if format == "locomo":
        yield _satchel("pack", f"pack-{format}", *about)


def _satchel(benchmark: str, name: str, *words: str, **settings: str) -> Job:
    """Return the job of a command that ships with the product."""
    variables = {f"SATCHEL_{key.upper()}": value for key, value in settings.items()}
    shown = [*(f"{key}={value}" for key, value in variables.items()), "satchel", "bench", benchmark]
    shown += [Path(word).name if "/" in word else word for word in words]
    return Job(benchmark, name, shlex.join(shown), lambda: _answer(["bench", benchmark, *words], variables))


def _answer(words: Sequence[str], variables: Mapping[str, str] | None = None) -> Result:
    command = [sys.executable, "-m", "satchel", *words, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env={**os.environ, **(variables or {})})
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise Failed(f"it ended with {done.returncode}") from None
    if not answer["ok"]:
        raise Failed(answer["error"]["message"])
    result: Result = answer["result"]
    return result


def _golden() -> Result:
    # What was missed, question by question, is for who runs it.
    found = {key: value for key, value in _answer(["eval"]).items() if key not in ("misses", "source")}
    modes = [{key: mode[key] for key in ("mode", "overall", "families")} for mode in found["modes"]]
    return {"machine": machine(), **found, "modes": modes}


def _ours(part: str, run: Callable[[], Result], *words: str) -> Job:
    """Return the job of a benchmark that lives beside the product."""
    return Job(part, part, shlex.join(["python", "-m", "bench.run", "--only", part, *words]), run)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.run", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder of public data; what needs it is left out without"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=PARTS,
        metavar="PART",
        help=f"run this part only; may be repeated: {', '.join(PARTS)}",
    )
    parser.add_argument(
        "--memories",
        action="append",
        type=int,
        metavar="N",
        help="a size of the speed benchmark; 1000, 10000 and 100000 if left out",
    )
    parser.add_argument(
        "--measure", action="append", metavar="NAME", help="of the speed benchmark only this; may be repeated"
    )
    return parser


if __name__ == "__main__":
    main()
