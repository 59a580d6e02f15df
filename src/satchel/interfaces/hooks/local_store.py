"""The store as a hook opens it when no server answers: every operation runs in this process."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from satchel.config import SettingsSources
from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.arguments import check_arguments
from satchel.interfaces.hooks.host_input import turn_arguments
from satchel.interfaces.operations import Operation, Session, operations_in
from satchel.turns.values import TurnBefore

AREAS = ("turns", "observations")


class LocalStore:
    """Runs operations with the arguments that a host's input stands for. The store is opened at the first one."""

    def __init__(self, sources: SettingsSources) -> None:
        self._sources = sources
        self._session = Session(sources, "hook", progress=_no_progress, note=_say_nothing, tell=_say_nothing)

    def run(self, operation: Operation, given: Mapping[str, Any]) -> Ok[Any]:
        """Run an operation. Raises SatchelError."""
        parameters = {one.name: one for one in operation.parameters}
        check = turn_arguments if operation.takes_host_input else check_arguments
        request = check(operation, parameters, given)
        return operation.run(self._session, {**self._defaults(operation), **request})

    def _defaults(self, operation: Operation) -> Mapping[str, Any]:
        return {"mode": self._sources.settings.auto_recall.cold_mode} if operation.result is TurnBefore else {}

    def close(self) -> None:
        """Close the store if it was opened."""
        self._session.close()


def operation_named(name: str) -> Operation:
    """Return an operation that hooks run."""
    return next(one for area in AREAS for one in operations_in(area) if one.name == name)


def start_server_for(sources: SettingsSources) -> None:
    """Start a server for the next turn, if the settings say so. Failures are ignored: the turn already has its answer."""
    with suppress(SatchelError, OSError):
        if sources.settings.serve.on_demand:
            from satchel.interfaces.hooks.start_server import start_server

            start_server(sources.settings)


def _no_progress(done: int, total: int, what: str) -> None:
    """Show nothing: a hook has no terminal."""


def _say_nothing(text: str) -> None:
    """Drop a remark: a hook has no terminal."""
