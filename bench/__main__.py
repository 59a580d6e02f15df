"""Measure Satchel on this machine: a Markdown table on standard output, every run as JSON in bench/work."""

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import commands, evidence, footprint, machine, report, serving, warm, writing
from bench.attention import attention
from bench.filled import WORK
from bench.ground import Ground
from bench.measure import Row
from bench.progress import say
from satchel.bootstrap import model_status

# In this order: what needs a store as it was filled comes before what writes to it.
MEASUREMENTS: dict[str, Callable[[Ground], list[Row]]] = {
    "start": commands.start,
    "lexical": commands.lexical,
    "hybrid": commands.hybrid,
    "resident": footprint.resident,
    "warm": warm.warm,
    "parts": warm.parts,
    "mixed": warm.mixed,
    "neighbours": warm.neighbours,
    "attention": attention,
    "serve": serving.serve,
    "disk": footprint.disk,
    "filling": footprint.filling,
    "store": writing.durable,
    "after-store": writing.after_store,
    "writers": writing.writers,
    "ingest": evidence.ingest,
}


def main() -> None:
    """Run the measurements asked for."""
    given = _parser().parse_args()
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK, prefix="work-") as work:
        ground = Ground(given.rows, given.fresh, Path(work))
        status = model_status(ground.settings).result
        if not status.installed:
            raise SystemExit(f"the embedding model is not installed ({status.problem}): run 'satchel model install'")
        facts, rows = machine.facts(), list[Row]()
        for name, measure in MEASUREMENTS.items():
            if not given.only or name in given.only:
                say(f"measuring {name}")
                rows += measure(ground)
    print(report.markdown(facts, rows, given.rows))
    say(f"\nEvery run: {report.write_json(facts, rows, given.rows, WORK)}")


def _parser() -> argparse.ArgumentParser:
    lines = [f"  {name:12}{(run.__doc__ or '').splitlines()[0]}" for name, run in MEASUREMENTS.items()]
    parser = argparse.ArgumentParser(
        "python -m bench",
        description=__doc__,
        epilog="measurements:\n"
        + "\n".join(lines)
        + "\n\nA filled store is kept in bench/work and used again until the code that shapes it changes; every\n"
        "measurement works on a copy. Beyond 100,000 memories, texts and vectors are variations of the first ones.\n"
        "'Cold' means a fresh process: the disk's cache is as it happens to be.\n"
        "SATCHEL_MODELS says where the embedding model is; no other setting of yours has any effect.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--rows",
        type=_rows,
        default=100_000,
        metavar="N",
        help="memories in the large store (100000; try 10000 or 1000000)",
    )
    parser.add_argument(
        "--only", action="append", choices=MEASUREMENTS, metavar="NAME", help="measure this only; may be repeated"
    )
    parser.add_argument("--fresh", action="store_true", help="fill the stores anew and embed every text again")
    return parser


def _rows(text: str) -> int:
    rows = int(text)
    if rows < 1_000:
        raise argparse.ArgumentTypeError("at least 1000, or the figures say nothing")
    return rows


if __name__ == "__main__":
    main()
