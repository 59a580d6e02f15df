"""A table of cases as one test: every case is tried, and the failing ones are reported together by name."""

import functools
import inspect
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

Test = Callable[..., None]
Naming = Sequence[object] | Callable[[Any], object] | None

LONGEST_NAME = 200


def each_case(names: str | Sequence[str], cases: Iterable[Any], ids: Naming = None) -> Callable[[Test], Test]:
    """Run a test once for each case, like `pytest.mark.parametrize` but as a single test.

    The cases share the test's fixtures. Where a case needs fresh ones, parametrize instead.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [case if len(arguments) > 1 else (case,) for case in cases]
    if not table:
        raise ValueError("a table without cases tests nothing")

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def over_the_table(*positional: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            for place, values in enumerate(table):
                try:
                    test(*positional, **fixtures, **dict(zip(arguments, values, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 every failure is raised below
                    failure.add_note(f"case: {_label(values, place, ids)}")
                    failures.append(failure)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} cases failed", failures)

        signature = inspect.signature(test)
        unknown = set(arguments) - set(signature.parameters)
        if unknown:
            raise TypeError(f"{test.__name__} does not take {', '.join(sorted(unknown))}")
        kept = [one for one in signature.parameters.values() if one.name not in arguments]
        over_the_table.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return over_the_table

    return decorate


def fresh_folder(parent: Path) -> Path:
    """Make an empty folder for one case of a table, whose cases share `tmp_path`."""
    return Path(tempfile.mkdtemp(dir=parent))


def _label(values: Sequence[Any], place: int, ids: Naming) -> str:
    if ids is None:
        label = ", ".join(map(repr, values))
    elif callable(ids):
        label = ", ".join(str(ids(value)) for value in values)
    else:
        label = str(ids[place])
    return label if len(label) <= LONGEST_NAME else f"{label[:LONGEST_NAME]}…"
