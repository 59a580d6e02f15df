"""What the commands load that somebody waits for: imports are most of the time of a short command, and creep in unseen."""

import inspect
import json
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest
from msgspec import Struct

import satchel.domain
import satchel.ports

# Packages and slow modules of the standard library that no quick command needs.
SLOW = frozenset(
    {
        "asyncio",
        "concurrent",
        "ctypes",
        "dataclasses",
        "email",
        "http",
        "inspect",
        "lance",
        "logging",
        "mcp",
        "multiprocessing",
        "numpy",
        "onnxruntime",
        "psycopg",
        "pyarrow",
        "random",
        "rich",
        "selectors",
        "shutil",
        "socket",
        "ssl",
        "subprocess",
        "tempfile",
        "tokenizers",
        "tomlkit",
        "tomllib",
        "traceback",
        "typing_extensions",
        "xml",
        "zipfile",
    }
)
# What only writes, other features and other stores need.
OF_OTHERS = (
    "satchel.adapters.postgres",
    "satchel.adapters.sql.conversations",
    "satchel.adapters.sql.dependents",
    "satchel.adapters.sql.facts",
    "satchel.adapters.sql.graph",
    "satchel.adapters.sql.health",
    "satchel.adapters.sql.memories.erase",
    "satchel.adapters.sql.migrations",
    "satchel.adapters.sql.moves",
    "satchel.adapters.sql.quarantine",
    "satchel.attention",
    "satchel.conversations",
    "satchel.core.preflight",
    "satchel.documents",
    "satchel.domain.safety.orders",
    "satchel.episodes",
    "satchel.explaining",
    "satchel.facts",
    "satchel.graph",
    "satchel.importing",
    "satchel.maintenance",
    "satchel.memories.forget",
    "satchel.memories.storing",
    "satchel.packing",
    "satchel.routing",
    "satchel.turns.capturing",
    "satchel.writeback",
)
# What only a process that opens the store needs.
OF_STORE = (
    "satchel.adapters",
    "satchel.core.run",
    "satchel.domain.masking",
    "satchel.domain.safety.redact",
    "satchel.indexing",
    "satchel.ports.ledger",
    "satchel.recall.recaller",
    "satchel.wiring.adapters",
)
WHAT_TO_DO = (
    "a quick command loads more than before. Import what only some runs need inside the function that needs it, and what "
    "only annotations need under TYPE_CHECKING; see docs/decisions/0066-quick-start.md. Raise the limit only for what "
    "every run of the command needs"
)

EVENT = {"hook_event_name": "PostToolUse", "session_id": "1", "cwd": "/srv", "tool_name": "Bash"}
TOOL = json.dumps({**EVENT, "tool_input": {"command": "make"}, "tool_response": {"stdout": "ok", "stderr": ""}})
PROMPT = json.dumps({"prompt": "on which day do we ship the release?", "mode": "lexical"})

RUN = """
import atexit, os, sys
start = set(sys.modules)
report, sys.argv = sys.argv[1], ["satchel", *sys.argv[2:]]
def tell():
    with open(report, "w", encoding="utf-8") as file:
        file.write(" ".join(set(sys.modules) - start))
atexit.register(tell)
from satchel.__main__ import run
run()
"""
PARSE = """
import sys
start = set(sys.modules)
from satchel.__main__ import _load_msgspec
_load_msgspec()
from satchel.interfaces.cli import main
from satchel.interfaces.cli.parser import parse_command_line
given = parse_command_line(["recall", "on which day do we ship?", "--json", "--home", sys.argv[1]])
assert main._sources(given).settings.home == sys.argv[1]
print(*(set(sys.modules) - start))
"""
CLIENT = """
import sys
start = set(sys.modules)
import satchel.__main__
import satchel.interfaces.hooks.turn_client
print(*(set(sys.modules) - start))
"""


def _python(script: str, *arguments: str, given: str = "") -> str:
    command = [sys.executable, "-I", "-c", script, *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


def _loaded(home: Path, *words: str, given: str = "") -> set[str]:
    report = home.parent / "loaded"
    _python(RUN, str(report), "--home", str(home), *words, given=given)
    return set(report.read_text(encoding="utf-8").split())


def _own(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.partition(".")[0] == "satchel"}


def _among(loaded: set[str], packages: Sequence[str]) -> list[str]:
    return sorted(name for name in loaded if any(f"{name}.".startswith(f"{one}.") for one in packages))


def _check(loaded: set[str], most: int, unwanted: Sequence[str]) -> None:
    assert _among(loaded, unwanted) == [], WHAT_TO_DO
    assert sorted(SLOW & loaded) == [], WHAT_TO_DO
    assert len(_own(loaded)) <= most, WHAT_TO_DO


@pytest.fixture
def stocked(home: Path) -> Path:
    _loaded(home, "store", "We ship the release on Thursdays", "--kind", "decision")
    return home


def test_a_recall_by_words_loads_the_search_alone(stocked: Path) -> None:
    _check(_loaded(stocked, "recall", "on which day do we ship?", "--mode", "lexical"), 245, OF_OTHERS)


def test_a_turn_by_words_loads_the_search_and_the_block(stocked: Path) -> None:
    _check(_loaded(stocked, "turn", "before", given=PROMPT), 262, OF_OTHERS)


def test_a_recall_that_a_server_performs_opens_no_store(home: Path) -> None:
    _check(set(_python(PARSE, str(home)).split()), 114, (*OF_STORE, *OF_OTHERS))


def test_a_turn_that_a_server_performs_loads_the_client_alone() -> None:
    loaded = set(_python(CLIENT).split())

    assert _own(loaded) == {
        "satchel",
        "satchel.__main__",
        "satchel.domain",
        "satchel.domain.scope_name",
        "satchel.domain.text",
        "satchel.errors",
        "satchel.interfaces",
        "satchel.interfaces.hooks",
        "satchel.interfaces.hooks.turn_client",
        "satchel.interfaces.http",
        "satchel.interfaces.http.raw_client",
        "satchel.interrupts",
        "satchel.locations",
        "satchel.os_calls",
    }, WHAT_TO_DO
    assert loaded - _own(loaded) <= {"_socket", "fcntl", "unicodedata"}, WHAT_TO_DO


def test_a_capture_loads_no_settings_and_no_store(home: Path) -> None:
    loaded = _loaded(home, "capture", '{"text": "an event"}')

    _check(loaded, 61, ("msgspec", "satchel.config", *OF_STORE[1:3], *OF_OTHERS))


def test_a_hook_after_a_tool_loads_no_settings_and_no_store(home: Path) -> None:
    loaded = _loaded(home, "hook", "claude-code", "PostToolUse", TOOL)

    _check(loaded, 71, ("msgspec", "satchel.config", *OF_STORE[1:3], *OF_OTHERS))


def test_the_types_of_all_fields_of_values_are_imported_at_run_time() -> None:
    """Values are decoded and masked by the types of their fields, which a name under TYPE_CHECKING would break."""
    unresolved = []
    for package in (satchel.domain, satchel.ports):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for kind in vars(import_module(module.name)).values():
                is_value = inspect.isclass(kind) and (issubclass(kind, Struct) or hasattr(kind, "_fields"))
                if is_value and kind.__module__ == module.name:
                    try:
                        get_type_hints(kind)
                    except NameError as error:
                        unresolved.append(f"{module.name}.{kind.__name__}: {error}")

    assert unresolved == []
