"""Recalls as OpenClaw asks them, and those of agents."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.receipt import Receipt
from satchel.interfaces.rollout.probes import MIN_LIVE, is_degraded, probe, with_live
from satchel.interfaces.rollout.values import ProbeFigures
from tests.tables import each_case


def test_probes_leave_no_trace(memory: Satchel, settings: Settings) -> None:
    memory.store("We ship on Thursdays")
    memory.recall("warm")
    before = len(memory.maintenance.receipts_list().result)

    figures = probe(settings, ["when do we ship?", "who are you?"])

    assert (figures.asked, figures.failed, figures.incomplete) == (2, 0, 0)
    assert len(memory.maintenance.receipts_list().result) == before


def test_questions_that_cannot_be_asked_are_failures(memory: Satchel, settings: Settings) -> None:
    assert probe(settings, ["", "when?"]).failed == 1


def test_receipts_without_a_lifecycle_are_incomplete(memory: Satchel, settings: Settings) -> None:
    quiet = replace(settings, receipts=replace(settings.receipts, enabled=False))

    assert probe(quiet, ["when do we ship?"]).incomplete == 1


def keep(memory: Satchel, count: int, warnings: Sequence[str] = (), duration_ms: float = 5.0, at: int = 1_000) -> None:
    for number in range(count):
        receipt = Receipt("recall", {"number": number}, warnings=tuple(warnings), at=at, duration_ms=duration_ms)
        assert memory.parts.ledger.receipts.keep(receipt, ())


def test_live_recalls_count_since_a_moment(memory: Satchel) -> None:
    keep(memory, MIN_LIVE, ["unreachable: the server"], at=500)
    keep(memory, MIN_LIVE, ["model_broken: no"], 80.0)
    keep(memory, MIN_LIVE, ["scope_unknown: new"], 90.0)

    figures = with_live(ProbeFigures(asked=10, p95_ms=12.0), memory.parts.ledger.receipts, 1_000)

    assert (figures.live, figures.failed, figures.p95_ms) == (2 * MIN_LIVE, MIN_LIVE, 90.0)
    assert figures.error_rate == pytest.approx(20 / 50)


def test_a_few_live_recalls_are_not_judged(memory: Satchel) -> None:
    keep(memory, MIN_LIVE - 1, ["timeout: late"], 9_000.0)
    probes = ProbeFigures(asked=10, p95_ms=12.0)

    assert with_live(probes, memory.parts.ledger.receipts, 0) == probes


@each_case(
    ("warnings", "expected"),
    [((), False), (("embedder_none: chosen",), False), (("index_unusable: x", "other: y"), True)],
)
def test_degraded(warnings: tuple[str, ...], expected: bool) -> None:
    assert is_degraded(warnings) is expected
