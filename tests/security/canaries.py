"""A store with many scopes, each with a canary in every kind of record."""

import json
from typing import NamedTuple

from satchel.app import Satchel

MINE = "project/home"
# Names that a careless comparison would take for MINE: a prefix, an extension, a part, another separator.
NEAR = (
    "project/home2",
    "project/home/sub",
    "project/hom",
    "project",
    "home",
    "project:home",
    "project/home.",
    "global",
)
STOCK = "Release plan of payments"
"""What every record of every scope says, besides its scope's canary: one question finds them all."""


class Stocked(NamedTuple):
    """A scope that was filled: its canary, and the ids of its records by kind."""

    scope: str
    canary: str
    ids: dict[str, str]


def scope_names(count: int) -> list[str]:
    """Return names of foreign scopes: those that look like MINE first."""
    return [*NEAR, *(f"tenant/t{number:03}" for number in range(count))][:count]


def canary(number: int) -> str:
    """Return a word that stands in the records of one scope only."""
    return f"zqcanary{number:03}"


def fill(memory: Satchel, scope: str, word: str) -> Stocked:
    """Store one record of each kind in a scope, all with its canary, and return their ids."""
    text = f"{STOCK} {word}"
    stored = memory.store(text, scope=scope, title=text, tags=(word,), keywords=(word,), session=word, task=word)
    old = memory.store(f"{STOCK} was on Mondays {word}", scope=scope)
    attention = memory.attention.add(
        memory_type="procedure", title=text, summary=f"{text} summary", details={"why": word}, scope=scope
    )
    packet = memory.attention.route(goal=text, session_id=word, scope=scope)
    event = {"tool_name": "Bash", "summary": text, "session_id": word, "ts": "2026-11-02T09:00:00Z"}
    memory.observations.capture(json.dumps(event), scope=scope)
    memory.observations.ingest()
    observed = memory.observations.search(word, scope=scope).result.hits
    memory.episodes.add([{"text": f"{text} said", "session": word, "id": word, "speaker": word}], scope=scope)
    episode = memory.episodes.list(scope=scope).result.episodes[0]
    memory.documents.add(
        [{"ref": word, "text": f"# {text}\n\n{text} in a document."}], collection="papers", scope=scope
    )
    document = memory.documents.list(scope=scope).result.documents[0]
    memory.graph.add(tail=f"payments {word}", relation="depends on", head="ledger", scope=scope)
    memory.conversations.add(f"We decided to ship {text}", conversation=word, title=text, scope=scope)
    decided = memory.conversations.decide(f"Ship {text}", conversation=word, because=(text,), topic=text, scope=scope)
    fact = memory.facts.assert_("payments", "status", text, sources=(stored.result.id,), scope=scope)
    memory.turns.after([{"role": "user", "content": f"I always want the {text}"}], scope=scope, session=word)
    recalled = memory.recall(text, scope=scope)
    return Stocked(
        scope,
        word,
        {
            "memory": stored.result.id,
            "old": old.result.id,
            "attention": attention.result.memory_id,
            "packet": str(packet.result.packet_id),
            "observation": observed[0].id,
            "episode": episode.id,
            "document": document.path,
            "node": f"payments {word}",
            "decision": decided.result.decision.id,
            "fact": fact.result.fact.id,
            "receipt": recalled.receipt.digest,
            "session": word,
        },
    )
