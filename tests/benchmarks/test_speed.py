"""The speed benchmark on a hundred memories: everything is measured, and nothing is asserted about how long it takes."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.speed import mcp_start, serving, timing, writers
from bench.speed.bars import with_bars
from bench.speed.corpus import VARIATION, asked, corpus, texts
from bench.speed.relations import _reads, name_of
from bench.speed.results import Bar, Contest, SpeedResult, Timing
from bench.speed.run import MEASUREMENTS, run_speed
from bench.speed.timing import contest, in_turns, run_process, summed_up
from msgspec.structs import replace

from satchel.config import Settings
from satchel.errors import InvalidRequest, Unavailable


def quiet(done: int, total: int, what: str) -> None:
    """Report to nobody."""


def measure(settings: Settings, folder: Path, *only: str, **given: Any) -> SpeedResult:
    asked_for: dict[str, Any] = {"sizes": [100], "runs": 5} | given
    return run_speed(settings, quiet, only=only, cache=str(folder / "cache"), **asked_for)


def test_warm_contests_have_every_plain_peer(settings: Settings, tmp_path: Path) -> None:
    (sized,) = measure(
        settings, tmp_path, "disk", "filling", "recall", "pack", "route", "attention", "ingest", "store"
    ).sizes
    found = {one.what: one for one in sized.contests}

    assert sized.memories == 100
    assert {"plain Lance"} <= set(found["warm recall, hybrid"].peers)
    assert set(found["warm recall, lexical"].peers) == {"plain FTS5"}
    assert {"plain FTS5", "plain Lance"} <= set(found["durable store"].peers) & set(
        found["bytes for each memory"].peers
    )
    assert found["durable store"].satchel.runs == 5
    assert all(one.satchel.p50 > 0 for one in sized.contests)


def test_every_lane_is_filled_and_asked(settings: Settings, tmp_path: Path) -> None:
    (sized,) = measure(settings, tmp_path, "lanes", "neighbours").sizes
    found = {one.what: one for one in sized.contests}

    assert found["true 10 neighbours found"].satchel.p50 == 100.0
    assert found["episodes search, hybrid"].note.startswith("100 turns in 10 scopes")
    assert found["documents search, hybrid"].note.startswith("10 files in 10 scopes")
    assert found["graph: a path"].note == "100 relations of 20 entities"
    assert {"pack, every lane filled", "route, every lane filled"} <= set(found)


def test_sixteen_writers_lose_nothing_and_a_server_answers(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MOST_TURNS", 2)
    monkeypatch.setattr(timing, "COLD_WARM_UP", 0)
    monkeypatch.setattr(writers, "RACES", 1)
    monkeypatch.setattr(writers, "STORES_EACH", 3)
    (sized,) = measure(settings, tmp_path, "writers", "serve").sizes
    found = {one.what: one for one in sized.contests}

    assert found["16 writers at once: one store"].satchel.runs == 48
    assert found["16 writers at once: acknowledged and lost"].note == "of 48 acknowledged"
    assert found["16 writers at once: acknowledged and lost"].bars == (Bar("≤ 0 stores", True),)
    assert {"cold start: turn before", "cold start: turn before, words only"} <= set(found)
    assert [bar.asked for bar in found["with a server: turn before"].bars] == ["p95 ≤ 60 ms"]


def test_the_starts_of_mcp_servers_are_compared(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_start, "MOST_STARTS", 1)
    monkeypatch.setattr(mcp_start, "REFERENCE", "no-such-server")
    monkeypatch.setattr(timing, "COLD_WARM_UP", 0)
    (sized,) = measure(settings, tmp_path, "mcp").sizes
    found = {one.what: one for one in sized.contests}

    assert set(found) == {"MCP start: initialize", "MCP start: tools/list"}
    assert set(found["MCP start: tools/list"].ratios) == {"satchel, the SDK first"}
    assert [bar.asked for bar in found["MCP start: tools/list"].bars] == ["≤ 300 ms"]


def test_a_bar_is_with_bars_the_sizes_it_is_meant_for() -> None:
    slow = contest("warm recall, hybrid", "ms", {"satchel": summed_up([60.0, 60.0])})
    (few,), (many,) = with_bars([slow], 1_000), with_bars([slow], 1_000_000)

    assert few.bars == (Bar("p50 ≤ 12 ms", False), Bar("p95 ≤ 25 ms", False))
    assert many.bars == (Bar("p50 ≤ 30 ms", False), Bar("p95 ≤ 60 ms", True))
    assert with_bars([contest("pack", "ms", {"satchel": summed_up([9e9])})], 1_000)[0].bars == ()


def test_more_is_better_where_a_bar_says_at_least() -> None:
    (slow,) = with_bars([contest("ingest of observations", "rows/s", {"satchel": summed_up([2_999.0])})], 1_000)

    assert slow.bars == (Bar("≥ 3,000 rows/s", False),)


def test_a_measurement_that_fails_is_named_and_the_others_are_made(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> Iterator[Contest]:
        yield contest("half", "ms", {"satchel": summed_up([1.0])})
        raise Unavailable("the disk is gone")

    monkeypatch.setitem(MEASUREMENTS, "pack", broken)
    (sized,) = measure(settings, tmp_path, "disk", "pack", "store").sizes

    assert {"bytes for each memory", "half", "durable store"} <= {one.what for one in sized.contests}
    assert sized.left_out["pack"] == "the disk is gone"


def test_every_entity_is_in_some_relation() -> None:
    named = {claim.tail.name for read in _reads(500) for claim in read.extract.relations}

    assert named == {name_of(entity) for entity in range(100)}


def test_who_is_not_installed_is_named(settings: Settings, tmp_path: Path) -> None:
    (sized,) = measure(settings, tmp_path, "disk").sizes
    measured = set(sized.contests[0].peers)

    assert measured | set(sized.left_out) == {"plain FTS5", "plain Lance", "chromadb", "langgraph SqliteStore", "mem0"}
    assert not measured & set(sized.left_out)


@pytest.mark.parametrize("given", [{"sizes": [99]}, {"sizes": [2_000_000]}, {"runs": 0}])
def test_what_makes_no_sense_is_refused(settings: Settings, tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        measure(settings, tmp_path, **given)


def test_a_ratio_above_one_means_that_satchel_is_ahead() -> None:
    ours, theirs = summed_up([10.0]), summed_up([20.0])

    assert contest("time", "ms", {"satchel": ours, "peer": theirs}).ratios == {"peer": 2.0}
    assert contest("rate", "rows/s", {"satchel": ours, "peer": theirs}, more_is_better=True).ratios == {"peer": 0.5}


def test_percentiles_are_values_that_were_measured() -> None:
    assert summed_up([float(value) for value in range(1, 101)]) == Timing(100, 50.0, 95.0, 99.0, 100.0)


def test_everybody_has_his_turn_and_the_warm_up_does_not_count() -> None:
    order: list[tuple[str, int]] = []
    found = in_turns({name: lambda run, name=name: order.append((name, run)) for name in "ab"}, 2, warm_up=1)  # type: ignore[misc]

    assert order == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2)]
    assert {name: one.runs for name, one in found.items()} == {"a": 2, "b": 2}


def test_what_takes_long_is_timed_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "LONG_SECONDS", -1.0)

    assert in_turns({"a": lambda run: None}, 200)["a"].runs == timing.ENOUGH_RUNS


def test_the_same_seed_gives_the_same_texts_and_a_longer_list_begins_like_a_shorter_one() -> None:
    assert texts(50) == texts(50)
    assert texts(80)[:50] == texts(50)
    assert corpus(50) == texts(50)
    assert asked(texts(50), 5) == asked(texts(50), 5)
    assert len({one.text for one in texts(500)}) == 500
    assert not any(VARIATION in one.text for one in texts(500))


def test_commands_are_timed_from_start_to_exit(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "MOST_COLD_RUNS", 1)
    monkeypatch.setattr(timing, "COLD_WARM_UP", 0)
    real = replace(settings, embedding=replace(settings.embedding, provider="satchel"))
    (sized,) = measure(real, tmp_path, "cold", "memory").sizes
    found = {one.what: one for one in sized.contests}

    assert found["resident memory"].satchel.p50 > 10
    assert {"plain Lance", timing.PYTHON} <= set(found["cold start: recall, hybrid"].peers)
    assert {"plain FTS5", timing.PYTHON} == set(found["cold start: recall, lexical"].peers)
    assert set(found["cold start: store"].peers) == {timing.PYTHON}


def test_a_timed_process_may_write_its_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    assert run_process([sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)"]).strip() == "False"
