"""Views as SQL conditions: each query sees exactly the rows that the rules admit."""

from collections.abc import Iterator
from itertools import product

import apsw
import pytest
from msgspec.structs import replace

from satchel.adapters.sql.where import (
    IDS_PER_QUERY,
    UNUSUAL,
    Clause,
    all_of,
    between,
    id_batches,
    one_of,
    reach_clause,
    standing_clause,
    view_clause,
)
from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View, admin_view, held_out_by, is_unusual
from tests.tables import each_case

NOW = 1_000
DATES = (None, NOW - 1, NOW, NOW + 1)
MEMORIES = [
    Memory(
        MemoryId(f"m{number}"),
        "text",
        scope,
        created_at=1,
        updated_at=1,
        trust=trust,
        state=state,
        kind=kind,
        label=label,
        valid_from=start,
        valid_to=end,
    )
    for number, (scope, trust, state, kind, label, start, end) in enumerate(
        product(
            ("global", "team"),
            Trust,
            (State.ACTIVE, State.ARCHIVED, State.RETIRED),
            (Kind.FACT, Kind.TODO),
            (Label.UNKNOWN, Label.MUST_REMEMBER),
            DATES,
            DATES,
        )
    )
]
COLUMNS = ("id", "scope", "trust", "state", "kind", "label", "valid_from", "valid_to")


@pytest.fixture(scope="module")
def db() -> Iterator[apsw.Connection]:
    """A table with every combination of what a view looks at."""
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE TABLE memories ({', '.join(COLUMNS)})")
    rows = [tuple(getattr(one, name) for name in COLUMNS) for one in MEMORIES]
    values = [tuple(str(value) if isinstance(value, str) else value for value in row) for row in rows]
    connection.executemany(f"INSERT INTO memories VALUES ({', '.join('?' * len(COLUMNS))})", values)
    yield connection
    connection.close()


def found(db: apsw.Connection, clause: Clause) -> set[str]:
    where, values = clause
    return {id for (id,) in db.execute(f"SELECT id FROM memories m WHERE {where}", values)}


GLOBAL = Reach(("global",))
VIEWS = [
    View(GLOBAL, NOW),
    View(EVERYWHERE, NOW),
    View(Reach(("global", "team")), NOW, trusts=(Trust.TRUSTED,)),
    View(GLOBAL, NOW, states=(State.ARCHIVED,)),
    View(GLOBAL, NOW, kinds=(Kind.TODO,)),
    View(GLOBAL, NOW, labels=(Label.MUST_REMEMBER,)),
    View(GLOBAL, NOW, timeless=True),
    View(GLOBAL, NOW, trusts=()),
    admin_view(Reach(("team",)), NOW),
]


@each_case("view", VIEWS)
def test_a_query_sees_exactly_what_the_rules_admit(db: apsw.Connection, view: View) -> None:
    assert found(db, view_clause(view)) == {one.id for one in MEMORIES if held_out_by(one, view) is None}


@each_case("view", VIEWS)
def test_the_parts_of_a_view_are_its_scope_and_everything_else(db: apsw.Connection, view: View) -> None:
    assert found(db, reach_clause(view.reach)) == {one.id for one in MEMORIES if view.reach.admits(one.scope)}
    anywhere = replace(view, reach=EVERYWHERE)
    assert found(db, standing_clause(view)) == {one.id for one in MEMORIES if held_out_by(one, anywhere) is None}


def test_the_index_of_unusual_records_has_all_of_them(db: apsw.Connection) -> None:
    assert found(db, (UNUSUAL, [])) == {one.id for one in MEMORIES if is_unusual(one)}


def test_a_range_includes_its_ends(db: apsw.Connection) -> None:
    assert found(db, between("m.id", "m10", "m12")) == {one.id for one in MEMORIES if "m10" <= one.id <= "m12"}


def test_conditions_are_joined_and_their_values_kept_in_order() -> None:
    assert all_of(one_of("a", ["x", "y"]), between("b", "1", "2")) == (
        "a IN (?, ?) AND b BETWEEN ? AND ?",
        ["x", "y", "1", "2"],
    )


def test_many_ids_are_asked_for_in_batches() -> None:
    ids = [f"m{number}" for number in range(2 * IDS_PER_QUERY + 1)]
    batches = list(id_batches("id", ids))
    assert IDS_PER_QUERY == 500
    assert [len(values) for _, values in batches] == [IDS_PER_QUERY, IDS_PER_QUERY, 1]
    assert [value for _, values in batches for value in values] == ids
    assert list(id_batches("id", [])) == []
