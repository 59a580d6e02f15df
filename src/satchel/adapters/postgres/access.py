"""The users and tokens of a store in PostgreSQL, in its schema: every server asks the same list, and asks at every request."""

from collections.abc import Callable
from contextlib import suppress

import msgspec

from satchel.adapters.postgres.address import StoreAddress
from satchel.adapters.postgres.connection import Connection
from satchel.adapters.postgres.database import PostgresDatabase
from satchel.domain.access import AccessToken, User
from satchel.domain.access_list import NOBODY, AccessList, find_token
from satchel.errors import InvalidRequest


class PostgresAccess:
    """Implements ports.AccessStore."""

    def __init__(self, address: StoreAddress) -> None:
        self._database = PostgresDatabase(address)

    def read(self) -> AccessList:
        with self._database.reading() as db:
            return _read(db)

    def change(self, change: Callable[[AccessList], AccessList]) -> AccessList:
        with self._database.writing() as db:
            db.create_schema(self._database.address.schema)
            db.execute("CREATE TABLE IF NOT EXISTS access_list (content TEXT NOT NULL)")
            changed = change(_read(db))
            db.execute("DELETE FROM access_list")
            db.execute("INSERT INTO access_list VALUES (?)", (msgspec.json.encode(changed).decode(),))
            return changed

    def find(self, digest: str) -> tuple[AccessToken, User | None] | None:
        with suppress(InvalidRequest):
            return find_token(self.read(), digest)
        return None

    def close(self) -> None:
        """Close the connections."""
        self._database.close()


def _read(db: Connection) -> AccessList:
    if not db.columns("access_list"):
        return NOBODY
    content = db.execute("SELECT content FROM access_list").get
    try:
        return NOBODY if content is None else msgspec.json.decode(content, type=AccessList)
    except msgspec.MsgspecError:
        hint = "empty the table access_list and create the users and tokens again"
        raise InvalidRequest("the list of users is damaged", code="damaged_tokens", hint=hint) from None
