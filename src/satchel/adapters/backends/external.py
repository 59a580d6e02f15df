"""Backends outside the store (programs, servers and files), by the adapter of their entry."""

import time
from collections.abc import Mapping

from satchel.domain.routing import BACKENDS, Asked, Code, Entry
from satchel.errors import BackendFailed, SatchelError
from satchel.ports.backend import Backend, ProbeResult

PROBE_SECONDS = 5.0
MIN_QMD = (2, 0)
ADAPTERS: Mapping[str, str] = {
    "qmd-cli": "qmd",
    "qmd-http": "qmd",
    "cognee-http": "cognee",
    "lcm-sqlite": "lossless",
    "totalrecall-md": "totalrecall",
    "totalrecall-git": "totalrecall",
}
"""The backend that each adapter belongs to."""


class ConfiguredBackends:
    """Implements ports.backend.ExternalBackends."""

    def backend(self, entry: Entry) -> Backend:
        if ADAPTERS.get(entry.adapter) != entry.name:
            known = [name for name, backend in ADAPTERS.items() if backend == entry.name]
            raise BackendFailed(
                f"{entry.name} has no adapter {entry.adapter[:40]!r}",
                code=Code.UNAVAILABLE,
                hint=f"native or {', '.join(known)}",
            )
        return _open(entry)

    def write(self, entry: Entry, key: str, text: str, at: int) -> str:
        from satchel.adapters.backends.totalrecall_files import MarkdownTiers
        from satchel.adapters.backends.totalrecall_git import GitBranch

        backend = self.backend(entry)
        if isinstance(backend, MarkdownTiers):
            return backend.write(text, at)
        if isinstance(backend, GitBranch):
            return backend.write(key, text, at)
        raise BackendFailed(f"{entry.adapter} is read-only", code=Code.UNAVAILABLE)

    def probe(self, entry: Entry) -> ProbeResult:
        try:
            backend = self.backend(entry)
        except SatchelError as error:
            return ProbeResult(False, False, False, error.message)
        deadline = time.monotonic() + PROBE_SECONDS
        try:
            _check_version(backend, deadline)
            # Only a real query shows whether a program that starts can also answer.
            backend.ask(Asked("satchel probe", "search" if entry.name == BACKENDS[0] else None, 1, deadline))
        except BackendFailed as error:
            missing = error.code == Code.UNAVAILABLE
            return ProbeResult(not missing, not missing, False, error.message)
        return ProbeResult(True, True, True, "")


def _check_version(backend: Backend, deadline: float) -> None:
    from satchel.adapters.backends.qmd import QmdProgram

    if not isinstance(backend, QmdProgram):
        return
    version = backend.version(deadline)
    numbers = [part for part in version.replace("v", " ").split() if part[:1].isdigit()]
    found = tuple(int(part) for part in numbers[0].split(".")[:2] if part.isdigit()) if numbers else (0,)
    if found < MIN_QMD:
        raise BackendFailed(
            f"QMD {'.'.join(map(str, MIN_QMD))} or newer is needed, this is {version[:40]!r}; it needs Node 22",
            code=Code.UNAVAILABLE,
        )


def _open(entry: Entry) -> Backend:
    """Return the backend of an entry with a known adapter. Imports only the module that it needs."""
    match entry.adapter:
        case "qmd-cli":
            from satchel.adapters.backends.qmd import QmdProgram

            return QmdProgram(entry)
        case "qmd-http":
            from satchel.adapters.backends.qmd import QmdServer

            return QmdServer(entry)
        case "cognee-http":
            from satchel.adapters.backends.cognee import CogneeServer

            return CogneeServer(entry)
        case "lcm-sqlite":
            from satchel.adapters.backends.lcm import LosslessDatabase

            return LosslessDatabase(entry)
        case "totalrecall-md":
            from satchel.adapters.backends.totalrecall_files import MarkdownTiers

            return MarkdownTiers(entry)
    from satchel.adapters.backends.totalrecall_git import GitBranch

    return GitBranch(entry)
