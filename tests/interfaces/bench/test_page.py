"""The page of figures can be written from the result of every benchmark."""

import json
from pathlib import Path
from typing import Any

from bench import page
from bench.compare import interval, rankings

from satchel.interfaces.bench.metrics import METRICS
from satchel.interfaces.bench.results import (
    Budgeted,
    Contest,
    Evidence,
    Figures,
    Governance,
    Machine,
    Packing,
    Precision,
    PrecisionFigures,
    Rate,
    Retrieval,
    Sized,
    Speed,
    Timing,
)
from satchel.interfaces.encode import encoded

MACHINE = Machine("2026-11-15T10:00:00+00:00", "a processor", 2, 8.0, 0.5, "Linux x86_64", "3.11.7", {})
FIGURES = Figures(4, dict.fromkeys(METRICS, 0.5))
TIMING, ONE = Timing(200, 2.0, 3.0, 4.0, 5.0), Timing(1, 700.0, 700.0, 700.0, 700.0)
EVIDENCE = Evidence(4, 0.75, 0.5, 0.6, 480.0, 0)


def result(benchmark: str, value: Any) -> dict[str, Any]:
    command = f"satchel bench {benchmark}"
    return {"benchmark": benchmark, "command": command, "result": json.loads(json.dumps(encoded(value)))}


def retrieval(mode: str) -> dict[str, Any]:
    return result(
        "retrieval",
        Retrieval(
            set="locomo",
            level="turn",
            mode=mode,
            through="episodes",
            file="chats.json",
            conversations=2,
            units=20,
            questions=5,
            depth=50,
            embedding_space=None,
            settings={"recall.fusion": "rrf"},
            store_digest="sha256:0",
            overall=FIGURES,
            categories={"multi-hop": FIGURES, "temporal": FIGURES},
            apart=("adversarial",),
            index_seconds=1.0,
            ask_ms_p50=7.0,
            ask_ms_p95=9.0,
            rankings=None,
            machine=MACHINE,
        ),
    )


def contest(what: str) -> Contest:
    return Contest(what, "ms", {"plain FTS5": 0.5}, TIMING, {"plain FTS5": TIMING})


RESULTS = [
    retrieval("hybrid"),
    retrieval("lexical"),
    result(
        "pack",
        Packing(
            "locomo",
            "hybrid",
            "episodes",
            "chats.json",
            None,
            {},
            "sha256:0",
            (Budgeted(500, EVIDENCE, EVIDENCE, EVIDENCE),),
            MACHINE,
        ),
    ),
    result(
        "speed",
        Speed(
            1,
            None,
            {},
            tuple(
                Sized(size, (contest("warm recall, hybrid"), Contest("disk", "bytes", {}, ONE, {})), {"mem0": "absent"})
                for size in (1_000, 10_000)
            ),
            MACHINE,
        ),
    ),
    result(
        "governance",
        Governance(
            1,
            {},
            {
                "satchel": (Rate("erasure", 15, 15, 1.0, 1.0, ""), Rate("rollback exactness", 0, 0, None, None, "")),
                "mem0": (Rate("erasure", 15, 0, 0.0, 1.0, ""),),
            },
            {},
            MACHINE,
        ),
    ),
    result("precision", Precision("hybrid", 0.05, 3, None, {}, {"all": PrecisionFigures(9, 0.8, 0.9, 0.7)}, MACHINE)),
    {"benchmark": "earlier", "title": "Long ago", "date": "2025-01-01", "machine": "another", "text": ["It was slow."]},
]


def test_every_benchmark_has_a_section_with_its_figures() -> None:
    made = page.files(RESULTS)
    text = made[page.PAGE]

    assert "| hybrid, episodes, recall.fusion = rrf | 4 | 50.0 | 50.0 |" in text
    assert "| 500 | plain | 4 | 75.0 | 50.0 | 60.0 | 480 | 0 |" in text
    assert "| 1,000 | warm recall, hybrid | 0.5× |" in text
    assert "| 1,000 | warm recall, hybrid | Satchel | 2 / 3 / 4 ms (200) |" in text
    assert "| 1,000 | disk | Satchel | 700 bytes |" in text
    assert "Not measured: mem0: absent." in text
    assert "| satchel | 100.0 % of 15 | not offered |" in text
    assert "| all | 9 | 0.800 | 0.900 | 0.700 |" in text
    assert "### Long ago\n\n2025-01-01, another.\n\nIt was slow." in text


def test_every_plot_that_the_page_shows_is_drawn() -> None:
    made = page.files(RESULTS)

    assert {path.name for path in made} == {
        "benchmarks.md",
        "retrieval-locomo-turn.svg",
        "pack-locomo.svg",
        "speed-warm-recall-hybrid.svg",
    }
    for path in made:
        assert path == page.PAGE or f"plots/{path.name}" in made[page.PAGE]


def test_without_results_there_is_no_section() -> None:
    assert list(page.files([])) == [page.PAGE]
    assert "##" not in page.files([])[page.PAGE]


def test_the_same_differences_give_the_same_interval() -> None:
    low, high = interval([1.0, 0.0, 0.0, 1.0])

    assert (low, high) == interval([1.0, 0.0, 0.0, 1.0])
    assert 0.0 <= low < 0.5 < high <= 1.0
    assert interval([0.25] * 8) == (0.25, 0.25)


def test_questions_without_gold_are_not_compared(tmp_path: Path) -> None:
    lines = [{"question_id": "a", "ranked": ["1"], "gold": ["1"]}, {"question_id": "b", "ranked": ["1"], "gold": []}]
    path = tmp_path / "rankings.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    assert list(rankings(path)) == ["a"]
