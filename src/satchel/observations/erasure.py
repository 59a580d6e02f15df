"""Find and erase spool lines, dead letters and artifacts that contain forgotten text."""

import json
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from satchel.core.erasure import ErasureTarget
from satchel.domain.fragments import stored_forms
from satchel.domain.observation import Observation, observation_id
from satchel.errors import InvalidRequest, NotFound
from satchel.observations.event import CaptureContext, CapturedEvent, parse_event, read_object
from satchel.ports import ObservationStore, ScopeStore, Spool

# A shorter text occurs in too many unrelated lines: only lines that consist of it are erased.
MIN_TEXT_BYTES = 8
_BREAKS = re.compile(r'[\\"\x00-\x1f]+')


def evidence_of(text: str, scope: str, observations: ObservationStore, spool: Spool) -> ErasureTarget:
    """Return a text together with the observations of its scope that contain it verbatim, or with its secrets masked."""
    forms = stored_forms(text)
    near = {one.id: one for form in forms for one in observations.containing(form, scope)}
    held = [one for one in near.values() if _mentions(one, forms) or _artifact_contains(one.payload, forms, spool)]
    return ErasureTarget(scope, tuple(held), text)


def erase_traces(
    target: ErasureTarget, observations: ObservationStore, scopes: ScopeStore, spool: Spool, context: CaptureContext
) -> int:
    """Blank every line and dead letter that mentions the target and remove its artifacts; return the line count."""
    eraser = _Eraser(target, scopes, spool, context)
    blanked = spool.scrub(eraser.needles(), eraser.matches)
    for name in sorted(eraser.payloads | eraser.orphans(observations)):
        if not observations.is_payload_shared(name, target.ids):
            spool.remove(name)
    return blanked


def erase_scope_traces(
    scope: str,
    payloads: Iterable[str],
    observations: ObservationStore,
    scopes: ScopeStore,
    spool: Spool,
    context: CaptureContext,
) -> int:
    """Blank every line of a scope, also those that wait, and remove its artifacts; return the line count."""
    waiting: set[str] = set()

    def matches(raw: bytes) -> bool:
        try:
            fields = read_object(raw)
            if str(fields.get("schema", "")).startswith("satchel.dead-letter."):
                fields = read_object(str(fields.get("line", "")).encode())
            event = parse_event(fields, context)
        except InvalidRequest:
            return False
        if event is None or scopes.moved_to(event.scope, event.captured_at) != scope:
            return False
        if event.payload:
            waiting.add(event.payload)
        return True

    # A line need not name its scope, so every line is looked at.
    blanked = spool.scrub([b""], matches)
    unknown = (name for name in waiting if not observations.is_payload_shared(name, ()))
    for name in sorted({*payloads, *unknown}):
        spool.remove(name)
    return blanked


class _Eraser(Struct):
    target: ErasureTarget
    scopes: ScopeStore
    spool: Spool
    context: CaptureContext
    """The context in which the lines were parsed."""
    payloads: set[str] = field(default_factory=set)

    forms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.forms = stored_forms(self.target.text)
        self.payloads = {one.payload for one in self.target.observations if one.payload}

    def needles(self) -> list[bytes]:
        """Return byte strings of which every matching line contains at least one, to skip other files quickly."""
        texts = [
            *self.forms,
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
                return _contains(line, (*self.forms, *(one.text for one in self.target.observations)))
            event = parse_event(fields, self.context)
        except InvalidRequest:
            return _contains(raw.decode("utf-8", "replace"), self.forms)
        if event is None or not self._matches_event(event):
            return False
        if event.payload:
            self.payloads.add(event.payload)
        return True

    def _matches_event(self, event: CapturedEvent) -> bool:
        seeds = self.scopes.seeds(event.scope).all
        if any(observation_id(seed, event.key) in self.target.ids for seed in seeds):
            return True
        mentioned = _mentions(event, self.forms) or _artifact_contains(event.payload, self.forms, self.spool)
        return mentioned and self.scopes.moved_to(event.scope, event.captured_at) == self.target.scope

    def orphans(self, observations: ObservationStore) -> set[str]:
        """Return artifacts without an observation that contain the text: their capture was interrupted."""
        unknown = (name for name in self.spool.artifacts() if not observations.is_payload_shared(name, ()))
        return {name for name in unknown if _artifact_contains(name, self.forms, self.spool)}


def _mentions(one: Observation | CapturedEvent, forms: Sequence[str]) -> bool:
    if any(form and form.strip() in (one.text.strip(), one.summary.strip()) for form in forms):
        return True
    return any(_contains(part, forms) for part in (one.text, one.summary, one.detail or ""))


def _contains(part: str, forms: Sequence[str]) -> bool:
    """Return whether a form of a text occurs in another text, verbatim or JSON-escaped."""
    return any(
        form in part or json.dumps(form, ensure_ascii=False)[1:-1] in part or json.dumps(form)[1:-1] in part
        for form in forms
        if len(form.encode()) >= MIN_TEXT_BYTES
    )


def _artifact_contains(payload: str | None, forms: Sequence[str], spool: Spool) -> bool:
    if payload is None:
        return False
    try:
        return _contains(spool.get(payload), forms)
    except NotFound:
        return False
