"""Row-level security: the database itself shows a caller no row of a scope that it may not see.

Not even the owner of the tables is exempt, only a superuser. A connection that says nothing sees nothing.
"""

from satchel.adapters.postgres.connection import Connection
from satchel.adapters.sql.engine import Connection as EngineConnection

EVERYTHING = "*"
# Between the names of scopes, in which it cannot occur.
_BETWEEN = "\x1f"
_SETTING = "satchel.scopes"

_POLICY = "visible_scopes"
# Both are asked once for a statement, not for each row: that is what the brackets with SELECT are for.
_VISIBLE = "((SELECT sees_everything()) OR scope = ANY ((SELECT visible_scopes())::text[]))"
_FUNCTIONS = (
    f"""
    CREATE OR REPLACE FUNCTION sees_everything() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT coalesce(current_setting('{_SETTING}', true), '') = '{EVERYTHING}' $$
    """,
    f"""
    CREATE OR REPLACE FUNCTION visible_scopes() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT string_to_array(current_setting('{_SETTING}', true), chr({ord(_BETWEEN)})) $$
    """,
)


def enable_row_security(db: Connection) -> None:
    """Put a policy on every table with a scope that has none yet, and on the history of memories."""
    for function in _FUNCTIONS:
        db.raw.execute(function.encode())
    for table in tables_without_policy(db):
        # That of an earlier version asked for each row.
        db.execute(f"DROP POLICY IF EXISTS own_scopes ON {table}")
        db.execute(f"CREATE POLICY {_POLICY} ON {table} USING {_VISIBLE} WITH CHECK {_VISIBLE}")
        _enable(db, table)
    if _has_no_policy(db, "events"):
        # An event has the scope of its memory. That of a forgotten memory has no content any more.
        db.execute(
            "CREATE POLICY own_scopes ON events USING (before IS NULL OR EXISTS "
            "(SELECT 1 FROM memories m WHERE m.id = memory_id)) WITH CHECK (true)"
        )
        _enable(db, "events")


def tables_without_policy(db: EngineConnection) -> list[str]:
    """Return the tables that have a scope and no policy."""
    query = f"""
        SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'scope'
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped
        AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = '{_POLICY}') ORDER BY 1"""
    return [name for (name,) in db.execute(query)]


def limit_value(scopes: tuple[str, ...] | None) -> str:
    """Return the value of the setting for some scopes; None means all."""
    return EVERYTHING if scopes is None else _BETWEEN.join(scopes)


def set_limit(db: Connection, scopes: tuple[str, ...]) -> None:
    """Show only these scopes until the transaction ends."""
    db.raw.execute("SELECT set_config(%s, %s, true)", (_SETTING, limit_value(scopes)))


def is_exempt(db: EngineConnection) -> bool:
    """Return whether the user of this connection is not bound by policies."""
    return bool(db.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").get)


def _has_no_policy(db: Connection, table: str) -> bool:
    return db.execute("SELECT 1 FROM pg_policy WHERE polrelid = to_regclass(?)", (table,)).get is None


def _enable(db: Connection, table: str) -> None:
    db.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    db.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
