"""Erasing: which lines, dead letters and artifacts tell of something that is to be forgotten."""

import json
import re
from collections.abc import Iterable

from msgspec import Struct, field

from satchel.core.erasure import ErasureTarget
from satchel.domain.observation import Observation, observation_id
from satchel.domain.strict_json import read_object
from satchel.errors import InvalidRequest, NotFound
from satchel.observations.event import Circumstances, Sighting, sighted
from satchel.ports import Observations, Spool

# A shorter text is found in too much that has nothing to do with it: it goes only where it stands alone.
MIN_TEXT_BYTES = 8
_BREAKS = re.compile(r'[\\"\x00-\x1f]+')


def evidence_of(text: str, scope: str, observations: Observations, spool: Spool) -> ErasureTarget:
    """Return what goes with a text: the observations of its scope that hold it word for word."""
    held = [one for one in observations.holding(text, scope) if _tells(one, text) or _aside(one.payload, text, spool)]
    return ErasureTarget(scope, tuple(held), text)


def erase_traces(target: ErasureTarget, observations: Observations, spool: Spool, around: Circumstances) -> int:
    """Blank every line and dead letter that tells of it, and remove its artifacts; return how many lines."""
    eraser = _Eraser(target, spool, around)
    blanked = spool.scrub(eraser.needles(), eraser.is_meant)
    for name in sorted(eraser.payloads | eraser.orphans(observations)):
        if not observations.sharing(name, target.ids):
            spool.remove(name)
    return blanked


class _Eraser(Struct):
    target: ErasureTarget
    spool: Spool
    around: Circumstances
    """What the lines were taken in by."""
    payloads: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.payloads = {one.payload for one in self.target.observations if one.payload}

    def needles(self) -> list[bytes]:
        """Return bytes of which every line in question holds some: to pass over files that have none."""
        texts = [
            self.target.text,
            *(part for one in self.target.observations for part in (one.key, one.text, one.summary)),
        ]
        runs = {max(_BREAKS.split(text), key=len) for text in texts}
        # Other writers may have written everything beyond ASCII as escapes.
        return sorted({form for run in runs if run for form in (run.encode(), json.dumps(run)[1:-1].encode())})

    def is_meant(self, raw: bytes) -> bool:
        """Say whether a line tells of what is to be forgotten, and remember what it had put aside."""
        try:
            event = read_object(raw)
            if str(event.get("schema", "")).startswith("satchel.dead-letter."):
                return self._is_letter_meant(str(event.get("line", "")))
            sighting = sighted(event, self.around)
        except InvalidRequest:
            return _holds(raw.decode("utf-8", "replace"), self.target.text)
        if sighting is None or not self._is_sighting_meant(sighting):
            return False
        if sighting.payload:
            self.payloads.add(sighting.payload)
        return True

    def _is_letter_meant(self, line: str) -> bool:
        texts = [self.target.text, *(one.text for one in self.target.observations)]
        return any(_holds(line, text) for text in texts)

    def _is_sighting_meant(self, sighting: Sighting) -> bool:
        if observation_id(sighting.scope, sighting.key) in self.target.ids:
            return True
        told = _tells(sighting, self.target.text) or _aside(sighting.payload, self.target.text, self.spool)
        return sighting.scope == self.target.scope and told

    def orphans(self, observations: Observations) -> set[str]:
        """Return artifacts that no observation has and that hold the text: their capture was cut short."""
        unknown = (name for name in self.spool.artifacts() if not observations.sharing(name, ()))
        return {name for name in unknown if _aside(name, self.target.text, self.spool)}


def _tells(one: Observation | Sighting, text: str) -> bool:
    if not text:
        return False
    if text.strip() in (one.text.strip(), one.summary.strip()):
        return True
    return any(_holds(part, text) for part in _parts(one))


def _parts(one: Observation | Sighting) -> Iterable[str]:
    return one.text, one.summary, one.detail or ""


def _holds(part: str, text: str) -> bool:
    """Say whether a text stands in another, as it is or as JSON writes it."""
    if len(text.encode()) < MIN_TEXT_BYTES:
        return False
    return text in part or json.dumps(text, ensure_ascii=False)[1:-1] in part or json.dumps(text)[1:-1] in part


def _aside(payload: str | None, text: str, spool: Spool) -> bool:
    if payload is None or not text:
        return False
    try:
        return _holds(spool.get(payload), text)
    except NotFound:
        return False
