"""Mutants of the modules that keep scopes and trust: the tests of these modules kill them.

`python -m tests.security.mutation` tries every mutant of every module, and prints the score.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.extent import extent
from tests.security.mutation.equivalent import EQUIVALENT
from tests.security.mutation.mutators import mutants, mutants_in
from tests.security.mutation.session import SOURCE
from tests.security.mutation.targets import TARGETS
from tests.tables import each_case

ROOT = Path(__file__).parents[2]
# One of so many mutants is tried.
EVERY = extent((30,), (2,))[0]


@each_case(
    ("source", "changes"),
    [
        ("def f(a):\n    return a < 1", {"return a < 1 → return None", "Lt → LtE", "1 → 2"}),
        ("x = a and not b", {"And → Or", "a and (not b) → not b", "a and (not b) → a", "not b → b"}),
        ("if f(a):\n    g()", {"if f(a): g() → if not f(a): g()", "g() → pass"}),
        ("y = [a for a in b if a]", {"for a in b if a → for a in b"}),
        ("q = 'm.a = ? AND m.b = ?'", None),
        ("with lock, other as o:\n    pass", {"with lock, other as o: pass → with other as o: pass"}),
        ("f(a, key=1)", {"f(a, key=1) → pass", "f(a, key=1) → f(a)", "1 → 2"}),
        ("y = x[:n]", {":n → :", ":n → :n + 1"}),
        ("raise Refused('words', code='c', hint='more words')", None),
        ("def f(a: 'text') -> 'text':\n    '''Words.'''", set()),
        ("LIMIT = 5000", {"5000 → 0"}),
        ("R = re.compile('[a-c]')", {"'[a-c]' → '[]'", "'[a-c]' → '[a-b]'"}),
    ],
)
def test_a_source_has_these_mutants(source: str, changes: set[str] | None) -> None:
    found = {one.text for one in mutants_in(source)}
    if changes is not None:
        assert found == changes
    assert not any("words" in text.partition(" → ")[2].casefold() and "code='c'" not in text for text in found)


def test_a_condition_of_a_query_is_removed_and_reversed() -> None:
    assert {one.new.value for one in mutants_in("q = 'm.a = ? AND m.b > ?'")} == {
        "m.a = ? OR m.b > ?",
        "m.a = ? AND m.b >= ?",
        "m.a != ? AND m.b > ?",
        "m.a = ?",
    }


def test_every_mutant_can_be_compiled() -> None:
    for one in mutants(SOURCE, "domain/trust.py"):
        # Each change needs a tree of its own.
        fresh = next(again for again in mutants(SOURCE, one.module) if again[:5] == one[:5])
        compile(fresh.apply(), one.module, "exec")


def test_every_equivalent_mutant_still_exists() -> None:
    known = {(one.module, one.function, one.text) for target in TARGETS for one in mutants(SOURCE, target.module)}
    assert set(EQUIVALENT) - known == set()
    assert all(EQUIVALENT.values())


def test_the_tests_of_each_module_exist() -> None:
    assert [name for target in TARGETS for name in target.tests if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("module", ["domain/trust.py", "domain/view.py"])
def test_mutants_of_scope_and_trust_are_killed(module: str) -> None:
    command = [sys.executable, "-m", "tests.security.mutation", "--survivors", "--every", str(EVERY), "--only", module]
    tried = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (tried.returncode, tried.stdout.count("→")) == (0, 0), tried.stdout + tried.stderr
