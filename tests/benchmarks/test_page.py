"""The page of figures can be written from the result of every benchmark."""

import json
from pathlib import Path
from typing import Any

from bench.compare import interval, rankings
from bench.governance.checks import Rate
from bench.governance.run import GovernanceResult
from bench.machine import Machine
from bench.metrics import METRICS, Figures
from bench.pack import Budgeted, Evidence, PackResult
from bench.precision import PrecisionFigures, PrecisionResult
from bench.report import page
from bench.retrieval import RetrievalResult
from bench.speed.results import Bar, Contest, Sized, SpeedResult, Timing

from satchel.interfaces.serialization import to_json

MACHINE = Machine("2026-11-15T10:00:00+00:00", "a processor", 2, 8.0, 0.5, "Linux x86_64", "3.11.7", {})
FIGURES = Figures(4, dict.fromkeys(METRICS, 0.5))
TIMING, ONE = Timing(200, 2.0, 3.0, 4.0, 5.0), Timing(1, 700.0, 700.0, 700.0, 700.0)
FIGURES_WITHOUT = Figures(4, dict.fromkeys(METRICS, 0.25))
ABLATED: dict[str, Any] = {"overall": to_json(FIGURES), "categories": {"temporal": to_json(FIGURES)}}
HITS = {"n": 2, "hit_at_1": 0.5, "hit_at_3": 0.5, "hit_at_5": 1.0, "mrr": 0.75, "wrong_scope": 0.0}
EVIDENCE = Evidence(4, 0.75, 0.5, 0.6, 480.0, 3, 0.8, 0.7, 0)


def result(benchmark: str, value: Any) -> dict[str, Any]:
    command = f"python -m bench {benchmark}"
    return {"benchmark": benchmark, "command": command, "result": json.loads(json.dumps(to_json(value)))}


def beside(part: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return what a part beside the product keeps."""
    command = f"python -m bench.run --only {part}"
    return {"benchmark": part, "command": command, "result": {"machine": to_json(MACHINE), **value}}


def retrieval(mode: str) -> dict[str, Any]:
    return result(
        "retrieval",
        RetrievalResult(
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
    bars = (Bar("p50 ≤ 1 ms", False),)
    return Contest(what, "ms", {"plain FTS5": 0.5}, TIMING, {"plain FTS5": TIMING}, bars=bars)


RESULTS = [
    retrieval("hybrid"),
    retrieval("lexical"),
    result(
        "pack",
        PackResult(
            "locomo",
            "hybrid",
            "episodes",
            "chats.json",
            None,
            {},
            "sha256:0",
            (Budgeted(500, EVIDENCE, EVIDENCE, EVIDENCE, EVIDENCE),),
            MACHINE,
        ),
    ),
    result(
        "speed",
        SpeedResult(
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
        GovernanceResult(
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
    result(
        "precision", PrecisionResult("hybrid", 0.05, 3, None, {}, {"all": PrecisionFigures(9, 0.8, 0.9, 0.7)}, MACHINE)
    ),
    beside(
        "ablation",
        {"sets": {"locomo": {"nothing": ABLATED, "session": {**ABLATED, "overall": to_json(FIGURES_WITHOUT)}}}},
    ),
    {**retrieval("hybrid"), "benchmark": "memories"},
    beside(
        "golden",
        {
            "cases": 2,
            "memories": 9,
            "limit": 5,
            "embedding_space": "a model",
            "modes": [{"mode": "hybrid", "overall": HITS, "families": {"path": HITS}}],
        },
    ),
    beside(
        "routing",
        {
            "answered": {"router": {"exact": 1.0, "all": 0.5}},
            "overhead": {"itself": {"elapsed": [0.5, 0.9], "processor": [0.4, 0.8]}},
        },
    ),
    beside(
        "relevance",
        {
            "ways": {
                "words alone": {
                    "constants": [-4.5, 2.0],
                    "rows": [
                        {
                            "set": "beam",
                            "answerable": 8,
                            "not": 7,
                            "brier": 0.1,
                            "brier_of_base_rate": 0.25,
                            "ece": 0.05,
                            "auc": 0.9,
                            "passed_answerable": 0.75,
                            "passed_not": 0.0,
                            "right_in_20": 0.5,
                            "right_in_5": None,
                        }
                    ],
                    "curve": [{"foretold": 0.1, "observed": 0.2, "n": 4}, None],
                }
            },
            "comparison": [{"by": "words alone", "brier": 0.1, "ece": 0.05, "auc": 0.9}],
        },
    ),
    beside(
        "capture",
        {
            "rows": [
                {"half": "held", "language": "English", "turns": 9, "precision": 1.0, "recall": 0.5, "leaked": 0},
            ]
        },
    ),
    beside(
        "injection",
        {
            "rows": [
                {"source": "mails", "sort": "attack", "n": 4, "caught": 3},
                {"source": "mails", "sort": "harmless", "n": 200, "caught": 1},
            ]
        },
    ),
    beside(
        "secrets",
        {
            "rows": [
                {"class": "generic", "secrets": 4, "masked": 3, "harmless": 10, "flagged": 1},
                {"class": "harmless lines", "secrets": 0, "masked": 0, "harmless": 10, "flagged": 0},
            ]
        },
    ),
]


def test_every_benchmark_has_a_section_with_its_figures() -> None:
    made = page.files(RESULTS)
    text = made[page.PAGE]

    assert "| hybrid, episodes, recall.fusion = rrf | 4 | 50.0 | 50.0 |" in text
    assert "| 500 | dump of full text and vectors | 4 | 75.0 | 50.0 | 60.0 | 480 | 0 | 3 | 80.0 | 70.0 |" in text
    assert "| 1,000 | warm recall, hybrid | 0.5× |" in text
    assert "| warm recall, hybrid | Satchel | 2 / 3 / 4 ms (200) | 2 / 3 / 4 ms (200) |  |" in text
    assert "| disk | Satchel | 700 bytes | 700 bytes |  |" in text
    assert "| 1,000 | warm recall, hybrid | p50 ≤ 1 ms | 2 / 3 / 4 ms (200) | **no** |" in text
    assert "Not measured with 1,000 memories: mem0: absent." in text
    assert "| satchel | 100.0 % of 15 | not offered |" in text
    assert "| all | 9 | 0.800 | 0.900 | 0.700 |" in text
    assert "| nothing | 50.0 |\n| session | 25.0 |" in text
    assert "| LoCoMo | rank | 4 | 50.0 |" in text
    assert "| hybrid | 2 | 0.500 | 0.500 | 1.000 | 0.750 | 0.000 |" in text
    assert "| router | 100.0 | 50.0 |" in text
    assert "| BEAM | 8 / 7 | 0.100 (0.250) | 0.050 | 0.900 | 75 % | 0 % | 50 / – % |" in text
    assert "| held, English | 9 | 1.000 | 0.500 | 0 |" in text
    assert "| mails | attack | 4 | 75.0 % |" in text and "| all | harmless | 200 | 0.50 % |" in text
    assert "| generic | 4 | 0.750 | 10 | 1 | 0.750 | 0.9000 |" in text
    assert "| harmless lines | 0 | – | 10 | 0 | – | 1.0000 |" in text


def test_every_plot_that_the_page_shows_is_drawn() -> None:
    made = page.files(RESULTS)

    assert {path.name for path in made} == {
        "benchmarks.md",
        "retrieval-locomo-turn.svg",
        "pack-locomo.svg",
        "speed-warm-recall-hybrid.svg",
        "ablation.svg",
        "relevance.svg",
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
