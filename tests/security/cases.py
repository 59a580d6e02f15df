"""Arguments for every operation, so that a test can walk the whole table; and the edges that it is called through."""

import json
from collections.abc import Mapping
from typing import Any

from satchel.domain.envelope import Ok
from satchel.interfaces.agents import Bounds, perform
from satchel.interfaces.failures import failure_of
from satchel.interfaces.operations import OPERATIONS, Operation, Session
from satchel.interfaces.serialization import envelope
from satchel.interfaces.toolbox import agent_failure, structured_content, text_of
from tests.security.canaries import STOCK

Arguments = Mapping[str, Any]
BY_NAME = {one.name: one for one in OPERATIONS}
_TURNS = [{"role": "user", "content": f"I always prefer the {STOCK}"}]
_TEXTS = [{"ref": "own", "text": f"# {STOCK}\n\nmore"}]

# Placeholders in braces are the ids of the caller's own records.
CASES: dict[str, tuple[Arguments, ...]] = {
    "store": ({"text": f"{STOCK} again"}, {"text": STOCK, "replaces": "{memory}"}, {"text": f"[SCOPE: global] {STOCK}"}),
    "recall": ({"query": STOCK}, {"query": STOCK, "mode": "lexical", "untrusted": True, "limit": 50}, {"query": STOCK, "fallback": False, "mode": "vector"}, {"query": STOCK, "as_of": "2099-01-01"}),
    "get": ({"id": "{memory}"}, {"id": "{observation}"}),
    "list": ({}, {"limit": 200, "quarantined": True}, {"text": "e", "source": "o", "since": "2000-01-01"}),
    "edit": ({"id": "{memory}", "text": f"{STOCK} edited"},),
    "forget": ({"query": STOCK}, {"id": "{old}"}),
    "review": ({}, {"ids": ["{memory}"]}),
    "confirm": ({"ids": ["{memory}"]},),
    "tag create": ({"name": "then"},),
    "tag delete": ({"name": "then"},),
    "tag list": ({},),
    "tag show": ({"point": "1"},),
    "tag diff": ({"start": "1"}, {"start": "1", "end": "2", "limit": 200}),
    "undo": ({"dry_run": True}, {}),
    "undo list": ({"limit": 200},),
    "tag restore": ({"point": "1", "dry_run": True},),
    "pack": ({"query": STOCK, "trace": True}, {"query": STOCK, "tail": [{"role": "user", "content": STOCK}]}),
    "attention init": ({},),
    "attention route": ({"goal": STOCK}, {"goal": STOCK, "meaning": False, "session_id": "{session}"}),
    "attention list": ({},),
    "attention inspect": ({"memory_id": "{attention}"},),
    "attention packets": ({},),
    "attention add": ({"memory_type": "summary", "title": STOCK, "summary": f"{STOCK} stays"},),
    "attention reflect": ({"goal": STOCK, "outcome": "shipped", "lessons": [STOCK]},),
    "attention refresh": ({"stale_memory_ids": ["{attention}"]},),
    "capture": ({"events": json.dumps({"tool_name": "Bash", "summary": STOCK, "ts": "2026-11-03T09:00:00Z"})},),
    "ingest": ({},),
    "search": ({"query": STOCK, "limit": 50}, {"query": STOCK, "archived": True}),
    "timeline": ({"id": "{observation}", "window": 50}, {"id": "{memory}"}),
    "artifacts show": ({"id": "{observation}"},),
    "observations show": ({"raw": 50},),
    "grade": ({"dry_run": True}, {}),
    "lifecycle run": ({"dry_run": True}, {}),
    "lifecycle status": ({},),
    "lifecycle archive": ({"id": "{memory}"}, {"id": "{observation}"}),
    "lifecycle revive": ({"id": "{observation}"},),
    "drift": ({"days": 3650},),
    "episodes add": ({"text": f"{STOCK} said again", "session": "own"},),
    "episodes search": ({"query": STOCK, "neighbours": 5, "limit": 50}, {"query": STOCK, "mode": "lexical"}),
    "episodes list": ({}, {"session": "{session}"}),
    "episodes sessions": ({},),
    "episodes show": ({"id": "{episode}", "neighbours": 5},),
    "episodes embed": ({},),
    "episodes forget": ({"session": "own"}, {"id": "{episode}"}),
    "episodes prune": ({"dry_run": True},),
    "docs add": ({"texts": _TEXTS, "collection": "own"},),
    "docs search": ({"query": STOCK, "limit": 50}, {"query": STOCK, "mode": "lexical"}),
    "docs list": ({},),
    "docs show": ({"target": "{document}", "collection": "papers"},),
    "docs forget": ({"target": "own"}, {"collection": "own"}),
    "graph add": ({"tail": "payments", "relation": "depends on", "head": "ledger"},),
    "graph forget": ({"project": "own"},),
    "graph status": ({},),
    "graph list": ({"limit": 200},),
    "graph show": ({"name": "ledger"},),
    "graph neighbors": ({"name": "ledger", "hops": 3},),
    "graph path": ({"start": "payments", "goal": "ledger"}, {"start": "{node}", "goal": "ledger"}),
    "graph match": ({"idea": "payments ledger"},),
    "graph ask": ({"query": "what depends on ledger?"},),
    "graph export": ({}, {"name": "ledger", "format": "mermaid"}, {"format": "dot"}),
    "route": ({"query": f"why did we decide {STOCK}?", "trace": True}, {"query": STOCK}, {"query": "what depends on ledger?"}),
    "route stats": ({},),
    "route list": ({},),
    "backends list": ({},),
    "backends probe": ({},),
    "fact assert": ({"subject": "payments", "predicate": "status", "object": "green", "sources": ["{memory}"]},),
    "fact invalidate": ({"id": "{fact}", "dry_run": True},),
    "fact stale": ({},),
    "fact rebuild": ({},),
    "fact current": ({"subject": "payments", "include_stale": True},),
    "fact timeline": ({"subject": "payments"},),
    "fact subjects": ({},),
    "fact lint": ({},),
    "fact pack": ({"subject": "payments"},),
    "fact propose": ({"source": "{memory}"},),
    "fact registry": ({},),
    "fact search": ({"query": STOCK, "limit": 50},),
    "conversation add": ({"text": f"We decided on the {STOCK}", "conversation": "own"},),
    "conversation decide": ({"choice": STOCK, "conversation": "own"},),
    "conversation forget": ({"id": "{decision}"},),
    "conversation list": ({},),
    "conversation show": ({"conversation": "{session}"}, {}),
    "conversation expand": ({"id": "{decision}"},),
    "conversation why": ({"question": f"why {STOCK}?"},),
    "conversation search": ({"query": STOCK, "limit": 50},),
    "stats": ({},),
    "scopes": ({},),
    "scopes rename": ({"scope": "own", "name": "renamed", "dry_run": True},),
    "scopes merge": ({"scopes": ["own"], "into": "merged", "dry_run": True},),
    "scopes delete": ({"scope": "own", "dry_run": True},),
    "doctor": ({},),
    "check": ({},),
    "index status": ({},),
    "index build": ({},),
    "index optimize": ({},),
    "index rebuild": ({},),
    "receipts list": ({"limit": 200},),
    "receipts show": ({"name": "{receipt}"},),
    "receipts compare": ({"first": "{receipt}", "second": "{receipt}"},),
    "receipts verify": ({},),
    "receipts prune": ({"older_than": 1, "dry_run": True},),
    "why": ({"receipt": "{receipt}"}, {"last": True}),
    "answers": ({},),
    "uses": ({"id": "{memory}"},),
    "why-not": ({"query": STOCK, "expect": "{memory}"},),
    "conflicts": ({},),
    "turn start": ({},),
    "turn before": ({"prompt": f"What is the {STOCK}?"},),
    "turn after": ({"messages": _TURNS, "session": "own"},),
    "memory_store": ({"text": f"{STOCK} by an agent"}, {"text": STOCK, "replaces": "{old}"}, {"text": f"[SCOPE: global] {STOCK}"}),
    "memory_recall": ({"query": STOCK, "limit": 20}, {"query": STOCK, "as_of": "2099-01-01"}),
    "memory_forget": ({"query": STOCK}, {"memory_id": "{memory}"}),
    "memory_list": ({"limit": 100},),
    "memory_stats": ({},),
    "memory_export": ({"out_path": "out.jsonl"},),
    "memory_import": ({"in_path": "out.jsonl", "dry_run": True},),
    "memory_docs_ingest": ({},),
    "memory_docs_search": ({"query": STOCK},),
    "memory_get": ({"memory_id": "{memory}"},),
    "memory_pack": ({"query": STOCK},),
}  # fmt: skip
"""By operation: calls with good arguments from the caller's own scope."""

