"""The page of figures says what the result files say, and nothing else; no other page states what was measured."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from bench.report import page, plots
from bench.report.results import RESULTS, results
from bench.report.sections import SECTIONS
from bench.run import PARTS

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def test_the_page_and_its_plots_are_fresh() -> None:
    assert page.stale(write=False) == [], "run `python -m bench.report.page`"


def test_every_result_is_one_that_a_part_of_the_runner_makes_and_a_section_shows() -> None:
    found = results()

    assert found
    for one in found:
        assert one["benchmark"] in PARTS
        assert one["command"].split()[0] in {"satchel", "python"} or one["command"].startswith("SATCHEL_")
        # A section of the page shows it, or nobody would know that it was kept.
        assert any(list(section([one], {})) for section in SECTIONS), one["benchmark"]
        assert one["result"]["machine"]["cpu"] and one["result"]["machine"]["date"]


def test_no_result_is_left_from_before() -> None:
    assert list(RESULTS.glob("earlier-*")) == []


def test_no_result_names_a_folder_of_the_machine() -> None:
    for path in RESULTS.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert "/tmp/" not in text and "/home/" not in text and "/work/" not in text, path.name


def test_the_readme_quotes_no_figure_that_the_page_has_not_and_shows_plots_that_are_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    measured = readme.partition("## Measured\n")[2].partition("\n## ")[0]
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", measured)
    told = re.sub(r"!?\[[^\]]*\]\([^)]*\)", "", measured)
    kept = page.PAGE.read_text(encoding="utf-8")

    assert len(shown) == 2 and all((ROOT / path).exists() for path in shown)
    assert [number for number in re.findall(r"\d[\d.,]*\d|\d", told) if number not in kept] == []


def test_guides_leave_what_was_measured_to_the_page() -> None:
    # Rankings and latencies; what a page shows of a command it runs stands in a block, and is checked there.
    figure = re.compile(r"\b(?:R|any|all|hit|nDCG)@\d+\b[^\n]*\d\.\d|\bMRR\b[^\n]*\d\.\d|\bp(?:50|95|99)\b[^\n]*\d ms")
    for guide in sorted((ROOT / "docs").glob("*.md")):
        text = re.sub(r"(?s)```.*?```", "", guide.read_text(encoding="utf-8"))
        # The page about scale is a model, and shows the constants that it is made of.
        if guide not in (page.PAGE, ROOT / "docs" / "scale.md"):
            assert figure.findall(text) == [], guide.name


def test_bars_are_as_tall_as_their_figures_and_well_formed() -> None:
    svg = plots.bars("a < b", ["one", "two"], {"x": [0.5, None], "y": [1.0, 0.25]})
    heights = [float(one.get("height", "0")) for one in _drawn(svg, "rect") if one.get("class") != "back"]

    assert [height for height in heights if height != 10.0] == [115.0, 230.0, 57.5]
    assert "a &lt; b" in svg


def test_lines_hold_a_point_for_each_figure() -> None:
    svg = plots.lines("time", "ms", {"x": [(1_000, 1.0), (10_000, 20.0)], "y": [(1_000, 300.0)]})

    assert len(_drawn(svg, "circle")) == 3
    assert [one.get("points", "").count(",") for one in _drawn(svg, "polyline")] == [2, 1]


def test_differences_stand_on_the_side_of_their_sign() -> None:
    svg = plots.differences("points", ["up", "down"], {"x": [2.0, -1.0]})
    up, down = [one for one in _drawn(svg, "rect") if one.get("class") != "back"][1:]

    assert float(up.get("width", "0")) == 2 * float(down.get("width", "0"))
    assert float(down.get("x", "0")) + float(down.get("width", "0")) <= float(up.get("x", "0")) + 0.1


def test_no_text_of_a_plot_begins_or_ends_outside_of_it() -> None:
    for path in page.PLOTS.glob("*.svg"):
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        width = float(root.get("viewBox", "").split()[2])
        for one in root.iter(f"{SVG}text"):
            x, long = float(one.get("x", "0")), 0.5 * float(one.get("font-size", "12")) * len(one.text or "")
            left = {"end": x - long, "middle": x - long / 2}.get(one.get("text-anchor", ""), x)
            assert left >= 0 and left + long <= width, (path.name, one.text)


def _drawn(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{tag}"))
