"""The clients benchmark on a hundred memories: nothing fails and nothing is lost; no time is asserted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.clients import run
from bench.clients.results import ClientsResult
from bench.clients.run import run_clients
from bench.report.sections.clients import clients
from bench.tables import table

from satchel.config import Settings, load
from satchel.errors import InvalidRequest
from satchel.interfaces.serialization import to_json
from tests.benchmarks.test_speed import quiet


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientsResult]:
    """A short run without a model."""
    folder = tmp_path_factory.mktemp("clients")
    settings = load(home=str(folder / "home"), embedding={"provider": "hashing"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SATCHEL_EMBEDDER", "hashing")
        patch.setattr(run, "PAUSES_MS", (0,))
        patch.setattr(run, "RECALLS", 5)
        yield run_clients(settings, quiet, memories=100, clients=4, seconds=2, hold_seconds=2, cache=str(folder))


def test_no_request_fails_and_no_store_is_lost(measured: ClientsResult) -> None:
    (load,) = measured.loads

    assert load.errors == {}
    assert load.lost == 0
    assert load.reads.runs > load.writes.runs > 0
    assert len(load.resident_mb) == 3
    assert load.cpu_ms > 0


def test_recalls_are_answered_while_another_process_writes(measured: ClientsResult) -> None:
    assert [one.server for one in measured.held] == [True, False]
    assert all(one.alone.runs == 5 and one.during_write.runs > 0 for one in measured.held)


def test_the_result_is_shown_as_a_table_and_on_the_page(measured: ClientsResult) -> None:
    shown = "\n".join(table(measured))
    page = "\n".join(clients([{"benchmark": "clients", "command": "x", "result": to_json(measured)}], {}))

    assert "4 clients" in shown and "lost 0" in shown and "during a write transaction of 2 s" in shown
    assert "## Many clients at once" in page and "| with a server |" in page and "| without |" in page


def test_too_few_of_anything_is_refused(settings: Settings, tmp_path: Path) -> None:
    for wrong in ({"memories": 1}, {"clients": 1}, {"seconds": 0}):
        with pytest.raises(InvalidRequest, match="invalid number of"):
            run_clients(settings, quiet, cache=str(tmp_path), **wrong)
