"""Views as SQL conditions: each query sees exactly the rows that the rules admit."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import apsw
import pytest
from msgspec.structs import replace

from satchel.adapters.sql.where import (
    IDS_PER_QUERY,
    UNUSUAL,
    Clause,
    all_of,
    between,
    contains_pattern,
    id_batches,
    observation_clause,
    one_of,
    reach_clause,
    scopes_of,
    standing_clause,
    upsert,
    view_clause,
)
from satchel.domain.media import has_media
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
MEMORIES += [
    Memory(MemoryId(f"of {refs}"), "text", "global", created_at=1, updated_at=1, media_refs=refs)
    for refs in (("a.png",), ("b.pdf",), ("a.png", "b.pdf"))
]
COLUMNS = ("id", "scope", "trust", "state", "kind", "label", "valid_from", "valid_to", "media_refs")


@pytest.fixture(scope="module")
def db() -> Iterator[apsw.Connection]:
    """A table with every combination of what a view looks at."""
    connection = apsw.Connection(":memory:")
    connection.execute(f"CREATE TABLE memories ({', '.join(COLUMNS)})")
    connection.create_scalar_function("has_media", _has_media, 2)
    rows = [(*(getattr(one, name) for name in COLUMNS[:-1]), json.dumps(one.media_refs)) for one in MEMORIES]
    values = [tuple(str(value) if isinstance(value, str) else value for value in row) for row in rows]
    connection.executemany(f"INSERT INTO memories VALUES ({', '.join('?' * len(COLUMNS))})", values)
    yield connection
    connection.close()


def _has_media(*given: Any) -> int:
    refs, wanted = given
    return has_media(json.loads(refs), wanted)


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
    View(GLOBAL, NOW, media="image"),
    View(GLOBAL, NOW, media="any"),
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


@each_case("view", VIEWS)
def test_observations_are_narrowed_by_scope_trust_state_and_label(db: apsw.Connection, view: View) -> None:
    told = View(view.reach, NOW, states=view.states, trusts=view.trusts, labels=view.labels, timeless=True)
    assert found(db, observation_clause(view)) == {one.id for one in MEMORIES if held_out_by(one, told) is None}


def test_a_search_is_narrowed_to_scopes_unless_it_is_of_all() -> None:
    assert scopes_of(Reach(("global", "team"))) == ("global", "team")
    assert scopes_of(EVERYWHERE) is None


def test_a_row_with_a_known_key_replaces_the_values() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a, b, c, d, PRIMARY KEY (a, b))")
    statement = upsert("t", ("a", "b", "c", "d"), ("a", "b"))
    for row in ((1, 1, "old", "older"), (1, 2, "other", ""), (1, 1, "new", "newer")):
        connection.execute(statement, row)
    assert connection.execute("SELECT * FROM t ORDER BY a, b").fetchall() == [
        (1, 1, "new", "newer"),
        (1, 2, "other", ""),
    ]
    # A key is compared, never written again.
    assert "a = excluded" not in statement and "b = excluded" not in statement
    connection.close()


@each_case(
    ("part", "matching"),
    [
        ("b", {"abc", "a%b", "a_b", "a\\b"}),
        ("%", {"a%b"}),
        ("_", {"a_b"}),
        ("\\", {"a\\b"}),
        ("a%", {"a%b"}),
        ("x", {"ax"}),
    ],
)
def test_a_pattern_matches_what_contains_a_text_as_it_is(part: str, matching: set[str]) -> None:
    connection = apsw.Connection(":memory:")
    texts = ("abc", "a%b", "a_b", "a\\b", "ax", "a")
    like = "SELECT ? LIKE ? ESCAPE '\\'"
    assert {one for one in texts if connection.execute(like, (one, contains_pattern(part))).get} == matching
    connection.close()


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
