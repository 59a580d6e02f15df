"""Find and erase spool lines, dead letters and artifacts that contain forgotten text."""

import json
import re

from msgspec import Struct, field

from satchel.core.erasure import ErasureTarget
from satchel.domain.observation import Observation, observation_id
from satchel.errors import InvalidRequest, NotFound
from satchel.observations.event import CaptureContext, CapturedEvent, parse_event, read_object
from satchel.ports import ObservationStore, Spool

# A shorter text occurs in too many unrelated lines: only lines that consist of it are erased.
MIN_TEXT_BYTES = 8
_BREAKS = re.compile(r'[\\"\x00-\x1f]+')


def evidence_of(text: str, scope: str, observations: ObservationStore, spool: Spool) -> ErasureTarget:
    """Return a text together with the observations of its scope that contain it verbatim."""
    held = [
        one
        for one in observations.containing(text, scope)
        if _mentions(one, text) or _artifact_contains(one.payload, text, spool)
    ]
    return ErasureTarget(scope, tuple(held), text)


def erase_traces(target: ErasureTarget, observations: ObservationStore, spool: Spool, context: CaptureContext) -> int:
    """Blank every line and dead letter that mentions the target and remove its artifacts; return the line count."""
    eraser = _Eraser(target, spool, context)
    blanked = spool.scrub(eraser.needles(), eraser.matches)
    for name in sorted(eraser.payloads | eraser.orphans(observations)):
        if not observations.is_payload_shared(name, target.ids):
            spool.remove(name)
    return blanked


class _Eraser(Struct):
    target: ErasureTarget
    spool: Spool
    context: CaptureContext
    """The context in which the lines were parsed."""
    payloads: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.payloads = {one.payload for one in self.target.observations if one.payload}

    def needles(self) -> list[bytes]:
        """Return byte strings of which every matching line contains at least one, to skip other files quickly."""
        texts = [
            self.target.text,
            *(part for one in self.target.observations for part in (one.key, one.text, one.summary)),
        ]
        runs = {max(_BREAKS.split(text), key=len) for text in texts}
        # Other writers may have escaped everything beyond ASCII.
        return sorted({form for run in runs if run for form in (run.encode(), json.dumps(run)[1:-1].encode())})

    def matches(self, raw: bytes) -> bool:
        """Return whether a line mentions the target, and note the line's artifact."""
        try:
            fields = read_object(raw)
            if str(fields.get("schema", "")).startswith("satchel.dead-letter."):
                line = str(fields.get("line", ""))
                texts = [self.target.text, *(one.text for one in self.target.observations)]
                return any(_contains(line, text) for text in texts)
            event = parse_event(fields, self.context)
        except InvalidRequest:
            return _contains(raw.decode("utf-8", "replace"), self.target.text)
        if event is None or not self._matches_event(event):
            return False
        if event.payload:
            self.payloads.add(event.payload)
        return True

    def _matches_event(self, event: CapturedEvent) -> bool:
        if observation_id(event.scope, event.key) in self.target.ids:
            return True
        mentioned = _mentions(event, self.target.text) or _artifact_contains(
            event.payload, self.target.text, self.spool
        )
        return event.scope == self.target.scope and mentioned

    def orphans(self, observations: ObservationStore) -> set[str]:
        """Return artifacts without an observation that contain the text: their capture was interrupted."""
        unknown = (name for name in self.spool.artifacts() if not observations.is_payload_shared(name, ()))
        return {name for name in unknown if _artifact_contains(name, self.target.text, self.spool)}


def _mentions(one: Observation | CapturedEvent, text: str) -> bool:
    if not text:
        return False
    if text.strip() in (one.text.strip(), one.summary.strip()):
        return True
    return any(_contains(part, text) for part in (one.text, one.summary, one.detail or ""))


def _contains(part: str, text: str) -> bool:
    """Return whether a text occurs in another, verbatim or JSON-escaped."""
    if len(text.encode()) < MIN_TEXT_BYTES:
        return False
    return text in part or json.dumps(text, ensure_ascii=False)[1:-1] in part or json.dumps(text)[1:-1] in part


def _artifact_contains(payload: str | None, text: str, spool: Spool) -> bool:
    if payload is None or not text:
        return False
    try:
        return _contains(spool.get(payload), text)
    except NotFound:
        return False
