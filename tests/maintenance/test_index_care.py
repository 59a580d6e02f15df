"""The index is looked after by command and by a server, and its state is told."""

from pathlib import Path

import pytest

from satchel.adapters.lance.follower import COMPACT_AT_FRAGMENTS
from satchel.app import Satchel
from satchel.config import load
from satchel.indexing.values import MANY_FRAGMENTS, index_health
from satchel.interfaces.cli.views.lookup import view_of
from satchel.maintenance.doctor import index_findings
from satchel.ports import IndexStatus, MissingExtra
from tests.tables import each_case


@pytest.fixture
def written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every recall writes the index, also a moment after the last one did."""
    monkeypatch.setattr("satchel.adapters.lance.follower.WRITE_PAUSE_SECONDS", 0.0)


@pytest.mark.usefixtures("written_at_once")
def test_recalls_leave_fragments_and_a_merge_joins_them(memory: Satchel) -> None:
    for number in range(COMPACT_AT_FRAGMENTS + 2):
        memory.store(f"walrus number {number} of the herd")
        memory.recall(f"walrus {number}", mode="vector")
    before = memory.maintenance.index_status().result

    assert memory.maintenance.merge()

    after = memory.maintenance.index_status().result
    assert before.small_fragments > COMPACT_AT_FRAGMENTS >= after.small_fragments
    assert (after.rows, after.health) == (before.rows, "ok")
    assert not memory.maintenance.merge()


@pytest.mark.usefixtures("written_at_once")
def test_the_receipt_of_an_optimization_has_the_sizes_before_and_after(memory: Satchel) -> None:
    for number in range(3):
        memory.store(f"walrus number {number} of the herd")
        memory.recall(f"walrus {number}", mode="vector")

    body = memory.maintenance.index_optimize().receipt.body

    assert body["considered"]["before"]["memories"]["fragments"] == 3  # type: ignore[call-overload, index]
    assert body["decided"]["after"]["memories"]["fragments"] == 1  # type: ignore[call-overload, index]


def test_the_report_has_full_texts_and_the_last_run(memory: Satchel) -> None:
    memory.store("We ship on Thursdays")
    assert memory.maintenance.index_status().result.last_run_at is None

    memory.maintenance.index_build()

    report = memory.maintenance.index_status().result
    assert report.last_run_at is not None
    assert {one.name: (one.rows, one.wrong) for one in report.full_texts if one.rows} == {"memories": (1, 0)}


def test_a_small_store_says_why_it_has_no_index(tmp_path: Path) -> None:
    settings = load(home=str(tmp_path / "small"), embedding={"provider": "hashing"})
    with Satchel.open(settings=settings) as small:
        small.store("We ship on Thursdays")
        built = small.maintenance.index_build().result

    lines = [line for line, _ in view_of("index build")(built)]
    assert (built.in_ledger, built.index_from) == (True, 20_000)
    assert lines[:2] == [
        "no index is needed: 1 memory can be compared in the ledger",
        "  one is built from 20,000 memories on (recall.index_from)",
    ]


@each_case(
    "status, behind, health",
    [
        (IndexStatus(exists=True), 0, "ok"),
        (IndexStatus(exists=True), 3, "behind"),
        (IndexStatus(exists=True, small_fragments=MANY_FRAGMENTS), 0, "ok"),
        (IndexStatus(exists=True, small_fragments=MANY_FRAGMENTS + 1), 0, "fragmented"),
        (IndexStatus(exists=True, missing=MissingExtra("it", "install it")), 3, "missing_extra"),
        (IndexStatus(exists=True, problem="torn", missing=MissingExtra("it", "install it")), 0, "damaged"),
    ],
)
def test_health_is_the_worst_that_is_known(status: IndexStatus, behind: int, health: str) -> None:
    assert index_health(status, behind) == health


def test_the_doctor_names_many_fragments(memory: Satchel) -> None:
    class Fragmented:
        def status(self) -> IndexStatus:
            return IndexStatus(exists=True, small_fragments=MANY_FRAGMENTS + 1)

        def fingerprints(self) -> tuple[tuple[str, str], ...]:
            return ()

    findings = index_findings(Fragmented(), memory.parts.ledger.feed)  # type: ignore[arg-type]
    assert ("index fragments", "warning") in [(one.check, one.status) for one in findings]
