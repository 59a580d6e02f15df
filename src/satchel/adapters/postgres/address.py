"""The address of a store in PostgreSQL: a database, and a schema in it."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

from msgspec import Struct

from satchel.errors import InvalidRequest

SCHEMES = ("postgresql", "postgres")
DEFAULT_SCHEMA = "satchel"
# One of several servers: a name or a number, and perhaps a port.
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:@]*)(?::\d{1,5})?")
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class StoreAddress(Struct, frozen=True):
    """Where a store is: how to connect, and the schema that holds its tables."""

    conninfo: str
    schema: str
    shown: str
    """The address without a password, for messages."""


def is_address(text: str) -> bool:
    """Return whether a text is meant as an address of PostgreSQL."""
    return text.startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def parse_address(text: str) -> StoreAddress:
    """Read an address such as postgresql://user@host/database?schema=team."""
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise InvalidRequest("the store's address cannot be read", hint=_EXAMPLE) from error
    if parts.scheme not in SCHEMES:
        raise InvalidRequest("the store's address does not start with postgresql://", hint=_EXAMPLE)
    login, _, hosts = parts.netloc.rpartition("@")
    options = parse_qsl(parts.query, keep_blank_values=True)
    if "@" in login + parts.path + parts.fragment + "".join(name for name, _ in options):
        # A part of it would be taken for the host or the database, and shown.
        raise InvalidRequest(
            "the password in the store's address has characters that must be encoded",
            hint="write @ as %40, / as %2F, ? as %3F and # as %23, or use PGPASSWORD or ~/.pgpass",
        )
    if not all(map(_HOST.fullmatch, hosts.split(","))):
        raise InvalidRequest("a host of the store's address cannot be read", hint=_EXAMPLE)
    schema = next((value for name, value in options if name == "schema"), DEFAULT_SCHEMA)
    if not _SCHEMA.fullmatch(schema) or schema.startswith("pg_"):
        raise InvalidRequest(
            "the schema of a store has small letters, digits and underscores, and does not start with pg_",
            hint=_EXAMPLE,
        )
    rest = urlencode([(name, value) for name, value in options if name != "schema"])
    user = f"{parts.username}@" if parts.username else ""
    return StoreAddress(
        f"postgresql://{parts.netloc}{parts.path}?{rest}",
        schema,
        f"postgresql://{user}{hosts}{parts.path}?schema={schema}",
    )


_EXAMPLE = "for example: postgresql://satchel@db.example.org/satchel?schema=team"
