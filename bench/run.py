"""Run all benchmarks and keep a result file of each: python -m bench.run [--data FOLDER] [--only PART]… [--memories N]…

A file of FOLDER is used if its name starts like its format: locomo…, lme… or longmemeval…, beam…, cosqa…. A folder
precision… holds PrecisionMemBench, a folder security samples of secrets and injected orders.
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

from bench import ROOT, ablation, calibrate, capture, injection, routing, secrets
from bench.progress import say
from bench.report.results import Result, keep, machine

BEGINNINGS = {"locomo": "locomo", "lme": "longmemeval", "longmemeval": "longmemeval", "beam": "beam", "cosqa": "cosqa"}
LEVELS = {"locomo": ("turn", "session"), "longmemeval": ("turn", "session")}
MODES = ("hybrid", "vector", "lexical")
PLAIN_MODES = ("hybrid", "lexical")
FUSIONS = ("scores", "rrf")
SIZES = (1_000, 10_000, 100_000)
UPKEEP_SIZE = 100_000
CHATS = ROOT / "bench" / "data" / "chats.json"
NEED_DATA = ("retrieval", "ablation", "memories", "pack", "precision", "relevance", "injection", "secrets")
PARTS = (
    *NEED_DATA,
    "chats",
    "turns",
    "attention",
    "routes",
    "decisions",
    "golden",
    "capture",
    "routing",
    "governance",
    "speed",
    "clients",
    "upkeep",
)


class BenchmarkFailed(Exception):
    """A benchmark has no result."""


class Job(Struct, frozen=True):
    """One result to make: its part, the name of its file, the command that makes it, and the function."""

    part: str
    name: str
    command: str
    run: Callable[[], Result]


class Data(Struct, frozen=True):
    """Public data: dataset files by format, and two folders."""

    sets: Mapping[str, Path] = field(default_factory=dict)
    precision: Path | None = None
    security: Path | None = None


def main() -> None:
    """Run the chosen parts one after another."""
    given = _parser().parse_args()
    wanted = given.only or PARTS
    every = jobs(found(given.data), given.memories or SIZES, given.measure or ())
    chosen = [one for one in every if one.part in wanted]
    failed = [one.name for one in chosen if not _done(one)]
    for part in wanted:
        if part not in {one.part for one in chosen}:
            say(f"{part} was left out: it needs public data (--data, or DATA=folder with `make bench`)")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def _done(one: Job) -> bool:
    """Run one job and keep its result. A failure is reported and does not stop the others."""
    say(one.command)
    try:
        keep(one.name, one.part, one.command, one.run())
    except BenchmarkFailed as error:
        say(f"{one.name}: {error}")
        return False
    return True


def found(folder: Path | None) -> Data:
    """Return the public data in a folder."""
    if folder is None:
        return Data()
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not a folder")
    inside = sorted(folder.resolve().iterdir())
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
    """Yield the jobs that can run with some data. `measured` limits the speed benchmark to some measurements."""
    for format, file in data.sets.items():
        yield from _of_dataset(format, file)
    sets = {format: file for format, file in data.sets.items() if format != "cosqa"}
    if sets:
        yield _function("ablation", lambda: ablation.measure(sets), "--data", "FOLDER")
    if data.sets:
        yield _function("relevance", lambda: calibrate.measure(data.sets), "--data", "FOLDER")
    if data.precision:
        yield _command("precision", "precision", "--data", str(data.precision))
    if data.security:
        security = sorted(data.security.glob("*.jsonl"))
        yield _function("injection", lambda: injection.measure(security), "--data", "FOLDER")
        yield _function("secrets", lambda: secrets.measure(security), "--data", "FOLDER")
    for mode in MODES:
        words = ("--set", "chats", "--data", str(CHATS), "--mode", mode)
        job = _command("retrieval", f"retrieval-chats-turn-{mode}", *words)
        yield Job("chats", job.name, job.command, job.run)
    yield _command("turns", "turns")
    yield _command("attention", "attention")
    yield _command("routes", "routes")
    yield _command("decisions", "decisions")
    yield Job("golden", "golden", "satchel eval", _golden)
    yield _function("capture", capture.measure)
    yield _function("routing", routing.measure)
    yield _command("governance", "governance")
    yield _command("clients", "clients")
    yield _command("upkeep", "upkeep", "--memories", str(UPKEEP_SIZE))
    for size in sizes:
        only = [word for name in measured for word in ("--only", name)]
        # What is limited to some measurements must not replace the whole.
        yield _command("speed", "-".join(["speed", str(size), *measured]), "--memories", str(size), *only)


def _of_dataset(format: str, file: Path) -> Iterator[Job]:
    about = ("--set", format, "--data", str(file))
    for level in LEVELS.get(format, ("turn",)):
        for mode in MODES:
            yield _command("retrieval", f"retrieval-{format}-{level}-{mode}", *about, "--level", level, "--mode", mode)
        for mode in PLAIN_MODES:
            words = (*about, "--level", level, "--mode", mode, "--through", "plain")
            yield _command("retrieval", f"retrieval-{format}-{level}-{mode}-plain", *words)
    for fusion in FUSIONS:
        job = _command(
            "retrieval", f"memories-{format}-{fusion}", *about, "--through", "memories", recall_fusion=fusion
        )
        yield Job("memories", job.name, job.command, job.run)
    if format == "locomo":
        yield _command("pack", f"pack-{format}", *about)


def _command(benchmark: str, name: str, *words: str, **settings: str) -> Job:
    """Return the job of a command of `python -m bench`."""
    variables = {f"SATCHEL_{key.upper()}": value for key, value in settings.items()}
    shown = [*(f"{key}={value}" for key, value in variables.items()), "python", "-m", "bench", benchmark]
    shown += [Path(word).name if "/" in word else word for word in words]
    return Job(benchmark, name, shlex.join(shown), lambda: _answer(["bench", benchmark, *words], variables))


def _answer(words: Sequence[str], variables: Mapping[str, str] | None = None) -> Result:
    command = [sys.executable, "-m", *words, "--json"]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env=environment, cwd=ROOT)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise BenchmarkFailed(f"exit code {done.returncode}") from None
    if not answer["ok"]:
        raise BenchmarkFailed(answer["error"]["message"])
    result: Result = answer["result"]
    return result


def _golden() -> Result:
    # Single misses are not part of the published result.
    found = {key: value for key, value in _answer(["satchel", "eval"]).items() if key not in ("misses", "source")}
    modes = [{key: mode[key] for key in ("mode", "overall", "families")} for mode in found["modes"]]
    return {"machine": machine(), **found, "modes": modes}


def _function(part: str, run: Callable[[], Result], *words: str) -> Job:
    """Return the job of a part that is a function here."""
    return Job(part, part, shlex.join(["python", "-m", "bench.run", "--only", part, *words]), run)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.run", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="folder of public data; parts that need it are left out without it"
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
        help="size for the speed benchmark; may be repeated (default: 1000, 10000 and 100000)",
    )
    parser.add_argument(
        "--measure",
        action="append",
        metavar="NAME",
        help="limit the speed benchmark to this measurement; may be repeated",
    )
    return parser


if __name__ == "__main__":
    main()
