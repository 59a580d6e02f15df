"""The page of figures says what the result files say, and nothing else."""

import xml.etree.ElementTree as ElementTree

from bench import page, plots


def test_the_page_and_its_plots_are_fresh() -> None:
    assert page.stale(write=False) == [], "run `python -m bench.page`"


def test_every_result_names_its_benchmark_and_where_it_was_measured() -> None:
    found = page.results()

    assert found
    for one in found:
        assert one["benchmark"] in {"retrieval", "pack", "speed", "governance", "precision", "routing", "earlier"}
        # A section of the page shows it, or nobody would know that it was kept.
        assert any(list(section([one], {})) for section in page.SECTIONS), one["benchmark"]
        machine = one["machine"] if one["benchmark"] == "earlier" else one["result"]["machine"]["cpu"]
        assert machine


def test_no_result_names_a_folder_of_the_machine() -> None:
    for path in page.RESULTS.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert "/tmp/" not in text and "/home/" not in text and "/work/" not in text, path.name


def test_bars_are_as_tall_as_their_figures_and_well_formed() -> None:
    svg = plots.bars("a < b", ["one", "two"], {"x": [0.5, None], "y": [1.0, 0.25]})
    heights = [float(one.get("height", "0")) for one in _drawn(svg, "rect") if one.get("height") not in {"10", "340"}]

    assert heights == [113.0, 226.0, 56.5]
    assert "a &lt; b" in svg


def test_lines_hold_a_point_for_each_figure() -> None:
    svg = plots.lines("time", "ms", {"x": [(1_000, 1.0), (10_000, 20.0)], "y": [(1_000, 300.0)]})

    assert len(_drawn(svg, "circle")) == 3
    assert [one.get("points", "").count(",") for one in _drawn(svg, "polyline")] == [2, 1]


def _drawn(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))
