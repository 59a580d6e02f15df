"""When a server that was started on demand ends."""

from pathlib import Path

import pytest

from satchel.interfaces.http.lifetime import Lifetime, state_of


class Ticks:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    """A clock of one's own."""
    return Ticks()


@pytest.fixture
def uses() -> list[str]:
    """What was noted about use."""
    return []


@pytest.fixture
def lifetime(tmp_path: Path, ticks: Ticks, uses: list[str]) -> Lifetime:
    """The lifetime of a server that ends after a minute without use."""
    (tmp_path / "ledger").write_bytes(b"1")
    settings = tmp_path / "config.toml"
    return Lifetime(
        tmp_path / "ledger",
        settings,
        state_of(settings),
        idle_seconds=60,
        ticks=ticks,
        used=lambda: uses.append("used"),
    )


def test_it_ends_a_while_after_the_last_request(lifetime: Lifetime, ticks: Ticks, uses: list[str]) -> None:
    ticks.now += 59
    assert lifetime.reason_to_end() == ""
    with lifetime.request():
        ticks.now += 600
        assert lifetime.reason_to_end() == ""
    ticks.now += 59
    assert lifetime.reason_to_end() == ""
    ticks.now += 1
    assert lifetime.reason_to_end() == "nobody used it"
    assert len(uses) == 2


def test_a_request_that_fails_counts_until_its_end(lifetime: Lifetime, ticks: Ticks) -> None:
    with pytest.raises(ValueError), lifetime.request():
        raise ValueError
    ticks.now += 60
    assert lifetime.reason_to_end() == "nobody used it"


def test_writing_to_the_ledger_is_not_replacing_it(lifetime: Lifetime, tmp_path: Path) -> None:
    (tmp_path / "ledger").write_bytes(b"more")
    assert lifetime.reason_to_end() == ""
    (tmp_path / "other").write_bytes(b"1")
    (tmp_path / "other").replace(tmp_path / "ledger")
    assert lifetime.reason_to_end() == "the store is gone or was replaced"


def test_settings_that_were_changed_or_removed_end_it(lifetime: Lifetime, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("read_only = true\n", encoding="utf-8")
    assert lifetime.reason_to_end() == "the settings changed"
    (tmp_path / "config.toml").unlink()
    assert lifetime.reason_to_end() == ""
    (tmp_path / "ledger").unlink()
    assert lifetime.reason_to_end() == "the store is gone or was replaced"
