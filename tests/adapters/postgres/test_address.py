"""Addresses of stores in PostgreSQL."""

import pytest

from satchel.adapters.postgres.address import parse_address
from satchel.errors import InvalidRequest


def test_an_address_names_a_database_and_a_schema() -> None:
    found = parse_address("postgresql://ann:secret@db.example.org:5433/memory?schema=team&sslmode=require")
    assert found.conninfo == "postgresql://ann:secret@db.example.org:5433/memory?sslmode=require"
    assert found.schema == "team"


def test_a_password_is_never_shown() -> None:
    found = parse_address("postgresql://ann:secret@db.example.org/memory")
    assert found.shown == "postgresql://ann@db.example.org/memory?schema=satchel"


@pytest.mark.parametrize("password", ["se@cret", "12/se@cret", "12/secret", "12?secret", "12#secret"])
def test_a_password_that_is_not_encoded_is_refused_without_being_shown(password: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_address(f"postgresql://ann:{password}@db.example.org/memory")
    assert "cret" not in f"{refused.value}{refused.value.hint}"


def test_several_servers_can_be_named() -> None:
    found = parse_address(
        "postgresql://ann:secret@one.example.org:5433,[::1]:5432/memory?target_session_attrs=read-write"
    )
    assert found.conninfo == (
        "postgresql://ann:secret@one.example.org:5433,[::1]:5432/memory?target_session_attrs=read-write"
    )
    assert found.shown == "postgresql://ann@one.example.org:5433,[::1]:5432/memory?schema=satchel"


def test_a_socket_needs_no_host() -> None:
    assert parse_address("postgresql:///memory?host=/run/postgresql").conninfo == (
        "postgresql:///memory?host=%2Frun%2Fpostgresql"
    )


@pytest.mark.parametrize(
    "text",
    [
        "mysql://host/db",
        "postgresql://host:port/db",
        "postgresql://one:5432,two:port/db",
        "postgresql://host/db?schema=",
        "postgresql://host/db?schema=Team",
        "postgresql://host/db?schema=pg_catalog",
        'postgresql://host/db?schema=a";DROP TABLE x',
        f"postgresql://host/db?schema={'a' * 64}",
        "postgresql://[::1/db",
    ],
)
def test_a_wrong_address_is_one_clear_error(text: str) -> None:
    with pytest.raises(InvalidRequest) as failed:
        parse_address(text)
    assert "example.org" in str(failed.value.hint)
    assert "DROP" not in failed.value.message
