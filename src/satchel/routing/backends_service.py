"""The backends of the dispatch router: list, probe, install, write."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import Param, operation
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.moment import iso
from satchel.domain.routing import BACKENDS, MODES, BackendEntry, BackendQuery, BackendRoster, BackendState
from satchel.domain.safety.redact import mask
from satchel.domain.text import MAX_TEXT_CHARS, check_text
from satchel.errors import InvalidRequest, SatchelError
from satchel.ports.backend import ProbeResult
from satchel.routing.available import RosterService, markdown_beside
from satchel.routing.overrides import TIERS
from satchel.routing.roster import NATIVE, document
from satchel.routing.values import BackendList, BackendReport, Noted, Probe, Probes

_PROBE_SECONDS = 5.0


_Name = Annotated[str | None, Param("the backend; all of them if omitted", choices=BACKENDS, positional=True)]


class Backends(RosterService):
    """What the router can send a question to. Only `install` writes the file of backends, as an installer would."""

    @operation("backends list", operator_only=True)
    def list(self) -> Ok[BackendList]:
        """List the backends of the router and their state."""
        started = self._clock.ticks()
        listed = self._listed(self._roster())
        decided: dict[str, Json] = {"backends": {one.name: one.status for one in listed.backends}}
        return Ok(listed, self._receipt("backends list", started, asked={}, decided=decided))

    @operation("backends probe", operator_only=True, long=True)
    def probe(self, name: _Name = None) -> Ok[Probes]:
        """Test the backends of the router.

        Asks each one small question. Nothing is written.
        """
        started = self._clock.ticks()
        entries = [one for one in self._roster().entries if name is None or one.name == _known(name)]
        probes = Probes(tuple(self._probe(one) for one in entries))
        decided: dict[str, Json] = {"backends": {one.backend: one.status for one in probes.probes}}
        return Ok(probes, self._receipt("backends probe", started, asked={"name": name}, decided=decided))

    @operation(
        "backends install",
        writes=True,
        idempotent=True,
        operator_only=True,
        terminal_only=True,
        examples=(
            "satchel backends install --tier pro",
            'satchel backends install qmd --adapter qmd-cli --options \'{"collection": "notes"}\'',
        ),
    )
    def install(
        self,
        name: _Name = None,
        *,
        adapter: Annotated[str, Param("how to reach it: native, or another program, server or file")] = NATIVE,
        options: Annotated[Mapping[str, Json] | None, Param("options of the adapter, as a JSON object")] = None,
        tier: Annotated[
            str | None, Param("starter has qmd and totalrecall, pro has all four", choices=("starter", "pro"))
        ] = None,
    ) -> Ok[BackendList]:
        """Write a backend of the router into backends.json, in the state found by testing it.

        Adapters: qmd-cli, qmd-http, cognee-http, lcm-sqlite, totalrecall-md, totalrecall-git. Without a name all of
        Satchel's own backends are written.
        """
        self._require_writable()
        started = self._clock.ticks()
        if tier is not None and tier not in TIERS:
            raise InvalidRequest(f"unknown tier {tier[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(TIERS)}")
        names = [one.name for one in self._native_entries] if name is None else [_known(name)]
        if name is None and adapter != NATIVE:
            raise InvalidRequest(
                "--adapter needs a backend name", code="missing_param", hint="give the name of the backend"
            )
        entries = [self._tried(BackendEntry(one, BackendState.READY, adapter, dict(options or {}))) for one in names]
        now = iso(self._clock.now())
        self._around.state.write(document(self._around.state.read(), entries, tier, now))
        listed = replace(self._listed(self._roster()), written=True)
        asked: dict[str, Json] = {"name": name, "adapter": adapter, "tier": tier}
        decided: dict[str, Json] = {"backends": {one.name: one.state.value for one in entries}}
        return Ok(listed, self._receipt("backends install", started, asked=asked, decided=decided))

    @operation("backends write", writes=True, operator_only=True, terminal_only=True)
    def write(
        self,
        text: Annotated[str, Param("the memory", positional=True, stdin=True)],
        *,
        key: Annotated[str, Param("its topic, which names its file on a branch")] = "note",
    ) -> Ok[Noted]:
        """Write a memory into Total Recall's own files.

        For totalrecall with a folder of Markdown tiers, beside Satchel's own memories or instead of them, or with a git
        branch. Secrets are masked. Satchel's own memories are stored with 'satchel store'.
        """
        self._require_writable()
        started, now = self._clock.ticks(), self._clock.now()
        said = mask(check_text(text, "the memory", limit=MAX_TEXT_CHARS))
        entry = self._roster().entry("totalrecall")
        target = markdown_beside(entry) or entry
        if target is None or target.adapter == NATIVE:
            raise InvalidRequest(
                "totalrecall has no files to write to",
                code="no_folder",
                hint='satchel backends install totalrecall --options \'{"folder": "…"}\'',
            )
        file = self._around.external.write(target, check_text(key, "the key"), said, now)
        asked: dict[str, Json] = {"chars": len(text), "adapter": target.adapter}
        receipt = self._receipt("backends write", started, asked=asked, decided={"file": file})
        return Ok(Noted(file, target.adapter), receipt)

    # Internals

    def _listed(self, roster: BackendRoster) -> BackendList:
        members: Sequence[str] = TIERS.get(roster.tier, ()) if roster.tier else BACKENDS
        reports = tuple(
            BackendReport(
                one.name,
                one.state.value,
                one.adapter,
                one.name in members,
                {mode: state.value for mode, state in one.modes.items()},
                one.message,
                one.last_health_check,
            )
            for one in roster.entries
        )
        return BackendList(self._around.state.path, roster.found, roster.tier, reports)

    def _probe(self, entry: BackendEntry) -> Probe:
        tried = self._tried(entry)
        modes = {mode: state.value for mode, state in tried.modes.items()}
        return Probe(entry.name, entry.adapter, tried.state.value, tried.message or "", modes)

    def _tried(self, entry: BackendEntry) -> BackendEntry:
        """Return an entry with its probed state and modes."""
        probed = self._native(entry, None) if entry.adapter == NATIVE else self._around.external.probe(entry)
        state = _state(probed)
        modes = self._modes(entry) if entry.name == BACKENDS[0] and state is BackendState.READY else {}
        return replace(entry, state=state, message=probed.reason or None, modes=modes)

    def _modes(self, entry: BackendEntry) -> dict[str, BackendState]:
        """Return the modes that do not work although the backend does."""
        stand = {mode: _state(self._answers(entry, mode)) for mode in MODES}
        return {mode: state for mode, state in stand.items() if state is not BackendState.READY}

    def _answers(self, entry: BackendEntry, mode: str) -> ProbeResult:
        if entry.adapter == NATIVE:
            return self._native(entry, mode)
        try:
            self._around.external.backend(entry).ask(self._question(mode))
        except SatchelError as error:
            return ProbeResult(True, False, False, error.message)
        return ProbeResult(True, True, True, "")

    def _native(self, entry: BackendEntry, mode: str | None) -> ProbeResult:
        backend = self._natives.get(entry.name)
        if backend is None:
            return ProbeResult(False, False, False, f"Satchel has no native backend {entry.name}")
        try:
            answer = backend.ask(self._question(mode or ("search" if entry.name == BACKENDS[0] else None)))
        except SatchelError as error:
            return ProbeResult(True, True, False, error.message)
        if mode == "vsearch" and answer.note:
            return ProbeResult(True, False, False, answer.note)
        return ProbeResult(True, True, True, "")

    def _question(self, mode: str | None) -> BackendQuery:
        return BackendQuery("satchel probe", mode, 1, self._clock.ticks() + _PROBE_SECONDS)


def _state(probed: ProbeResult) -> BackendState:
    """Return the state for the first probe level that failed."""
    if not probed.installed:
        return BackendState.UNAVAILABLE
    if not probed.runs:
        return BackendState.INSTALLED
    return BackendState.READY if probed.answers else BackendState.DEGRADED


def _known(name: str) -> str:
    if name not in BACKENDS:
        raise InvalidRequest(
            f"unknown backend {name[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(BACKENDS)}"
        )
    return name
