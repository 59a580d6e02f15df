"""Backends that are other programs, servers and files, by the adapter that an entry names."""

import time
from collections.abc import Callable, Mapping

from satchel.domain.routing import BACKENDS, Asked, Code, Entry
from satchel.errors import BackendFailed, SatchelError
from satchel.ports.backend import Backend, Probed

PROBE_SECONDS = 5.0
LEAST_QMD = (2, 0)
ADAPTERS: Mapping[str, str] = {
    "qmd-cli": "qmd",
    "qmd-http": "qmd",
    "cognee-http": "cognee",
    "lcm-sqlite": "lossless",
    "totalrecall-md": "totalrecall",
    "totalrecall-git": "totalrecall",
}
"""The adapters, each with the backend it stands for."""


class OutsideBackends:
    """Implements ports.backend.Outside."""

    def backend(self, entry: Entry) -> Backend:
        if ADAPTERS.get(entry.adapter) != entry.name:
            known = [name for name, backend in ADAPTERS.items() if backend == entry.name]
            raise BackendFailed(
                f"{entry.name} has no adapter {entry.adapter[:40]!r}",
                code=Code.UNAVAILABLE,
                hint=f"native or {', '.join(known)}",
            )
        return _MADE[entry.adapter](entry)

    def write(self, entry: Entry, key: str, text: str, at: int) -> str:
        from satchel.adapters.backends.totalrecall_files import MarkdownTiers
        from satchel.adapters.backends.totalrecall_git import GitBranch

        backend = self.backend(entry)
        if isinstance(backend, MarkdownTiers):
            return backend.write(text, at)
        if isinstance(backend, GitBranch):
            return backend.write(key, text, at)
        raise BackendFailed(f"{entry.adapter} is only read", code=Code.UNAVAILABLE)

    def probe(self, entry: Entry) -> Probed:
        try:
            backend = self.backend(entry)
        except SatchelError as error:
            return Probed(False, False, False, error.message)
        deadline = time.monotonic() + PROBE_SECONDS
        try:
            _check_version(backend, deadline)
            # Only a real question tells whether a program that starts can also answer.
            backend.ask(Asked("satchel probe", "search" if entry.name == BACKENDS[0] else None, 1, deadline))
        except BackendFailed as error:
            missing = error.code == Code.UNAVAILABLE
            return Probed(not missing, not missing, False, error.message)
        return Probed(True, True, True, "")


def _check_version(backend: Backend, deadline: float) -> None:
    from satchel.adapters.backends.qmd import QmdProgram

    if not isinstance(backend, QmdProgram):
        return
    said = backend.version(deadline)
    numbers = [part for part in said.replace("v", " ").split() if part[:1].isdigit()]
    found = tuple(int(part) for part in numbers[0].split(".")[:2] if part.isdigit()) if numbers else (0,)
    if found < LEAST_QMD:
        raise BackendFailed(
            f"QMD {'.'.join(map(str, LEAST_QMD))} or newer is needed, this is {said[:40]!r}; it needs Node 22",
            code=Code.UNAVAILABLE,
        )


def _qmd_program(entry: Entry) -> Backend:
    from satchel.adapters.backends.qmd import QmdProgram

    return QmdProgram(entry)


def _qmd_server(entry: Entry) -> Backend:
    from satchel.adapters.backends.qmd import QmdServer

    return QmdServer(entry)


def _cognee(entry: Entry) -> Backend:
    from satchel.adapters.backends.cognee import CogneeServer

    return CogneeServer(entry)


def _lossless(entry: Entry) -> Backend:
    from satchel.adapters.backends.lcm import LosslessDatabase

    return LosslessDatabase(entry)


def _markdown(entry: Entry) -> Backend:
    from satchel.adapters.backends.totalrecall_files import MarkdownTiers

    return MarkdownTiers(entry)


def _branch(entry: Entry) -> Backend:
    from satchel.adapters.backends.totalrecall_git import GitBranch

    return GitBranch(entry)


_MADE: Mapping[str, Callable[[Entry], Backend]] = {
    "qmd-cli": _qmd_program,
    "qmd-http": _qmd_server,
    "cognee-http": _cognee,
    "lcm-sqlite": _lossless,
    "totalrecall-md": _markdown,
    "totalrecall-git": _branch,
}
