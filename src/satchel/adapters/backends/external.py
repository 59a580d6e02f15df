"""Backends outside the store (programs, servers and files), by the adapter of their entry."""

import time
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, runtime_checkable

from satchel.domain.routing import BACKENDS, BackendEntry, BackendQuery, RouteErrorCode
from satchel.errors import BackendFailed, SatchelError
from satchel.ports.backend import Backend, ProbeResult
from satchel.ports.reading import ReadUnread

PROBE_SECONDS = 5.0
MIN_QMD = (2, 0)
ADAPTERS: Mapping[str, tuple[str, str, str]] = {
    "qmd-cli": ("qmd", "qmd", "QmdProgram"),
    "qmd-http": ("qmd", "qmd", "QmdServer"),
    "cognee-http": ("cognee", "cognee", "CogneeServer"),
    "lcm-sqlite": ("lossless", "lcm", "LosslessDatabase"),
    "totalrecall-md": ("totalrecall", "totalrecall_files", "MarkdownTiers"),
    "totalrecall-git": ("totalrecall", "totalrecall_git", "GitBranch"),
}
"""The backend of each adapter, and the module and class that implement it. Only the module in use is imported."""


@runtime_checkable
class Writable(Protocol):
    """A backend that can store a text."""

    def write(self, key: str, text: str, at: int) -> str: ...


@runtime_checkable
class Versioned(Protocol):
    """A backend that is a program with a version."""

    def version(self, deadline: float) -> str: ...


# The adapters of conversations, whose messages are read for decisions.
READING = frozenset({"lcm-sqlite"})


class ConfiguredBackends:
    """Implements ports.backend.ExternalBackends."""

    def __init__(self, read: ReadUnread = lambda question, discussions: []) -> None:
        self._read = read

    def backend(self, entry: BackendEntry) -> Backend:
        name, module, implementation = ADAPTERS.get(entry.adapter, ("", "", ""))
        if name != entry.name:
            known = [adapter for adapter, (backend, *_) in ADAPTERS.items() if backend == entry.name]
            raise BackendFailed(
                f"{entry.name} has no adapter {entry.adapter[:40]!r}",
                code=RouteErrorCode.UNAVAILABLE,
                hint=f"native or {', '.join(known)}",
            )
        make = getattr(import_module(f"satchel.adapters.backends.{module}"), implementation)
        opened: Backend = make(entry, self._read) if entry.adapter in READING else make(entry)
        return opened

    def write(self, entry: BackendEntry, key: str, text: str, at: int) -> str:
        backend = self.backend(entry)
        if isinstance(backend, Writable):
            return backend.write(key, text, at)
        raise BackendFailed(f"{entry.adapter} is read-only", code=RouteErrorCode.UNAVAILABLE)

    def probe(self, entry: BackendEntry) -> ProbeResult:
        try:
            backend = self.backend(entry)
        except SatchelError as error:
            return ProbeResult(False, False, False, error.message)
        deadline = time.monotonic() + PROBE_SECONDS
        try:
            _check_version(backend, deadline)
            # Only a real query shows whether a program that starts can also answer.
            backend.ask(BackendQuery("satchel probe", "search" if entry.name == BACKENDS[0] else None, 1, deadline))
        except BackendFailed as error:
            missing = error.code == RouteErrorCode.UNAVAILABLE
            return ProbeResult(not missing, not missing, False, error.message)
        return ProbeResult(True, True, True, "")


def _check_version(backend: Backend, deadline: float) -> None:
    if not isinstance(backend, Versioned):
        return
    version = backend.version(deadline)
    numbers = [part for part in version.replace("v", " ").split() if part[:1].isdigit()]
    found = tuple(int(part) for part in numbers[0].split(".")[:2] if part.isdigit()) if numbers else (0,)
    if found < MIN_QMD:
        raise BackendFailed(
            f"QMD {'.'.join(map(str, MIN_QMD))} or newer is needed, this is {version[:40]!r}; it needs Node 22",
            code=RouteErrorCode.UNAVAILABLE,
        )
