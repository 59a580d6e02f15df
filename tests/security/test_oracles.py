"""A foreign id is answered exactly as an id that does not exist, and changes nothing of another scope."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from satchel.interfaces.agents import TOOLS, Bounds
from satchel.interfaces.operations import Operation, Parameter, Session
from tests.faults.extent import extent
from tests.security.canaries import MINE, STOCK
from tests.security.cases import BY_NAME, CASES, as_agent, as_operator
from tests.security.conftest import Stock, open_still
from tests.security.masks import lookalike, masked

Opened = Callable[[], Session]
Ask = Callable[[Session, Operation, dict[str, Any]], str]

REFERENCES = frozenset(
    [
        "after",
        "caused_by",
        "change",
        "collection",
        "conversation",
        "end",
        "evidence",
        "expect",
        "first",
        "head",
        "id",
        "ids",
        "memory_id",
        "name",
        "point",
        "project",
        "receipt",
        "replacement_memory_id",
        "replaces",
        "replaces_memory_id",
        "second",
        "seq",
        "session",
        "session_id",
        "source",
        "source_ref",
        "source_refs",
        "sources",
        "stale_memory_ids",
        "start",
        "subject",
        "supersedes",
        "tail",
        "target",
        "task",
        "task_id",
        "assertion_ref",
    ]
)
"""Parameters that name a record, or what a record belongs to."""
PROSE = frozenset(
    [
        "actor",
        "alternatives",
        "because",
        "by",
        "choice",
        "effects",
        "events",
        "goal",
        "head_type",
        "hint",
        "idea",
        "keywords",
        "label",
        "language",
        "lessons",
        "lines",
        "media",
        "mentions",
        "next_time",
        "note",
        "object",
        "outcome",
        "predicate",
        "procedure_title",
        "prompt",
        "query",
        "question",
        "reason",
        "recent_failures",
        "reflection_title",
        "refresh_reason",
        "relation",
        "relations",
        "speaker",
        "summary",
        "tag",
        "tags",
        "tail_type",
        "text",
        "title",
        "topic",
        "type",
        "unresolved_questions",
        "user_constraints",
        "what_failed",
        "what_worked",
    ]
)
"""Parameters that take text."""
OTHER = frozenset(
    [
        "into",
        "scopes",
        "as_of",
        "at",
        "cwd",
        "embedder",
        "known_at",
        "lossless",
        "now",
        "operation",
        "operations",
        "out_path",
        "in_path",
        "take_over",
        "recency_ts",
        "role",
        "role_scope",
        "scope",
        "since",
        "until",
        "valid_from",
        "valid_from_ts",
        "valid_to",
        "valid_to_ts",
        "file",
        "svg",
        "globs",
        "source_roots",
        "source_globs",
        "source_kind",
    ]
)
"""Times, paths, roles, names of settings."""


def texts_of(operation: Operation) -> list[Parameter]:
    """Return the parameters of an operation that take any text."""
    return [one for one in operation.parameters if one.type is str and not one.choices]


def test_every_text_parameter_is_sorted() -> None:
    known = REFERENCES | PROSE | OTHER

    assert not {f"{name}: {one.name}" for name in CASES for one in texts_of(BY_NAME[name]) if one.name not in known}


def calls_with(operation: Operation, names: frozenset[str], value: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each parameter of these with a call in which it is set to a value."""
    for one in texts_of(operation):
        if one.name in names:
            base = dict(CASES[operation.name][0])
            if one.name in ("id", "memory_id", "target"):
                base.pop("query", None)
            yield one.name, {**base, one.name: [value] if one.repeated else value}


def operator(session: Session, operation: Operation, call: dict[str, Any]) -> str:
    return as_operator(session, operation, call, MINE)


def agent(session: Session, operation: Operation, call: dict[str, Any]) -> str:
    return as_agent(session, operation, call, Bounds(scope=MINE))


def edges() -> list[tuple[Ask, Operation]]:
    """Every operation as the operator, and every tool as an agent."""
    return [*((operator, BY_NAME[name]) for name in CASES), *((agent, one) for one in TOOLS.values())]


def foreign_ids(stock: Stock) -> list[str]:
    """Return the ids of one foreign scope, and short forms of them."""
    ids = stock.foreign[-1].ids
    return [*ids.values(), ids["memory"][:8], ids["observation"][:10], f"mem:{ids['memory'][:8]}"]


def foreign_rows(home: Path) -> list[Any]:
    """Return the rows of every other scope, from every table that has a scope."""
    with closing(apsw.Connection(str(home / "ledger.sqlite3"))) as connection:
        tables = "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'scope'"
        return [(name, _rows_elsewhere(connection, str(name))) for (name,) in connection.execute(tables).fetchall()]


def _rows_elsewhere(connection: apsw.Connection, table: str) -> list[Any]:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    # A search makes the vectors that are missing, of any scope, and counts them.
    kept = ", ".join(f'"{one}"' for one in columns if (table, one) != ("passages", "touched"))
    return connection.execute(f"SELECT {kept} FROM {table} WHERE scope != ?", (MINE,)).fetchall()


# The person owns every scope: these answer about the whole store, and no agent has them.
FOR_THE_OPERATOR = {
    ("attention add", "id"),  # an id can be used once in a store
    ("receipts show", "name"),
    ("receipts compare", "first"),
    ("receipts compare", "second"),
    ("scopes rename", "name"),  # an invalid name is answered with those of scopes that are like it
    ("why-not", "expect"),  # says in which scope the record is
}


def told_apart(ask: Ask, operation: Operation, ids: Sequence[str], real: Session, absent: Session) -> Iterator[Any]:
    """Yield the calls that answer differently for a foreign id and for one that does not exist."""
    for id in ids:
        blind = calls_with(operation, REFERENCES, lookalike(id))
        for (name, call), (_, other) in zip(calls_with(operation, REFERENCES, id), blind, strict=True):
            if ask is operator and (operation.name, name) in FOR_THE_OPERATOR:
                continue
            one, two = _answer(ask, real, operation, call, id), _answer(ask, absent, operation, other, lookalike(id))
            if one != two:
                yield ask.__name__, operation.name, name, id, one, two


def _answer(ask: Ask, session: Session, operation: Operation, call: dict[str, Any], id: str) -> str:
    return masked(ask(session, operation, call).replace(str(session.settings.home), "HOME"), id)


def test_a_foreign_id_is_answered_like_one_that_does_not_exist(stock: Stock, tmp_path: Path) -> None:
    ids = foreign_ids(stock)
    untouched = foreign_rows(stock.home)
    for number, (ask, operation) in enumerate(extent(edges()[::6], edges())):
        # Both copies take the same steps, so that whatever differs was told by an id.
        homes = [stock.copy(tmp_path / str(number) / side / "home") for side in ("real", "absent")]
        real, absent = map(open_still, homes)
        with closing(real), closing(absent):
            assert not list(told_apart(ask, operation, extent(ids[::4], ids), real, absent))
        for home in homes:
            assert foreign_rows(home) == untouched, operation.name
            shutil.rmtree(home)


def test_foreign_words_find_nothing(stock: Stock, opened: Opened) -> None:
    session = opened()
    for other in extent(stock.foreign[:1], stock.foreign[::10]):
        for ask, operation in extent(edges()[::3], edges()):
            if ask is operator and operation.name == "why-not":
                continue
            for name, call in calls_with(operation, PROSE, other.canary):
                answer = ask(session, operation, call)
                found = [id for kind, id in other.ids.items() if kind not in ("session", "document") and id in answer]
                assert not found, (operation.name, name)
                assert f"{STOCK} {other.canary}" not in answer, (operation.name, name)
