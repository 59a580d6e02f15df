"""Times that a person reads and types are in the time zone of the machine; those of machines are UTC."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from satchel.domain.moment import HOUR_MS, parse_time
from satchel.domain.periods import periods
from satchel.interfaces.inspector.formatting import moment
from satchel.interfaces.local_time import with_local_times
from tests.interfaces.cli.cli_runner import CliRunner
from tests.tables import each_case

# Half past seven in the morning of the 15th in Shanghai.
LATE = "2026-11-14T23:30:00Z"


def _ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def satchel(home: Path, capsys: pytest.CaptureFixture[str]) -> CliRunner:
    return CliRunner(home, capsys)


@pytest.fixture
def move_to() -> Iterator[Callable[[str], None]]:
    """Return a function that moves the machine to a time zone, until the test ends."""
    patch = pytest.MonkeyPatch()

    def move(zone: str) -> None:
        patch.setenv("TZ", zone)
        time.tzset()

    yield move
    patch.undo()
    time.tzset()


@pytest.fixture
def in_shanghai(move_to: Callable[[str], None]) -> None:
    move_to("Asia/Shanghai")


@pytest.mark.usefixtures("in_shanghai")
def test_output_for_people_is_local_and_json_is_utc(satchel: CliRunner) -> None:
    satchel("capture", json.dumps({"ts": LATE, "tool_name": "bash", "text": "the walrus moved"}))
    satchel("ingest")

    assert "2026-11-15 07:30 · bash" in satchel("search", "walrus")
    assert satchel.json("search", "walrus")["result"]["hits"][0]["at"] == _ms("2026-11-14T23:30")


@pytest.mark.usefixtures("in_shanghai")
def test_a_time_in_a_message_is_local_and_in_json_utc(satchel: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: _ms("2026-11-14T23:30") * 1_000_000)
    satchel("store", "the walrus sleeps")
    satchel("store", "the walrus swims")
    satchel("forget", satchel.json("list")["result"]["memories"][0]["id"])

    assert "forget of 2026-11-15 07:30:00 by cli" in satchel("undo", code=1)
    assert "forget of 2026-11-14T23:30:00.000Z by cli" in satchel.json("undo", code=1)["error"]["message"]


def test_a_message_keeps_what_is_no_time() -> None:
    assert with_local_times("no change '2026-99-99T99:99:99.999Z'") == "no change '2026-99-99T99:99:99.999Z'"


@pytest.mark.usefixtures("in_shanghai")
def test_a_listed_memory_has_its_local_day_and_a_local_day_finds_it(satchel: CliRunner, tmp_path: Path) -> None:
    row = {"id": "w", "text": "the walrus sleeps", "scope": "global", "trust_tier": "untrusted", "createdAt": LATE}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    satchel("import", str(tmp_path / "rows.jsonl"))

    assert "· global · 2026-11-15" in satchel("list")
    assert "the walrus sleeps" in satchel("list", "--since", "2026-11-15", "--until", "2026-11-16")
    assert satchel("list", "--until", "2026-11-15") == "no memories\n"
    assert "the walrus sleeps" in satchel("list", "--since", "2026-11-14T23:00Z", "--until", "2026-11-15 07:31")


@pytest.mark.usefixtures("in_shanghai")
def test_the_inspector_shows_local_time_and_keeps_utc_for_machines() -> None:
    shown = moment(_ms("2026-11-14T23:30"))

    assert shown == (
        '<time datetime="2026-11-14T23:30:00.000Z" title="2026-11-14T23:30:00.000Z">2026-11-15 07:30</time>'
    )


ZONES = [
    ("UTC", "2026-11-15T00:00", "2026-11-15T23:59:59.999"),
    ("Asia/Shanghai", "2026-11-15T16:00", "2026-11-16T15:59:59.999"),
    ("America/Los_Angeles", "2026-11-15T08:00", "2026-11-16T07:59:59.999"),
]


@each_case("zone, start, end", ZONES)
def test_today_is_the_local_day(move_to: Callable[[str], None], zone: str, start: str, end: str) -> None:
    move_to(zone)
    now = _ms("2026-11-15T20:00")
    (asked,) = periods("what did we do today?", now)

    assert parse_time("today", "since", now) == asked.since == _ms(start)
    assert parse_time("today", "until", now, end_of_day=True) == asked.until - 1 == _ms(end)


def test_a_day_on_which_clocks_change_is_as_long_as_it_is(move_to: Callable[[str], None]) -> None:
    move_to("Europe/Berlin")
    (spring,) = periods("on 2026-03-29", _ms("2026-11-15T20:00"))
    (autumn,) = periods("on 2026-10-25", _ms("2026-11-15T20:00"))

    assert [(one.until - one.since) // HOUR_MS for one in (spring, autumn)] == [23, 25]


def test_dates_of_facts_are_utc_like_those_they_were_stated_with(move_to: Callable[[str], None]) -> None:
    move_to("Asia/Shanghai")
    now = _ms("2026-11-15T20:00")

    assert parse_time("2026-02-01", "as_of", now, utc_dates=True) == _ms("2026-02-01T00:00")
