"""A server that cannot be reached: which failures are waited for, and what a person is told."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.postgres import database
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.reach import Reach
from satchel.interfaces.cli.main import main


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ("127.0.0.1:1", "the connection was refused"),
        ("nowhere.invalid", "the host is unknown"),
        ("%2Fno%2Fsuch%2Ffolder", "there is no such socket"),
    ],
)
def test_a_server_that_is_not_there_is_named_at_once(
    server: str, why: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    assert main(["--home", str(home), "--store", f"postgresql://anna:hunter2@{server}/satchel", "list"]) == 1
    assert time.monotonic() - began < database.CONNECT_SECONDS / 2
    said = capsys.readouterr().err
    assert f"cannot be reached: {why} (" in said
    assert "hunter2" not in said and "waiting" not in said


def test_a_server_that_does_not_answer_is_waited_for_and_the_person_is_told(
    silent_port: int, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CONNECT_SECONDS", 1.5)
    monkeypatch.setattr(database, "TELL_SECONDS", 0.2)
    assert main(["--home", str(home), "--store", f"postgresql://anna@127.0.0.1:{silent_port}/satchel", "list"]) == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("waiting for postgresql://") and first.endswith("no answer yet")
    assert "cannot be reached: no answer (" in last


def test_a_person_is_told_once_that_a_store_was_made(
    address: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for told in (f"created a new store in {parse_address(address).shown}", ""):
        assert main(["--home", str(home), "--store", address, "list"]) == 0
        assert capsys.readouterr().err.strip() == told


@pytest.mark.parametrize(
    ("failure", "lasts"),
    [
        ('connection to server at "db" failed: FATAL:  the database system is starting up', False),
        ("connection timeout expired", False),
        ("Multiple attempts:\n- a: Connection refused\n- b: session is read-only", False),
        ('FATAL:  password authentication failed for user "anna"', True),
        ('FATAL:  database "satchel" does not exist', True),
        ("server does not support SSL, but SSL was required", True),
        ('invalid URI query parameter: "sslmod"', True),
        ('invalid target_session_attrs value: "foo"', True),
        ('FATAL:  permission denied for database "satchel"', True),
        ("a failure that nobody knows", False),
    ],
)
def test_only_what_may_pass_is_waited_for(failure: str, lasts: bool) -> None:
    reach = Reach(parse_address("postgresql://anna:hunter2@db.example.org/satchel"))
    reach.note(failure)
    assert bool(reach.lasting_failure()) is lasts
    assert "hunter2" not in reach.error().message and "FATAL" not in reach.error().message


def test_a_server_that_has_answered_once_is_waited_for() -> None:
    reach = Reach(parse_address("postgresql://anna@db.example.org/satchel"))
    reach.note("")
    reach.note("Connection refused")
    assert not reach.lasting_failure()


def test_an_address_is_set_with_a_warning_if_nothing_answers_there(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(home), "config", "set", "ledger", "postgresql://anna@127.0.0.1:1/satchel"]) == 0
    printed = capsys.readouterr()
    assert "cannot be reached: the connection was refused" in printed.err
    assert "set in" in printed.out
