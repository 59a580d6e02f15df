"""The benchmarks. Each runs in scratch folders and leaves the store alone; what it needs is loaded when it is run."""

from collections.abc import Mapping
from typing import Any

from satchel.domain.envelope import Ok
from satchel.interfaces.bench.results import Governance, Packing, Precision, Retrieval, Speed
from satchel.interfaces.operations.operation import Operation, Parameter, words
from satchel.interfaces.operations.session import Session
from satchel.recall.question import Mode

FORMAT = Parameter(
    "format", "format of the file", flag="set", required=True, choices=("locomo", "longmemeval", "beam", "cosqa")
)
DATA = Parameter("data", "file of that format, plain or gzip; '-' is standard input", required=True)
MODE = Parameter("mode", "how it is searched", default=Mode.HYBRID.value, choices=words(Mode))
THROUGH = Parameter(
    "through",
    "operations to go through; those that suit the set if left out",
    choices=("episodes", "documents", "memories"),
)
THROUGH_OR_PLAIN = Parameter(
    "through",
    "operations to go through, or a plain table to compare with; those that suit the set if left out",
    choices=("episodes", "documents", "memories", "plain"),
)
EMBEDDER = Parameter(
    "embedder", "embed with this one; the configured one if left out", choices=("minilm", "openai", "hashing", "none")
)
CACHE = Parameter("cache", "folder that keeps vectors between runs; one in the platform's data folder if left out")


def _retrieval(session: Session, given: Mapping[str, Any]) -> Ok[Retrieval]:
    from satchel.interfaces.bench.retrieval import run_retrieval

    return run_retrieval(session.settings, session.progress, pipes=session.pipes, **given)


def _speed(session: Session, given: Mapping[str, Any]) -> Ok[Speed]:
    from satchel.interfaces.bench.speed.run import run_speed

    return run_speed(session.settings, session.progress, **given)


def _governance(session: Session, given: Mapping[str, Any]) -> Ok[Governance]:
    from satchel.interfaces.bench.governance.run import run_governance

    return run_governance(session.settings, session.progress, **given)


def _pack(session: Session, given: Mapping[str, Any]) -> Ok[Packing]:
    from satchel.interfaces.bench.packing import run_packing

    return run_packing(session.settings, session.progress, pipes=session.pipes, **given)


def _precision(session: Session, given: Mapping[str, Any]) -> Ok[Precision]:
    from satchel.interfaces.bench.precision import run_precision

    return run_precision(session.settings, session.progress, **given)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "bench retrieval",
        "measure what is found on a public set of questions",
        _retrieval,
        result=Retrieval,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            FORMAT,
            DATA,
            Parameter("level", "what is to be found", default="turn", choices=("turn", "session")),
            MODE,
            THROUGH_OR_PLAIN,
            Parameter("out", "file for the ranking of every question, one JSON object a line"),
            EMBEDDER,
            CACHE,
        ),
        details="Loads the file into scratch stores, one for each conversation, asks every question for 50 units, and "
        "prints R@k (the share of what answers it among the first k), any@k, all@k, nDCG@10 and MRR.",
        examples=("satchel bench retrieval --set locomo --data locomo10.json --out rankings.jsonl --json",),
    ),
    Operation(
        "bench speed",
        "measure how fast it is, side by side with what one would pick instead",
        _speed,
        result=Speed,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter(
                "sizes",
                "measure with so many generated memories; 1000, 10000 and 100000 if left out",
                flag="memories",
                type=int,
                repeated=True,
                default=(),
            ),
            Parameter("runs", "how often each thing is timed", type=int, default=200),
            Parameter(
                "only",
                "measure this only",
                repeated=True,
                default=(),
                choices=(
                    "disk",
                    "filling",
                    "memory",
                    "recall",
                    "neighbours",
                    "pack",
                    "route",
                    "attention",
                    "ingest",
                    "cold",
                    "serve",
                    "lanes",
                    "writers",
                    "store",
                ),
            ),
            CACHE,
        ),
        details="Peers that are installed are filled with the same texts and vectors and timed in turns with Satchel, so "
        "that noise hits all alike. A ratio above 1 means that Satchel is ahead in the median.",
        examples=("satchel bench speed --memories 1000 --runs 50", "satchel bench speed --memories 1000000 --json"),
    ),
    Operation(
        "bench governance",
        "measure what gets through that should not: across scopes, past trust, out of a forget",
        _governance,
        result=Governance,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter(
                "subjects",
                "judge only this one: satchel, or a peer that is installed",
                flag="subject",
                repeated=True,
                default=(),
            ),
        ),
        details="Each check fills an empty store with invented samples, the same in every run, and prints a rate with n. "
        "What a subject does not offer has no rate. Fails when Satchel falls short of an ideal.",
        examples=("satchel bench governance", "satchel bench governance --subject satchel --json"),
    ),
    Operation(
        "bench pack",
        "measure how much of what answers a question fits into so many tokens",
        _pack,
        result=Packing,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            FORMAT,
            DATA,
            Parameter(
                "budgets",
                "pack into so many tokens; 500, 1000 and 2000 if left out",
                flag="budget-tokens",
                type=int,
                repeated=True,
                default=(),
            ),
            MODE,
            THROUGH,
            EMBEDDER,
            CACHE,
        ),
        details="Beside each pack stand two dumps of the same size: the best units of the same search, and those of a plain "
        "table with full text and vectors.",
        examples=("satchel bench pack --set locomo --data locomo10.json --budget-tokens 1000",),
    ),
    Operation(
        "bench precision",
        "measure that what should come back does, and nothing else",
        _precision,
        result=Precision,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter("data", "folder with the files of PrecisionMemBench", required=True),
            MODE,
            Parameter("min_relevance", "leave out what is less relevant than this, 0 to 1", type=float, default=0.05),
            EMBEDDER,
            CACHE,
        ),
        details="Beliefs become memories: a domain is a scope, what is superseded is replaced, and a budget is a limit.",
        examples=("satchel bench precision --data precisionmembench --json",),
    ),
)
