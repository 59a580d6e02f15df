"""The seeds of scopes, from which ids are derived, and where the records of a scope went, in a ledger."""

from satchel.adapters.sql.engine import Connection, Row, first
from satchel.domain.scopes import ScopeSeeds, seed_after_move


def seeds_of(db: Connection, scope: str) -> ScopeSeeds:
    """Return the seeds of a scope."""
    rows = list[Row](db.execute("SELECT seed, own FROM scope_seeds WHERE scope = ? ORDER BY seed", (scope,)))
    own = next((str(seed) for seed, is_own in rows if is_own), scope)
    return ScopeSeeds(own, tuple(str(seed) for seed, is_own in rows if not is_own))


def pass_on(db: Connection, source: str, target: str, move: int) -> None:
    """Let the target of a move inherit the seeds of the source, and give the source a new one."""
    seeds, own = seeds_of(db, source), seeds_of(db, target).own
    inherit = "INSERT INTO scope_seeds VALUES (?, ?, 0) ON CONFLICT DO NOTHING"
    db.executemany(inherit, [(target, seed) for seed in seeds.all if seed != own])
    db.execute("UPDATE scope_seeds SET own = 0 WHERE scope = ?", (source,))
    db.execute(inherit, (source, seeds.own))
    db.execute("INSERT INTO scope_seeds VALUES (?, ?, 1)", (source, seed_after_move(source, move)))


def moved_to(db: Connection, scope: str, at: int) -> str:
    """Return the scope that has now what a scope had at a moment."""
    query = """
        SELECT number, target FROM scope_moves
        WHERE source = ? AND at >= ? AND number > ? AND taken_back = 0 ORDER BY number LIMIT 1"""
    move = 0
    while (found := first(db.execute(query, (scope, at, move)))) is not None:
        move, scope = int(found[0]), str(found[1])
    return scope
