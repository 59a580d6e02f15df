"""One pytest session in which every mutant is tried: collected once, and forked for each mutant.

A mutant in a function replaces the code of that function, which every importer shares. A mutant in what an import runs
needs a process that has not imported Satchel yet, and is tried with the tests that the first session found.
"""

import ast
import importlib
import importlib.abc
import importlib.machinery
import os
import pickle
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from tests.security.mutation.mutators import Mutant
from tests.security.mutation.processes import KILLED, SURVIVED, complain, fork_each, limit_time

SOURCE = Path(__file__).parents[3] / "src" / "satchel"
OPTIONS = (
    "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no", "--no-header", "--no-summary", "-s",
    "-o", "tmp_path_retention_policy=none", "-W", "ignore::pytest.PytestAssertRewriteWarning",
)  # fmt: skip


class Seen(NamedTuple):
    """What a test was found to do: how long it computes, whatever else the machine does, and the lines of the modules that it runs."""

    test: str
    seconds: float
    lines: frozenset[tuple[str, int]]


def _computed() -> float:
    """Return how long this process and its children have computed."""
    return sum(os.times()[:4])


class Observer:
    """A pytest plugin that runs every collected test once, and writes down what each one runs."""

    def __init__(self, modules: Sequence[str], report: Path) -> None:
        self._names = {str(SOURCE / module): module for module in modules}
        self._report = report
        self._lines: set[tuple[str, int]] = set()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        # As the mutants, which must not leave files in the source tree.
        os.chdir(self._report.parent)
        seen = [one for item in session.items if (one := self._observe(item)) is not None]
        self._report.write_bytes(pickle.dumps(seen))
        return True

    def _observe(self, item: pytest.Item) -> Seen | None:
        self._lines, start = set(), _computed()
        sys.settrace(self._trace)
        threading.settrace(self._trace)
        try:
            passed = run_test(item)
        finally:
            sys.settrace(None)
            threading.settrace(None)
        if not passed:
            complain(f"left out, since it fails without a mutant: {item.nodeid}")
            return None
        return Seen(item.nodeid, _computed() - start, frozenset(self._lines))

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        module = self._names.get(frame.f_code.co_filename)
        return None if module is None else self._line_tracer(module)

    def _line_tracer(self, module: str) -> Any:
        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                self._lines.add((module, frame.f_lineno))
            return trace

        return trace


class Trial(NamedTuple):
    """A mutant, the tests to run against it, and the time after which it counts as endless."""

    number: int
    mutant: Mutant
    tests: tuple[str, ...]
    limit: float


class Warm:
    """A pytest plugin that tries mutants of functions on the collected tests."""

    def __init__(self, trials: Sequence[Trial], workers: int, folder: Path, done: Callable[[int, int], None]) -> None:
        self._trials = trials
        self._workers = workers
        self._folder = folder
        self._done = done

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        os.chdir(self._folder)
        jobs = ((one.number, partial(_try_warm, one, items, self._folder / str(one.number))) for one in self._trials)
        for number, status in fork_each(jobs, self._workers):
            self._done(number, status)
        return True


def _try_warm(trial: Trial, items: dict[str, pytest.Item], folder: Path) -> int:
    limit_time(trial.limit)
    replace_function(trial.mutant)
    chosen = [items[test] for test in trial.tests]
    # The first use empties the folder of temporary files, so each process has its own.
    chosen[0].config._tmp_path_factory._given_basetemp = folder  # type: ignore[attr-defined]
    try:
        return SURVIVED if all(map(run_test, chosen)) else KILLED
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def try_cold(trial: Trial, folder: Path) -> int:
    """Import the mutated module, then Satchel and the tests, and run them."""
    silence()
    limit_time(trial.limit)
    sys.meta_path.insert(0, MutatedModule(trial.mutant))
    try:
        # Whatever else it is, an error of the import or the collection included, kills the mutant.
        passed = pytest.main([*OPTIONS, "-x", f"--basetemp={folder}", *trial.tests]) == pytest.ExitCode.OK
        return SURVIVED if passed else KILLED
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_test(item: pytest.Item) -> bool:
    """Run a test with its fixtures, and return whether nothing failed."""
    return not any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))


def replace_function(mutant: Mutant) -> None:
    """Give a function its mutated code; every module that imported the function has the mutant."""
    path = str(SOURCE / mutant.module)
    code = _code_of(compile(mutant.apply(), path, "exec"), mutant.function)
    found: Any = importlib.import_module(_module_name(mutant.module))
    for name in mutant.function.split("."):
        found = vars(found)[name]
    _function(found).__code__ = code


def _function(found: Any) -> FunctionType:
    while not isinstance(found, FunctionType) or hasattr(found, "__wrapped__"):
        found = getattr(found, "fget", None) or getattr(found, "func", None) or found.__wrapped__
    return found


def _code_of(code: CodeType, name: str) -> CodeType:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_qualname == name:
                return const
            if name.startswith(f"{const.co_qualname}."):
                return _code_of(const, name)
    raise LookupError(name)


def _module_name(module: str) -> str:
    return "satchel." + module.removesuffix(".py").replace("/", ".")


class MutatedModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from its mutated syntax tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._name = _module_name(mutant.module)
        self._path = str(SOURCE / mutant.module)
        self._tree: ast.Module = mutant.apply()

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self._path)

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._path
        exec(compile(self._tree, self._path, "exec"), vars(module))


def silence() -> None:
    """Send the output of tests nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
