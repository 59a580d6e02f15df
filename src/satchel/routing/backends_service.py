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
    """The backends the router can ask. Only `install` writes backends.json."""

    @operation("backends list", operator_only=True, answers_without_store=True, examples=("satchel backends list",))
    def list(self) -> Ok[BackendList]:
        """List the backends of the router and their state."""
        with self._run("backends list") as run:
            listed = self._listed(self._roster())
            return run.done(listed, backends={one.name: one.status for one in listed.backends})

    @operation(
        "backends probe",
        operator_only=True,
        answers_without_store=True,
        long=True,
        examples=(
            "satchel backends probe",
            "satchel backends probe qmd",
        ),
    )
    def probe(self, name: _Name = None) -> Ok[Probes]:
        """Test the backends of the router.

        Asks each one small question. Nothing is written.
        """
        with self._run("backends probe", {"name": name}) as run:
            entries = [one for one in self._roster().entries if name is None or one.name == _known(name)]
            probes = Probes(tuple(self._probe(one) for one in entries))
            return run.done(probes, backends={one.backend: one.status for one in probes.probes})

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
        """Configure a backend of the router in backends.json, after testing it.

        Adapters: qmd-cli, qmd-http, cognee-http, lcm-sqlite, totalrecall-md, totalrecall-git. Without a name all of
        Satchel's own backends are written.
        """
        with self._run("backends install", {"name": name, "adapter": adapter, "tier": tier}, writes=True) as run:
            if tier is not None and tier not in TIERS:
                raise InvalidRequest(
                    f"unknown tier {tier[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(TIERS)}"
                )
            names = [one.name for one in self._native_entries] if name is None else [_known(name)]
            if name is None and adapter != NATIVE:
                raise InvalidRequest(
                    "--adapter needs a backend name", code="missing_param", hint="give the name of the backend"
                )
            entries = [
                self._probed(BackendEntry(one, BackendState.READY, adapter, dict(options or {}))) for one in names
            ]
            now = iso(self._clock.now())
            self._around.state.write(document(self._around.state.read(), entries, tier, now))
            listed = replace(self._listed(self._roster()), written=True)
            return run.done(listed, backends={one.name: one.state.value for one in entries})

    @operation(
        "backends write",
        writes=True,
        operator_only=True,
        terminal_only=True,
        examples=('satchel backends write "Retry payments three times" --key payments',),
    )
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
        with self._run("backends write", writes=True) as run:
            masked = mask(check_text(text, "the memory", limit=MAX_TEXT_CHARS))
            entry = self._roster().entry("totalrecall")
            target = markdown_beside(entry) or entry
            if target is None or target.adapter == NATIVE:
                raise InvalidRequest(
                    "totalrecall has no files to write to",
                    code="no_folder",
                    hint='satchel backends install totalrecall --options \'{"folder": "…"}\'',
                )
            file = self._around.external.write(target, check_text(key, "the key"), masked, self._clock.now())
            run.asked = {"chars": len(text), "adapter": target.adapter}
            return run.done(Noted(file, target.adapter), file=file)

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
        probed = self._probed(entry)
        modes = {mode: state.value for mode, state in probed.modes.items()}
        return Probe(entry.name, entry.adapter, probed.state.value, probed.message or "", modes)

    def _probed(self, entry: BackendEntry) -> BackendEntry:
        """Return an entry with its probed state and modes."""
        result = self._probe_native(entry, None) if entry.adapter == NATIVE else self._around.external.probe(entry)
        state = _state(result)
        modes = self._failing_modes(entry) if entry.name == BACKENDS[0] and state is BackendState.READY else {}
        return replace(entry, state=state, message=result.reason or None, modes=modes)

    def _failing_modes(self, entry: BackendEntry) -> dict[str, BackendState]:
        """Return the modes that do not work although the backend does."""
        states = {mode: _state(self._probe_mode(entry, mode)) for mode in MODES}
        return {mode: state for mode, state in states.items() if state is not BackendState.READY}

    def _probe_mode(self, entry: BackendEntry, mode: str) -> ProbeResult:
        if entry.adapter == NATIVE:
            return self._probe_native(entry, mode)
        try:
            self._around.external.backend(entry).ask(self._question(mode))
        except SatchelError as error:
            return ProbeResult(True, False, False, error.message)
        return ProbeResult(True, True, True, "")

    def _probe_native(self, entry: BackendEntry, mode: str | None) -> ProbeResult:
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


def _state(result: ProbeResult) -> BackendState:
    """Return the state for the first probe level that failed."""
    if not result.installed:
        return BackendState.UNAVAILABLE
    if not result.runs:
        return BackendState.INSTALLED
    return BackendState.READY if result.answers else BackendState.DEGRADED


def _known(name: str) -> str:
    if name not in BACKENDS:
        raise InvalidRequest(
            f"unknown backend {name[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(BACKENDS)}"
        )
    return name