ON_THE_MACHINE: dict[str, str] = {
    "docs ingest": "reads a folder that the person names: tests/security/test_paths.py",
    "graph extract": "reads a folder that the person names: tests/security/test_paths.py",
    "graph rebuild": "reads the folders again that the person named",
    "backup": "writes a file that the person names: tests/maintenance/test_backups.py",
    "move": "copies the store into a database that the person names: tests/postgres/test_move.py",
    "backup restore": "reads a file that the person names: tests/maintenance/test_backups.py",
    "export": "writes a file that the person names: tests/security/test_scopes.py",
    "import": "reads a file that the person names: tests/security/test_paths.py",
    "backends install": "settings of this machine",
    "backends write": "settings of this machine",
    "config show": "settings of this machine",
    "config explain": "settings of this machine",
    "config set": "settings of this machine",
    "config unset": "settings of this machine",
    "model install": "settings of this machine",
    "model status": "settings of this machine",
    "token create": "access to the server: tests/interfaces/http/test_tokens.py",
    "token list": "access to the server: tests/interfaces/http/test_tokens.py",
    "token revoke": "access to the server: tests/interfaces/http/test_tokens.py",
    "user add": "access to the server: tests/interfaces/http/test_users.py",
    "user list": "access to the server: tests/interfaces/http/test_users.py",
    "user change": "access to the server: tests/interfaces/http/test_users.py",
    "user remove": "access to the server: tests/interfaces/http/test_users.py",
    "demo": "a store of its own",
    "eval": "a store of its own",
    "writeback-lancedb": "writes to a table that the person names: tests/writeback/test_lancedb.py",
    "rollout status": "files of the hosts: tests/interfaces/rollout",
    "rollout stage": "files of the hosts: tests/interfaces/rollout",
    "rollout run": "files of the hosts: tests/interfaces/rollout",
    "rollout back": "files of the hosts: tests/interfaces/rollout",
    "install": "files of the hosts: tests/security/test_paths.py",
    "uninstall": "files of the hosts: tests/security/test_paths.py",
}
"""Operations for the terminal alone, and why they have no case."""


