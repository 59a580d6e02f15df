"""Run one benchmark: python -m bench BENCHMARK [options]

Everything runs in temporary folders; your own store is neither read nor changed. Settings come from the environment and
the configuration file, as for `satchel`.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from bench import options
from bench.attention import run_attention
from bench.clients.run import run_clients
from bench.governance.run import GovernanceResult, run_governance
from bench.injection import run_injection
from bench.pack import run_pack
from bench.precision import run_precision
from bench.progress import show
from bench.retrieval import run_retrieval
from bench.routes import run_routes
from bench.secrets import run_secrets
from bench.shards import run_shards
from bench.speed.run import run_speed
from bench.tables import Result, table
from bench.team.results import TeamResult
from bench.turns import run_turns
from bench.upkeep import run_upkeep
from bench.why import run_why
from satchel.config import load
from satchel.errors import SatchelError
from satchel.interfaces.failures import exit_code
from satchel.interfaces.serialization import to_json

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


class Command(NamedTuple):
    """A benchmark as a command."""

    name: str
    run: Benchmark
    help: str
    details: str
    add_options: Callable[[argparse.ArgumentParser], None]


def run_team_lazily(*arguments: Any, **given: Any) -> TeamResult:
    """Run the team benchmark. Its driver is an optional package."""
    from bench.team.run import run_team

    return run_team(*arguments, **given)


COMMANDS = (
    Command(
        "retrieval",
        partial(run_retrieval, pipes=True),
        "search quality on a public dataset",
        "Loads the file into temporary stores, one per conversation, asks every question for 50 units, and prints "
        "R@k (the share of the gold units in the first k), any@k, all@k, nDCG@10 and MRR.",
        options.add_retrieval,
    ),
    Command(
        "pack",
        partial(run_pack, pipes=True),
        "how much of the gold fits into a pack of a given size",
        "Each pack is compared with dumps of the same size: the best units of the same search, of plain full text, "
        "and of a plain table with full text and vectors.",
        options.add_pack,
    ),
    Command(
        "turns",
        run_turns,
        "what stands in front of a prompt: the memories that belong there, and others",
        "Stores of our own with prompts of six families, in two halves: rules are developed on one, and the other is "
        "only reported. Asked by `turn before` with and without a model, `pack` and `memory_recall`.",
        options.add_cache,
    ),
    Command(
        "attention",
        run_attention,
        "which memories a packet holds for a goal: the wanted, and others",
        "Stores of our own with steps of four roles, in two halves: rules are developed on one, and the other is only "
        "reported. Routed by words and meaning, and by words alone.",
        options.add_cache,
    ),
    Command(
        "routes",
        run_routes,
        "whether the router answers questions about a project as a person would",
        "Questions of our own about fictional projects, in two sets of two halves: rules are developed on one half, "
        "and the other is only reported. Asked with the model and by words alone.",
        options.add_cache,
    ),
    Command(
        "decisions",
        run_why,
        "whether `conversation why` gives the decision, its reasons and what it replaced",
        "Conversations of our own with questions, in four parts, each in one store: the reader's limits are chosen on "
        "one, and the others are only reported. Some questions have no answer.",
        options.add_parts,
    ),
    Command(
        "precision",
        run_precision,
        "whether exactly the expected memories are returned (PrecisionMemBench)",
        "Beliefs become memories: a domain is a scope, a superseded belief is replaced, a budget is a limit.",
        options.add_precision,
    ),
    Command(
        "speed",
        run_speed,
        "latency, throughput and size, compared with peers",
        "Installed peers are filled with the same texts and vectors and timed in turns with Satchel, so that noise "
        "affects all alike. A ratio above 1 means that Satchel's median is better.",
        options.add_speed,
    ),
    Command(
        "clients",
        run_clients,
        "many clients of one server at once, and recalls while another process writes",
        "Four of five requests recall, one stores. The clients run twice: without a pause between their requests, which "
        "shows what the server can do, and with a pause of a second, like busy agents. Every acknowledged store is read "
        "back at the end. Then one client "
        "recalls while another process holds a write transaction, with a server and without.",
        options.add_clients,
    ),
    Command(
        "shards",
        run_shards,
        "simulate a store that is spread over several servers by scope",
        "Sizes of scopes are drawn from a heavy-tailed distribution. The cost of a recall and the bytes of a memory are those "
        "that the team benchmark measured.",
        options.add_shards,
    ),
    Command(
        "team",
        run_team_lazily,
        "many agents of one store in PostgreSQL at once, beside plain pgvector queries",
        "Each agent has its own scope. Four of five requests recall, one stores. The schema of the address must not exist; "
        "it is removed at the end.",
        options.add_team,
    ),
    Command(
        "governance",
        run_governance,
        "what gets through that should not: across scopes, past trust, after a forget",
        "Each check fills an empty store with invented samples, the same in every run, and prints a rate with n. "
        "Operations that a subject does not offer have no rate. Exits with 1 if Satchel misses an ideal.",
        options.add_governance,
    ),
    Command(
        "upkeep",
        run_upkeep,
        "work on a whole store, while another process writes",
        "Imports, exports, backs up, renames, restores, takes back, prunes, rebuilds and ingests documents in one store, and "
        "measures how long each takes and how long one store of another process waits.",
        options.add_upkeep,
    ),
    Command(
        "secrets",
        run_secrets,
        "which secrets of some samples are masked, and which harmless lines too",
        "Samples are JSON lines with text, label (secret or clean), and optionally value and form (known or generic); other "
        "lines count as harmless. With --hostile, every rule searches text made of its own keywords.",
        options.add_secrets,
    ),
    Command(
        "injection",
        run_injection,
        "which texts from tools and pages are taken for an order to the agent",
        "Inspects the texts of files with lines of {text, label, source}, and prints the share of attacks that is "
        "caught and the share of harmless texts that would be quarantined, by source. Of each, the share of the held "
        "half is shown too: that of the texts whose digest is odd.",
        options.add_injection,
    ),
)
"""The benchmarks, in the order in which the help lists them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark that the arguments name and return the exit code."""
    given = vars(_parser().parse_args(arguments))
    run: Benchmark = given.pop("run")
    home, as_json = given.pop("home"), given.pop("json")
    try:
        result = run(load(home=home), show, **given)
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
    for name, run, help, details, add_options in COMMANDS:
        command = commands.add_parser(
            name, help=help, description=f"{help[0].upper()}{help[1:]}. {details}", allow_abbrev=False
        )
        command.set_defaults(run=run)
        command.add_argument("--json", action="store_true", help="print the result as one JSON object")
        command.add_argument("--home", metavar="FOLDER", help="take the configuration file of the store in this folder")
        add_options(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
