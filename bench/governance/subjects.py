"""Satchel and its peers as subjects."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

from bench.governance.subject import Channel, Content, NotOfferedError
from bench.peers import Peer
from satchel.app import Satchel
from satchel.domain.embedding import Vector
from satchel.domain.view import LIVE_STATES
from satchel.recall.request import MAX_LIMIT, Mode

LIMIT = 10
_LONG_AGO = "2020-01-01"
_MONTHS_MS = 100 * 86_400_000


class SatchelSubject:
    """Satchel, through the operations that an agent or its host calls."""

    def __init__(self, memory: Satchel, folder: Path) -> None:
        self._memory = memory
        self._marks = count(1)
        self.folder = folder

    def remember(self, text: str, scope: str, channel: Channel = Channel.OPERATOR) -> str:
        return self._memory.store(text, scope=scope, source_kind=channel.value, importance=0.8).result.id

    def remember_old(self, text: str, scope: str) -> str:
        id = f"old-{next(self._marks)}"
        created = self._memory.maintenance.stats().receipt.at - _MONTHS_MS
        with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
            file = Path(folder) / "old.jsonl"
            row = {"id": id, "text": text, "scope": scope, "created_at": created}
            file.write_text(json.dumps(row) + "\n", encoding="utf-8")
            self._memory.transfer.import_(str(file))
        return id

    def tidy(self, scope: str) -> None:
        self._memory.lifecycle.grade(scope=scope)
        self._memory.lifecycle.run(scope=scope)

    def replace(self, id: str, text: str, scope: str) -> str:
        return self._memory.store(text, scope=scope, replaces=id, importance=0.8).result.id

    def quarantine(self, text: str, scope: str) -> str:
        return self._memory.store(text, scope=scope, trust="quarantined", importance=0.8).result.id

    def expire(self, text: str, scope: str) -> str:
        return self._memory.store(text, scope=scope, valid_to=_LONG_AGO, importance=0.8).result.id

    def observe(self, text: str, scope: str) -> None:
        self._memory.observations.capture(json.dumps({"text": text, "tool_name": "bash"}), scope=scope)
        self._memory.observations.ingest()
        self._memory.episodes.add(text=text, scope=scope, role="tool", source_kind="tool")

    def ask(self, question: str, scope: str) -> Sequence[str]:
        memory = self._memory
        recalled = (memory.recall(question, scope=scope, mode=mode, limit=LIMIT).result for mode in Mode)
        texts = [hit.memory.text for answer in recalled for hit in answer.hits]
        texts.append(memory.turns.before(question, scope=scope).result.block)
        texts.append(repr(memory.attention.route(question, scope=scope).result.packet))
        texts.append(memory.packing.pack(question, scope=scope).result.bundle_text)
        texts.append(repr(memory.routing.route(question, scope=scope).result))
        texts += [hit.text for hit in memory.episodes.search(question, scope=scope, limit=LIMIT).result.hits]
        found = memory.observations.search(question, scope=scope, limit=LIMIT).result
        return [*texts, *(repr(one) for one in found.hits)]

    def held_out(self, question: str, scope: str) -> Sequence[str]:
        answer = self._memory.recall(question, scope=scope, mode=Mode.LEXICAL, limit=MAX_LIMIT).result
        return [one.id for one in answer.held_out if one.rule]

    def forget(self, id: str, scope: str) -> None:
        self._memory.forget(id, scope=scope)

    def mark(self) -> str:
        return self._memory.tags.create(f"mark-{next(self._marks)}").result.tag.name

    def restore(self, mark: str, scope: str) -> None:
        self._memory.tags.restore(mark, scope=scope)

    def contents(self, scope: str) -> Mapping[str, Content]:
        with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
            file = Path(folder) / "contents.jsonl"
            self._memory.transfer.export(str(file), scope=scope, redact=False)
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return {row["id"]: Content(row, row["state"] in LIVE_STATES) for row in rows}

    def close(self) -> None:
        self._memory.close()


class PeerSubject:
    """A peer: it stores, finds and deletes, and offers nothing else."""

    def __init__(self, peer: Peer, embed: Callable[[str], Vector]) -> None:
        self._peer = peer
        self._embed = embed
        self._numbers = count(1)
        self._filled = False
        self.folder = peer.folder

    def remember(self, text: str, scope: str, channel: Channel = Channel.OPERATOR) -> str:
        id, vector = f"{next(self._numbers):06d}", self._embed(text)
        if self._filled:
            self._peer.write(id, text, scope, vector)
        else:
            self._peer.fill([id], [text], [scope], [vector])
            self._filled = True
        return id

    def observe(self, text: str, scope: str) -> None:
        self.remember(text, scope)

    def ask(self, question: str, scope: str) -> Sequence[str]:
        return [text for _, text in self._peer.recall(question, self._embed(question), scope, LIMIT)]

    def forget(self, id: str, scope: str) -> None:
        self._peer.forget(id)

    def remember_old(self, text: str, scope: str) -> str:
        raise NotOfferedError

    def tidy(self, scope: str) -> None:
        raise NotOfferedError

    def replace(self, id: str, text: str, scope: str) -> str:
        raise NotOfferedError

    def quarantine(self, text: str, scope: str) -> str:
        raise NotOfferedError

    def expire(self, text: str, scope: str) -> str:
        raise NotOfferedError

    def held_out(self, question: str, scope: str) -> Sequence[str]:
        raise NotOfferedError

    def mark(self) -> str:
        raise NotOfferedError

    def restore(self, mark: str, scope: str) -> None:
        raise NotOfferedError

    def contents(self, scope: str) -> Mapping[str, Content]:
        raise NotOfferedError

    def close(self) -> None:
        self._peer.close()
