"""Forgetting: one memory or observation out of every place that holds it, evidence first."""

from collections.abc import Callable

from msgspec.structs import replace

from satchel.core.service import Area
from satchel.core.surviving_text import Going, held_elsewhere
from satchel.domain.answers import Forgotten
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.observation import Observation
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.errors import Unavailable
from satchel.indexing import upkeep
from satchel.memories import forget
from satchel.observations.erasing import Doomed, doomed_with, erase_traces
from satchel.observations.ingest import around


class Forgetting(Area):
    """Erases a record from ledger, index, spool and artifacts, and looks for it in every file if asked to."""

    def memory(self, memory: Memory, within: Reach, verify: bool, started: float) -> Ok[Forgotten] | None:
        """Erase a memory, and the observations of its scope that hold its words; None when it was gone before."""
        doomed = doomed_with(memory.text, memory.scope, self._ledger.observations, self._parts.spool)
        asked: dict[str, Json] = {"id": memory.id, "scope": within.name, "verify": verify}
        facts: dict[str, Json] = {"action": "deleted", "id": memory.id, "observations": len(doomed.observations)}
        receipt = self._receipt("forget", started, asked=asked, decided=facts)
        forgotten = forget.erase(
            memory,
            within,
            memories=self._ledger.memories,
            erase_evidence=lambda: self._erase_evidence(doomed, started),
            is_elsewhere=self._elsewhere(doomed, memory.id),
            purge_index=lambda: upkeep.purge(self._derived),
            files=self._parts.files,
            actor=self._parts.actor,
            receipt=receipt,
            verify=verify,
        )
        if forgotten is None:
            return None
        return Ok(replace(forgotten, observations=len(doomed.observations)), self._kept(receipt, started))

    def observation(self, observation: Observation, within: Reach, verify: bool, started: float) -> Ok[Forgotten]:
        """Erase an observation, with its lines, dead letters and artifacts."""
        doomed = Doomed(observation.scope, (observation,))
        asked: dict[str, Json] = {"id": observation.id, "scope": within.name, "verify": verify}
        receipt = self._receipt("forget", started, asked=asked, decided={"action": "deleted", "id": observation.id})
        told = f"{observation.summary}\n{observation.text}" if observation.text else observation.detail or ""
        forgotten = forget.erase_observation(
            MemoryId(observation.id),
            told,
            erase=lambda: self._erase_evidence(doomed, started),
            scrub=self._ledger.memories.scrub,
            is_elsewhere=self._elsewhere(doomed, None),
            files=self._parts.files,
            verify=verify,
        )
        self._ledger.memories.commit([], receipt)
        return Ok(forgotten, self._kept(receipt, started))

    def _erase_evidence(self, doomed: Doomed, started: float) -> None:
        """Erase lines, letters and artifacts first: the ledger remembers what to look for until they are gone."""
        if self._ledger.read_only:
            raise Unavailable("the store is read-only", code="read_only", hint="check the permissions of its folder")
        erase_traces(doomed, self._ledger.observations, self._parts.spool, around(0, self._policies.scope))
        if doomed.observations:
            facts: dict[str, Json] = {"ids": list(doomed.ids)}
            receipt = self._receipt("forget evidence", started, asked={"scope": doomed.scope}, decided=facts)
            self._ledger.observations.erase(doomed.ids, Reach((doomed.scope,)), self._parts.actor, receipt)

    def _elsewhere(self, doomed: Doomed, memory: MemoryId | None) -> Callable[[str], bool]:
        """Return who knows whether a piece of text stands in some record that is not to be forgotten."""
        told = [text for text in (doomed.text, *(one.text for one in doomed.observations)) if text]
        going = Going(memory or MemoryId(""), observations=doomed.ids, scope=doomed.scope, told=told)
        return held_elsewhere(self._ledger, going)
