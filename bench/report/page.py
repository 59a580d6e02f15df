"""Write docs/benchmarks.md and its plots from the result files: python -m bench.report.page"""

from collections.abc import Sequence
from pathlib import Path

from bench import ROOT
from bench.progress import say
from bench.report.results import Result, results
from bench.report.sections import SECTIONS

PAGE = ROOT / "docs" / "benchmarks.md"
PLOTS = ROOT / "docs" / "plots"

HEAD = """# Benchmarks

Every figure here comes from a file in `bench/results/`, with its command, machine and date; `make bench` makes those files
and this page again. [Benchmarking](benchmarking.md) explains each figure and how to run a benchmark yourself. No test
asserts a time: absolute figures on shared machines vary by a factor of two, so read ratios first. What survives kill -9, a
full disk and a damaged index is tested, not benchmarked: `tests/faults`.
"""


def main() -> None:
    """Write the files that are out of date."""
    for path in stale(write=True):
        say(f"wrote {path}")


def stale(*, write: bool) -> list[str]:
    """Return the files that are out of date; with `write`, update them."""
    wanted = files(results())
    extra = [path for path in PLOTS.glob("*.svg") if path not in wanted] if PLOTS.exists() else []
    changed = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if write:
        for path in extra:
            path.unlink()
        for path in changed:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
    return [str(path.relative_to(ROOT)) for path in (*changed, *extra)]


def files(found: Sequence[Result]) -> dict[Path, str]:
    """Return the page and its plots."""
    drawn: dict[str, str] = {}
    sections = [section for make in SECTIONS for section in make(found, drawn)]
    page = "\n".join([HEAD, *sections]).rstrip() + "\n"
    return {PAGE: page} | {PLOTS / f"{name}.svg": svg for name, svg in drawn.items()}


if __name__ == "__main__":
    main()