def filled_in(arguments: Any, ids: Mapping[str, str]) -> Any:
    """Replace the placeholders in arguments by ids."""
    if isinstance(arguments, str):
        name = arguments[1:-1]
        return ids[name] if arguments == f"{{{name}}}" and name in ids else arguments
    if isinstance(arguments, Mapping):
        return {key: filled_in(value, ids) for key, value in arguments.items()}
    return [filled_in(one, ids) for one in arguments] if isinstance(arguments, list) else arguments


def as_operator(session: Session, operation: Operation, arguments: Arguments, scope: str) -> str:
    """Return the JSON that the person gets who works in one scope."""
    placed = {**arguments, "scope": scope} if takes_scope(operation) else arguments
    outcome = perform(session, operation, Bounds(operator=True), placed, "tester")
    answer = outcome if isinstance(outcome, Ok) else failure_of(operation.name, outcome)
    return json.dumps(envelope(answer), ensure_ascii=False)


def as_agent(session: Session, operation: Operation, arguments: Arguments, bounds: Bounds) -> str:
    """Return all that an agent gets whose server has a fixed scope: the structured answer and the text."""
    outcome = perform(session, operation, bounds, arguments, "tester")
    answer = outcome if isinstance(outcome, Ok) else agent_failure(operation.name, outcome)
    return json.dumps(structured_content(operation, answer), ensure_ascii=False) + text_of(answer)


def takes_scope(operation: Operation) -> bool:
    """Return whether the caller of an operation can choose its scope."""
    return any(one.name == "scope" for one in operation.parameters)
