"""Fake ports for the tests of forgetting, which record calls in order."""

from collections.abc import Sequence
from typing import cast

from satchel.domain.answers import HealthFinding
from satchel.domain.ranking import Candidate
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View, held_out_by
from satchel.ports import FileSearch, MemoryStore


class FakeMemories:
    """The part of ports.Memories that forgetting needs."""

    def __init__(self, *memories: Memory, log: list[str] | None = None, scrubs: bool = True) -> None:
        self.records = {one.id: one for one in memories}
        self.log = [] if log is None else log
        self.scrubs = scrubs
        self.limits: list[int] = []

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        self.limits.append(limit)
        found = [one for one in self.records.values() if any(term in one.text for term in terms)]
        return [Candidate(one.id, float(len(one.text)), one.content_hash) for one in found][:limit]

    def fetch(self, ids: Sequence[MemoryId], view: View, *, verify: bool = True) -> dict[MemoryId, Memory]:
        found = {id: self.records[id] for id in ids if id in self.records}
        return {id: one for id, one in found.items() if held_out_by(one, view) is None}

    def erase(self, id: MemoryId, reach: Reach, actor: str, receipt: Receipt, *, everywhere: bool = True) -> bool:
        self.log.append(f"erase {id} in {reach.name} by {actor} for {receipt.operation}")
        found = self.records.get(id)
        if found is None or not reach.admits(found.scope):
            return False
        del self.records[id]
        return True

    def scrub(self) -> bool:
        self.log.append("scrub")
        return self.scrubs

    def contains(self, fragment: str, *, excluding: MemoryId) -> bool:
        others = [one for id, one in self.records.items() if id != excluding]
        return any(fragment in one.text or fragment in (one.title or "") for one in others)

    @property
    def port(self) -> MemoryStore:
        return cast("MemoryStore", self)


class FakeFiles:
    """Files with given content."""

    def __init__(self, contents: dict[str, bytes] | None = None, log: list[str] | None = None) -> None:
        self.contents = contents or {}
        self.log = [] if log is None else log
        self.folder = "/nowhere"

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        self.log.append(f"search {len(needles)}")
        holding = [name for name, held in self.contents.items() if any(one in held for one in needles)]
        return FileSearch(len(self.contents), sum(map(len, self.contents.values())), tuple(holding))

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        return []
