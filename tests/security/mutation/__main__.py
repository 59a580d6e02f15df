"""Print the mutation score of the modules that keep scopes, trust, escaping, the ledger and its recovery right.

    python -m tests.security.mutation [--only scope] [--survivors] [--workers 2]

The tests are collected once, each mutant is a fork of that process, and only the tests that run its line are tried, those of
the nearest file first and the fastest of them. A mutant that does not end is killed too.
"""

import argparse
import importlib
import pickle
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import Phase, settings

from tests.security.mutation.equivalent import EQUIVALENT
from tests.security.mutation.mutators import Mutant, mutants
from tests.security.mutation.processes import FAILED, SURVIVED, fork_each
from tests.security.mutation.session import OPTIONS, SOURCE, Observer, Seen, Trial, Warm, silence, try_cold
from tests.security.mutation.targets import TARGETS, Target

MIN_SCORE = 90
# Seconds of tests that are tried on one mutant, as the first run took them; then it has survived.
MAX_SECONDS = 10.0
# What every process needs before it imports Satchel.
_HEAVY = ("apsw", "msgspec", "numpy", "starlette.applications", "hypothesis.stateful", "asyncio", "difflib", "uuid")


class Score(NamedTuple):
    """How many mutants of a module, or of a group, were tried and killed."""

    name: str
    tried: int
    killed: int
    equivalent: int

    @property
    def percent(self) -> float:
        return 100 * self.killed / self.tried if self.tried else 100.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants, print the table, and return 1 if a group is below the least score."""
    options = _parsed(arguments)
    targets = [one for one in TARGETS if not options.only or {one.group, one.module} & set(options.only)]
    found = _mutants(targets, options.every)
    # Before the tests are imported. Without shrinking, a killed mutant is known at once.
    settings.register_profile("mutants", database=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        survived = _survivors(targets, found, options, Path(folder))
    for mutant in survived if options.survivors else ():
        sys.stdout.write(f"{mutant.module}:{mutant.first} {mutant.function}: {mutant.text}\n")
    scores = _scores(targets, found, survived)
    sys.stdout.write(_table(scores))
    return int(any(score.percent < MIN_SCORE for score in scores if "/" not in score.name))


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.security.mutation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a group or module; repeatable")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try one of N mutants")
    parser.add_argument("--survivors", action="store_true", help="print the mutants that no test killed")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="mutants tried at the same time")
    parser.add_argument("--seconds", type=float, default=MAX_SECONDS, help="seconds of tests to try on one mutant")
    return parser.parse_args(arguments)


def _mutants(targets: Iterable[Target], every: int) -> list[Mutant]:
    return [mutant for target in targets for mutant in mutants(SOURCE, target.module)[::every]]


def is_equivalent(mutant: Mutant) -> bool:
    """Return whether a mutant was found to change nothing that a caller could notice."""
    return (mutant.module, mutant.function, mutant.text) in EQUIVALENT


def _survivors(
    targets: Sequence[Target], found: Sequence[Mutant], options: argparse.Namespace, folder: Path
) -> list[Mutant]:
    files = sorted({name for target in targets for name in target.tests if Path(name).exists()})
    for name in _HEAVY:
        with suppress(ImportError):
            importlib.import_module(name)
    seen = _observe(targets, files, folder)
    trials = [
        _trial(number, mutant, targets, seen, options.seconds)
        for number, mutant in enumerate(found)
        if not is_equivalent(mutant)
    ]
    survived = {trial.number for trial in trials if not trial.tests}
    trials = [trial for trial in trials if trial.tests]
    survived |= _run_warm([one for one in trials if one.mutant.function], files, options.workers, folder)
    cold = ((one.number, partial(try_cold, one, folder / str(one.number))) for one in trials if not one.mutant.function)
    survived |= {number for number, status in fork_each(cold, options.workers) if _has_survived(status)}
    return [found[number] for number in sorted(survived)]


def _has_survived(status: int) -> bool:
    if status == FAILED:
        raise SystemExit("the runner failed, see above")
    return status == SURVIVED


def _observe(targets: Sequence[Target], files: Sequence[str], folder: Path) -> list[Seen]:
    report = folder / "seen"

    def job() -> int:
        silence()
        observer = Observer([target.module for target in targets], report)
        return int(pytest.main([*OPTIONS, f"--basetemp={folder / 'observed'}", *files], plugins=[observer]))

    list(fork_each([("observe", job)], 1))
    seen: list[Seen] = pickle.loads(report.read_bytes())
    return seen


def _run_warm(trials: Sequence[Trial], files: Sequence[str], workers: int, folder: Path) -> set[int]:
    report = folder / "warm"

    def job() -> int:
        silence()
        with report.open("w", encoding="utf-8") as lines:

            def done(number: int, status: int) -> None:
                if _has_survived(status):
                    lines.write(f"{number}\n")
                    # A fork would write what is buffered once more.
                    lines.flush()

            return int(pytest.main([*OPTIONS, *files], plugins=[Warm(trials, workers, folder, done)]))

    for _, status in fork_each([("warm", job)], 1):
        if status not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise SystemExit(f"the session of the mutants ended with {status}")
    return {int(line) for line in report.read_text(encoding="utf-8").split()}


def _trial(number: int, mutant: Mutant, targets: Sequence[Target], seen: Sequence[Seen], seconds: float) -> Trial:
    target = next(one for one in targets if one.module == mutant.module)
    near = {name: place for place, name in enumerate(target.tests)}
    running = [one for one in seen if one.test.partition("::")[0] in near and _runs(one, mutant)]
    ordered = sorted(running, key=lambda one: (near[one.test.partition("::")[0]], one.seconds))
    chosen, total = list[str](), 0.0
    for one in ordered:
        if chosen and total + one.seconds > seconds:
            continue
        chosen.append(one.test)
        total += one.seconds
    return Trial(number, mutant, tuple(chosen), 5 + 2 * total)


def _runs(test: Seen, mutant: Mutant) -> bool:
    """Return whether a test runs the line of a mutant. What an import runs may matter to every test."""
    return not mutant.function or any(
        (mutant.module, line) in test.lines for line in range(mutant.first, mutant.last + 1)
    )


def _scores(targets: Sequence[Target], found: Sequence[Mutant], survived: Sequence[Mutant]) -> list[Score]:
    every = Counter(one.module for one in found)
    equivalent = Counter(one.module for one in found if is_equivalent(one))
    left = Counter(one.module for one in survived)
    scores = list[Score]()
    for group in dict.fromkeys(target.group for target in targets):
        modules = [
            Score(
                one.module,
                every[one.module] - equivalent[one.module],
                every[one.module] - equivalent[one.module] - left[one.module],
                equivalent[one.module],
            )
            for one in targets
            if one.group == group
        ]
        total = (sum(column) for column in zip(*(score[1:] for score in modules), strict=True))
        scores += [*modules, Score(group, *total)]
    return scores


def _table(scores: Iterable[Score]) -> str:
    rows = [
        f"| {one.name} | {one.tried} | {one.killed} | {one.tried - one.killed} | {one.equivalent} | {one.percent:.1f} % |"
        for one in scores
    ]
    head = ["| module | mutants | killed | survived | equivalent | score |", "| --- | --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
