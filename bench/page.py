"""The page of figures: docs/benchmarks.md and its plots, written from the result files and from nothing else.

python -m bench.page
"""

from collections.abc import Sequence
from pathlib import Path

from bench.progress import say
from bench.results import ROOT, Result, results
from bench.sections import SECTIONS

PAGE = ROOT / "docs" / "benchmarks.md"
PLOTS = ROOT / "docs" / "plots"

HEAD = """# Benchmarks

Every figure here stands in a file of `bench/results/`, with the command that printed it, the machine and the date;
`make bench` makes those files anew, and this page from them. [Benchmarking](benchmarking.md) says what each figure means
and how to run one yourself. No test asserts a time: absolute figures on shared machines vary by a factor of two, so read
ratios first. What survives kill -9, a full disk and a damaged index is tested, not benchmarked: `tests/faults`.
"""


def main() -> None:
    """Write what is stale."""
    for path in stale(write=True):
        say(f"wrote {path}")


def stale(*, write: bool) -> list[str]:
    """Return the files that differ from what the results say; with `write`, they no longer do."""
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
