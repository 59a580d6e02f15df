"""What people do with a store, as the fault suites do it: each a name and a call that answers or raises."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from satchel import Satchel
from satchel.domain.envelope import Ok

Operation = Callable[[Satchel], Ok[object]]


def _export(store: Satchel) -> Ok[object]:
    with TemporaryDirectory() as folder:
        return store.transfer.export(str(Path(folder) / "out.jsonl"), all_scopes=True, redact=False)


READS: dict[str, Operation] = {
    "list": lambda store: store.memories.list(),
    "recall": lambda store: store.recall("ship leaves harbour at dawn", limit=20),
    "recall by words": lambda store: store.recall("ship", mode="lexical", limit=20),
    "pack": lambda store: store.pack("when does the ship leave harbour?"),
    "turn before": lambda store: store.turn.before("when does the ship leave harbour?"),
    "export": _export,
    "forget by query": lambda store: store.forget(query="ship"),
    "stats": lambda store: store.maintenance.stats(),
    "fact current": lambda store: store.facts.current("payments"),
    "fact timeline": lambda store: store.facts.timeline("payments"),
    "fact search": lambda store: store.facts.search("payments"),
    "conversation list": lambda store: store.conversations.list(),
    "conversation show": lambda store: store.conversations.show("api"),
    "conversation search": lambda store: store.conversations.search("postgres tides"),
    "conversation why": lambda store: store.conversations.why("why did we choose Postgres?"),
    "episodes search": lambda store: store.episodes.search("gulls"),
    "docs search": lambda store: store.documents.search("pier lamps"),
    "docs list": lambda store: store.documents.list(),
    "docs show": lambda store: store.documents.show("doc:notes:note0.md"),
    "graph list": lambda store: store.graph.list(),
    "graph ask": lambda store: store.graph.ask("what uses sqlite?"),
    "attention packets": lambda store: store.attention.packets(),
    "attention route": lambda store: store.attention.route("leave harbour", task_id="t"),
    "search": lambda store: store.observations.search("buoy"),
    "tag list": lambda store: store.tags.list(),
    "receipts list": lambda store: store.maintenance.receipts_list(),
    "receipts verify": lambda store: store.maintenance.receipts_verify(),
    "doctor": lambda store: store.maintenance.doctor(),
}
WRITES: dict[str, Operation] = {
    "store": lambda store: store.store("The maroon ship arrives at noon"),
    "forget": lambda store: store.forget(store.store("a thing to forget about the quay").result.id),
    "ingest": lambda store: store.observations.ingest(),
    "conversation add": lambda store: store.conversations.add("One more message.", conversation="api"),
    "doctor --fix": lambda store: store.maintenance.doctor(fix=True),
    "doctor again": lambda store: store.maintenance.doctor(),
}
OPERATIONS = READS | WRITES
