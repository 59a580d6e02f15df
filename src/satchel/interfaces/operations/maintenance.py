"""The store as a whole: counts, check-ups, the index, the receipts."""

from satchel.domain.answers import CheckUp, IndexReport, Stats
from satchel.interfaces.operations.operation import ALL_SCOPES, KINDS, SCOPE, Operation, Parameter, flag
from satchel.ports import ChainState, KeptReceipt

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "stats",
        "count what there is",
        lambda session, given: session.memory.maintenance.stats(**given),
        result=Stats,
        writes=False,
        served=True,
        operator_only=True,
        parameters=(SCOPE, ALL_SCOPES, KINDS),
    ),
    Operation(
        "doctor",
        "examine the store, and mend it with --fix",
        lambda session, given: session.memory.maintenance.doctor(progress=session.progress, **given),
        result=CheckUp,
        writes=False,
        long=True,
        operator_only=True,
        parameters=(flag("fix", "rebuild what can be rebuilt; nothing is lost by it", operator_only=True),),
    ),
    Operation(
        "index status",
        "say how the index stands to the ledger",
        lambda session, given: session.memory.maintenance.index_status(**given),
        result=IndexReport,
        writes=False,
        operator_only=True,
    ),
    Operation(
        "index build",
        "embed everything that waits, and bring the index up to date",
        lambda session, given: session.memory.maintenance.index_build(progress=session.progress, **given),
        result=IndexReport,
        writes=True,
        long=True,
        operator_only=True,
    ),
    Operation(
        "index optimize",
        "compact the index; builds the vector index of a large store",
        lambda session, given: session.memory.maintenance.index_optimize(**given),
        result=IndexReport,
        writes=True,
        long=True,
        operator_only=True,
    ),
    Operation(
        "index rebuild",
        "make the index anew, with another embedder if one is named",
        lambda session, given: session.memory.maintenance.index_rebuild(progress=session.progress, **given),
        result=IndexReport,
        writes=True,
        long=True,
        operator_only=True,
        parameters=(
            Parameter("embedder", "embed every text again with this one", choices=("minilm", "openai", "hashing")),
        ),
        details="Can be stopped and started again: nothing is embedded twice. The old vectors answer until every text has a new one; "
        "while the index is then filled anew, recall answers by words.",
    ),
    Operation(
        "receipts list",
        "list the newest receipts",
        lambda session, given: session.memory.maintenance.receipts_list(**given),
        result=tuple[KeptReceipt, ...],
        writes=False,
        operator_only=True,
        parameters=(
            Parameter("limit", "how many to return, 1 to 5000", type=int, default=20),
            Parameter("operation", "only receipts of this operation"),
        ),
    ),
    Operation(
        "receipts show",
        "show one receipt",
        lambda session, given: session.memory.maintenance.receipts_show(**given),
        result=KeptReceipt,
        writes=False,
        operator_only=True,
        parameters=(Parameter("name", "its digest, or the beginning of it", required=True, positional=True),),
    ),
    Operation(
        "receipts verify",
        "recompute every receipt and the chain between them",
        lambda session, given: session.memory.maintenance.receipts_verify(**given),
        result=ChainState,
        writes=False,
        long=True,
        operator_only=True,
    ),
)
