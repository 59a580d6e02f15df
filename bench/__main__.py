"""Run one benchmark: python -m bench retrieval|pack|turns|attention|routes|decisions|precision|speed|clients|team|shards|
    governance|secrets|injection|upkeep [options]

Everything runs in temporary folders; your own store is neither read nor changed. Settings come from the environment and
the configuration file, as for `satchel`.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bench.attention import run_attention
from bench.clients.run import CLIENTS, HOLD_SECONDS, MEMORIES, SECONDS, run_clients
from bench.datasets import READERS
from bench.datasets.dataset import Level
from bench.decisions import HALVES
from bench.governance.run import GovernanceResult, run_governance
from bench.haystack import HAYSTACKS, PLAIN
from bench.injection import run_injection
from bench.pack import run_pack
from bench.precision import run_precision
from bench.progress import show
from bench.retrieval import run_retrieval
from bench.routes import run_routes
from bench.secrets import run_secrets
from bench.shards import MEMORIES as MEMORIES_IN_ALL
from bench.shards import SCOPES, SHARDS, run_shards
from bench.speed.run import MEASUREMENTS, RUNS, run_speed
from bench.tables import Result, table
from bench.team.results import TeamResult
from bench.turns import run_turns
from bench.upkeep import MEMORIES as UPKEEP_MEMORIES
from bench.upkeep import run_upkeep
from bench.why import run_why
from satchel.config import load
from satchel.domain.embedding import PROVIDERS
from satchel.errors import SatchelError
from satchel.interfaces.failures import exit_code
from satchel.interfaces.serialization import to_json
from satchel.recall.request import Mode

MODULES = """other modules, each run as python -m bench.MODULE:
  run          run all benchmarks and keep a result file of each; `make bench` does
  report.page  write docs/benchmarks.md from the result files
  compare      compare two files of rankings
  routing, capture, injection
               list what each got wrong, case by case
  tokens       compare the estimate of tokens with real tokenizers
  placement    say how Citus could spread the tables of a store in PostgreSQL

exit codes: 0 done, 1 failed, 2 invalid request"""

Benchmark = Callable[..., Result]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark that the arguments name and return the exit code."""
    options = vars(_parser().parse_args(arguments))
    run: Benchmark = options.pop("run")
    home, as_json = options.pop("home"), options.pop("json")
    try:
        result = run(load(home=home), show, **options)
    except SatchelError as error:
        _print_error(error, as_json=as_json)
        return exit_code(error)
    _print_result(result, as_json=as_json)
    return int(isinstance(result, GovernanceResult) and result.failed)


def _print_result(result: Result, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"ok": True, "result": to_json(result)}, ensure_ascii=False))
        return
    for line in table(result):
        print(line)


def _print_error(error: SatchelError, *, as_json: bool) -> None:
    if as_json:
        described = {"code": error.code, "message": error.message, "hint": error.hint}
        print(json.dumps({"ok": False, "error": described}, ensure_ascii=False))
        return
    hint = f" ({error.hint})" if error.hint else ""
    print(f"bench: {error.message}{hint}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m bench",
        description="Benchmarks of Satchel. Everything runs in temporary folders; your own store is left alone.",
        epilog=MODULES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="benchmarks", metavar="BENCHMARK", required=True)
    add = partial(_add_command, commands)
    _add_retrieval(
        add(
            "retrieval",
            partial(run_retrieval, pipes=True),
            "search quality on a public dataset",
            "Loads the file into temporary stores, one per conversation, asks every question for 50 units, and prints "
            "R@k (the share of the gold units in the first k), any@k, all@k, nDCG@10 and MRR.",
        )
    )
    _add_pack(
        add(
            "pack",
            partial(run_pack, pipes=True),
            "how much of the gold fits into a pack of a given size",
            "Each pack is compared with dumps of the same size: the best units of the same search, of plain full text, "
            "and of a plain table with full text and vectors.",
        )
    )
    _add_cache(
        add(
            "turns",
            run_turns,
            "what stands in front of a prompt: the memories that belong there, and others",
            "Stores of our own with prompts of six families, in two halves: rules are developed on one, and the other is "
            "only reported. Asked by `turn before` with and without a model, `pack` and `memory_recall`.",
        )
    )
    _add_cache(
        add(
            "attention",
            run_attention,
            "which memories a packet holds for a goal: the wanted, and others",
            "Stores of our own with steps of four roles, in two halves: rules are developed on one, and the other is only "
            "reported. Routed by words and meaning, and by words alone.",
        )
    )
    _add_cache(
        add(
            "routes",
            run_routes,
            "whether the router answers questions about a project as a person would",
            "Questions of our own about fictional projects, in two sets of two halves: rules are developed on one half, "
            "and the other is only reported. Asked with the model and by words alone.",
        )
    )
    _add_halves(
        add(
            "decisions",
            run_why,
            "whether `conversation why` gives the decision, its reasons and what it replaced",
            "Conversations of our own with questions, in two halves, each in one store: the reader's limits are chosen on "
            "one, and the other is only reported. Some questions have no answer.",
        )
    )
    _add_precision(
        add(
            "precision",
            run_precision,
            "whether exactly the expected memories are returned (PrecisionMemBench)",
            "Beliefs become memories: a domain is a scope, a superseded belief is replaced, a budget is a limit.",
        )
    )
    _add_speed(
        add(
            "speed",
            run_speed,
            "latency, throughput and size, compared with peers",
            "Installed peers are filled with the same texts and vectors and timed in turns with Satchel, so that noise "
            "affects all alike. A ratio above 1 means that Satchel's median is better.",
        )
    )
    _add_clients(
        add(
            "clients",
            run_clients,
            "many clients of one server at once, and recalls while another process writes",
            "Four of five requests recall, one stores. The clients run twice: without a pause between their requests, which "
            "shows what the server can do, and with a pause of a second, like busy agents. Every acknowledged store is read "
            "back at the end. Then one client "
            "recalls while another process holds a write transaction, with a server and without.",
        )
    )
    _add_shards(
        add(
            "shards",
            run_shards,
            "simulate a store that is spread over several servers by scope",
            "Sizes of scopes are drawn from a heavy-tailed distribution. The cost of a recall and the bytes of a memory are those "
            "that the team benchmark measured.",
        )
    )
    _add_team(
        add(
            "team",
            run_team_lazily,
            "many agents of one store in PostgreSQL at once, beside plain pgvector queries",
            "Each agent has its own scope. Four of five requests recall, one stores. The schema of the address must not exist; "
            "it is removed at the end.",
        )
    )
    _add_governance(
        add(
            "governance",
            run_governance,
            "what gets through that should not: across scopes, past trust, after a forget",
            "Each check fills an empty store with invented samples, the same in every run, and prints a rate with n. "
            "Operations that a subject does not offer have no rate. Exits with 1 if Satchel misses an ideal.",
        )
    )
    add(
        "upkeep",
        run_upkeep,
        "work on a whole store, while another process writes",
        "Imports, exports, backs up, renames, restores, takes back, prunes, rebuilds and ingests documents in one store, and "
        "measures how long each takes and how long one store of another process waits.",
    ).add_argument(
        "--memories",
        type=int,
        default=UPKEEP_MEMORIES,
        metavar="N",
        help=f"how many memories the store has (default: {UPKEEP_MEMORIES:,})",
    )
    _add_secrets(
        add(
            "secrets",
            run_secrets,
            "which secrets of some samples are masked, and which harmless lines too",
            "Samples are JSON lines with text, label (secret or clean), and optionally value and form (known or generic); other "
            "lines count as harmless. With --hostile, every rule searches text made of its own keywords.",
        )
    )
    _add_injection(
        add(
            "injection",
            run_injection,
            "which texts from tools and pages are taken for an order to the agent",
            "Inspects the texts of files with lines of {text, label, source}, and prints the share of attacks that is "
            "caught and the share of harmless texts that would be quarantined, by source. Of each, the share of the held "
            "half is shown too: that of the texts whose digest is odd.",
        )
    )
    return parser


