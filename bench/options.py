"""The command line options of each benchmark."""

import argparse
from collections.abc import Sequence

from bench.clients.run import CLIENTS, HOLD_SECONDS, MEMORIES, SECONDS
from bench.datasets import READERS
from bench.datasets.dataset import Level
from bench.decisions import PARTS
from bench.haystack import HAYSTACKS, PLAIN
from bench.shards import MEMORIES as MEMORIES_IN_ALL
from bench.shards import SCOPES, SHARDS
from bench.speed.run import MEASUREMENTS, RUNS
from bench.upkeep import MEMORIES as UPKEEP_MEMORIES
from satchel.domain.embedding import PROVIDERS
from satchel.recall.request import Mode


def add_retrieval(parser: argparse.ArgumentParser) -> None:
    """Add the options of `retrieval`."""
    _add_dataset(parser)
    _add_choice(parser, "--level", [*Level], "what a search should find", Level.TURN)
    _add_mode(parser)
    _add_choice(
        parser,
        "--through",
        [*HAYSTACKS, PLAIN],
        "operations to store and search with, or a plain peer; without it, those that suit the dataset",
    )
    parser.add_argument(
        "--out", metavar="FILE", help="write the ranking of every question here, one JSON object a line"
    )
    _add_embedding(parser)


def add_pack(parser: argparse.ArgumentParser) -> None:
    """Add the options of `pack`."""
    _add_dataset(parser)
    parser.add_argument(
        "--budget-tokens",
        dest="budgets",
        action="append",
        type=int,
        default=[],
        metavar="N",
        help="size of a pack; may be repeated (default: 500, 1000 and 2000)",
    )
    _add_mode(parser)
    _add_choice(
        parser,
        "--through",
        [*HAYSTACKS],
        "operations to store and search with; without it, those that suit the dataset",
    )
    _add_embedding(parser)


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Add which parts are asked."""
    parser.add_argument("--part", dest="parts", action="append", choices=[*PARTS], help="ask only this part")
    add_cache(parser)


def add_precision(parser: argparse.ArgumentParser) -> None:
    """Add the options of `precision`."""
    parser.add_argument("--data", required=True, metavar="FOLDER", help="folder with the files of PrecisionMemBench")
    _add_mode(parser)
    parser.add_argument(
        "--min-relevance",
        type=float,
        metavar="NUMBER",
        help="leave out memories below this relevance, 0 to 1 (default: recall.min_relevance of the settings)",
    )
    _add_embedding(parser)


def add_speed(parser: argparse.ArgumentParser) -> None:
    """Add the options of `speed`."""
    parser.add_argument(
        "--memories",
        dest="sizes",
        action="append",
        type=int,
        default=[],
        metavar="N",
        help="number of generated memories; may be repeated (default: 1000, 10000 and 100000)",
    )
    parser.add_argument(
        "--runs", type=int, default=RUNS, metavar="N", help="runs per measurement (default: %(default)s)"
    )
    parser.add_argument(
        "--only", action="append", default=[], choices=[*MEASUREMENTS], help="measure only this; may be repeated"
    )
    add_cache(parser)


def add_clients(parser: argparse.ArgumentParser) -> None:
    """Add the options of `clients`."""
    for name, default, help in (
        ("--memories", MEMORIES, "number of generated memories"),
        ("--clients", CLIENTS, "number of clients"),
        ("--seconds", SECONDS, "how long they use the server"),
        ("--hold-seconds", HOLD_SECONDS, "how long the write transaction lasts"),
    ):
        parser.add_argument(name, type=int, default=default, metavar="N", help=f"{help} (default: %(default)s)")
    add_cache(parser)


def add_shards(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shards`."""
    for name, kind, default, help in (
        ("--memories", int, MEMORIES_IN_ALL, "memories in all"),
        ("--scopes", int, SCOPES, "number of scopes"),
        ("--recalls", float, 1_000.0, "recalls a second, in all"),
        ("--recall-ms", float, 40.0, "milliseconds of a core that a recall needs"),
        ("--bytes", float, 4_200.0, "bytes a memory takes"),
        ("--cores", int, 16, "cores of a server"),
    ):
        parser.add_argument(name, type=kind, default=default, metavar="N", help=f"{help} (default: %(default)s)")
    parser.add_argument(
        "--shards", type=int, nargs="+", default=SHARDS, metavar="N", help="numbers of servers (default: 16 64 256)"
    )


def add_team(parser: argparse.ArgumentParser) -> None:
    """Add the options of `team`."""
    parser.add_argument(
        "--address", required=True, metavar="ADDRESS", help="postgresql://user@host/database?schema=name"
    )
    for name, default, help in (
        ("--agents", 100, "number of agents"),
        ("--memories", 1_000, "memories of each"),
        ("--seconds", 60, "how long they use the store"),
        ("--processes", 4, "how many processes they run in"),
    ):
        parser.add_argument(name, type=int, default=default, metavar="N", help=f"{help} (default: %(default)s)")


def add_governance(parser: argparse.ArgumentParser) -> None:
    """Add the options of `governance`."""
    parser.add_argument(
        "--subject",
        dest="subjects",
        action="append",
        default=[],
        metavar="NAME",
        help="check only this one: satchel, or an installed peer; may be repeated",
    )


def add_secrets(parser: argparse.ArgumentParser) -> None:
    """Add the options of `secrets`."""
    parser.add_argument(
        "--file", dest="files", action="append", default=[], metavar="FILE", help="samples; may be repeated"
    )
    parser.add_argument("--missed", action="store_true", help="list the secrets that are not masked")
    parser.add_argument("--hostile", action="store_true", help="measure seconds per megabyte of hostile text")


def add_injection(parser: argparse.ArgumentParser) -> None:
    """Add the options of `injection`."""
    parser.add_argument(
        "--file",
        dest="files",
        action="append",
        required=True,
        metavar="FILE",
        help="file of texts, one JSON object per line; may be repeated",
    )


def _add_dataset(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", dest="format", required=True, choices=[*READERS], help="format of the file")
    parser.add_argument(
        "--data", required=True, metavar="FILE", help="file of that format, plain or gzip; '-' is standard input"
    )


def _add_mode(parser: argparse.ArgumentParser) -> None:
    _add_choice(parser, "--mode", [*Mode], "how to search", Mode.HYBRID)


def _add_embedding(parser: argparse.ArgumentParser) -> None:
    _add_choice(parser, "--embedder", PROVIDERS, "embedder to use instead of the configured one")
    add_cache(parser)


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Add where vectors are kept."""
    parser.add_argument(
        "--cache", metavar="FOLDER", help="keep vectors between runs here (default: in the platform's data folder)"
    )


def _add_choice(
    parser: argparse.ArgumentParser, option: str, choices: Sequence[str], help: str, default: str | None = None
) -> None:
    shown = f"{help} (default: {default})" if default else help
    parser.add_argument(option, choices=[str(one) for one in choices], default=default and str(default), help=shown)


def add_upkeep(parser: argparse.ArgumentParser) -> None:
    """Add the options of `upkeep`."""
    parser.add_argument(
        "--memories",
        type=int,
        default=UPKEEP_MEMORIES,
        metavar="N",
        help=f"how many memories the store has (default: {UPKEEP_MEMORIES:,})",
    )