def _add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Benchmark,
    help: str,
    details: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name, help=help, description=f"{help[0].upper()}{help[1:]}. {details}", allow_abbrev=False
    )
    parser.set_defaults(run=run)
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--home", metavar="FOLDER", help="take the configuration file of the store in this folder")
    return parser


def _add_retrieval(parser: argparse.ArgumentParser) -> None:
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


def _add_pack(parser: argparse.ArgumentParser) -> None:
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


def _add_halves(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", dest="halves", action="append", choices=[*HALVES], help="ask only this half")
    _add_cache(parser)


def _add_precision(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", required=True, metavar="FOLDER", help="folder with the files of PrecisionMemBench")
    _add_mode(parser)
    parser.add_argument(
        "--min-relevance",
        type=float,
        metavar="NUMBER",
        help="leave out memories below this relevance, 0 to 1 (default: recall.min_relevance of the settings)",
    )
    _add_embedding(parser)


def _add_speed(parser: argparse.ArgumentParser) -> None:
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
    _add_cache(parser)


def _add_clients(parser: argparse.ArgumentParser) -> None:
    for name, default, help in (
        ("--memories", MEMORIES, "number of generated memories"),
        ("--clients", CLIENTS, "number of clients"),
        ("--seconds", SECONDS, "how long they use the server"),
        ("--hold-seconds", HOLD_SECONDS, "how long the write transaction lasts"),
    ):
        parser.add_argument(name, type=int, default=default, metavar="N", help=f"{help} (default: %(default)s)")
    _add_cache(parser)


def _add_shards(parser: argparse.ArgumentParser) -> None:
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


def run_team_lazily(*arguments: Any, **options: Any) -> TeamResult:
    """Run the team benchmark. Its driver is an optional package."""
    from bench.team.run import run_team

    return run_team(*arguments, **options)


def _add_team(parser: argparse.ArgumentParser) -> None:
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


def _add_governance(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--subject",
        dest="subjects",
        action="append",
        default=[],
        metavar="NAME",
        help="check only this one: satchel, or an installed peer; may be repeated",
    )


def _add_secrets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--file", dest="files", action="append", default=[], metavar="FILE", help="samples; may be repeated"
    )
    parser.add_argument("--missed", action="store_true", help="list the secrets that are not masked")
    parser.add_argument("--hostile", action="store_true", help="measure seconds per megabyte of hostile text")


def _add_injection(parser: argparse.ArgumentParser) -> None:
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
    _add_cache(parser)


def _add_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cache", metavar="FOLDER", help="keep vectors between runs here (default: in the platform's data folder)"
    )


def _add_choice(
    parser: argparse.ArgumentParser, option: str, choices: Sequence[str], help: str, default: str | None = None
) -> None:
    shown = f"{help} (default: {default})" if default else help
    parser.add_argument(option, choices=[str(one) for one in choices], default=default and str(default), help=shown)


if __name__ == "__main__":
    sys.exit(main())
