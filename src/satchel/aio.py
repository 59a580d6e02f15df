"""Use a store from asyncio, through its server, which is started if none runs; or a server on another machine.

from satchel.aio import Satchel

async with Satchel.open() as memory:
    await memory.store("We ship on Thursdays", kind="decision")
    answer = await memory.recall("when do we release?")
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from satchel import app
from satchel.adapters.server_files import ServerFiles
from satchel.config import Settings, load
from satchel.core.operations import MARK
from satchel.domain.envelope import Ok
from satchel.errors import InvalidRequest, Unavailable
from satchel.interfaces.agents import tool_name
from satchel.interfaces.hooks.start_server import start_server
from satchel.interfaces.http.client import call
from satchel.interfaces.http.control import status_of
from satchel.interfaces.http.remote import RemoteServer, parse_url
from satchel.interfaces.http.served import answer_of
from satchel.interfaces.operations import Operation
from satchel.interfaces.operations.operation import derive_operation
from satchel.memories.reviews import Reviews
from satchel.memories.service import Memories
from satchel.packing.service import Packing
from satchel.turns.service import Turns
from satchel.wiring.store_path import ledger_path, store_exists

P = ParamSpec("P")
R = TypeVar("R")

START_SECONDS = 30.0
_PAUSE_SECONDS = 0.02


def _remote(
    method: Callable[Concatenate[Any, P], Ok[R]],
) -> Callable[Concatenate["_Caller", P], Coroutine[Any, Any, Ok[R]]]:
    """Return a method that lets the server perform another one, with the same parameters and result."""

    async def perform(self: "_Caller", /, *arguments: P.args, **options: P.kwargs) -> Ok[R]:
        return await self.run(method, *arguments, **options)

    perform.__name__, perform.__doc__ = method.__name__, method.__doc__
    return perform


class _Caller:
    """Sends operations to the server of a store, or to one on another machine."""

    def __init__(self, settings: Settings, folder: str | None, remote: RemoteServer | None = None) -> None:
        self._settings = settings
        self._home = ledger_path(settings).parent
        self._folder = folder
        self._remote = remote

    async def run(self, method: Callable[Concatenate[Any, P], Ok[R]], *arguments: P.args, **options: P.kwargs) -> Ok[R]:
        """Perform an operation of any feature: `await memory.run(Facts.current, "payments")`.

        If this is cancelled, the server may still perform it.
        """
        operation = _operation(method)
        given = _by_name(operation, method, arguments, options)
        return cast("Ok[R]", await asyncio.to_thread(self._perform, operation, given))

    def _perform(self, operation: Operation, given: Mapping[str, Any]) -> Ok[Any]:
        name = tool_name(operation)
        if self._remote is not None:
            answered = self._remote.call(name, given, repeatable=not operation.writes)
            return answer_of(operation, answered, typed=True)
        for _ in range(2):
            answer = call(
                self._home,
                name,
                given,
                actor="python",
                repeatable=not operation.writes,
                folder=self._folder,
            )
            if answer is not None:
                return answer_of(operation, answer, typed=True)
            # It has ended, because nobody used it; or there was none yet.
            self._start()
        raise self._no_server()

    def _start(self) -> None:
        """Wait for a server that can be used, and start one if none runs."""
        deadline = time.monotonic() + START_SECONDS
        files = ServerFiles(self._home)
        if not store_exists(self._settings):
            app.Satchel.open(settings=self._settings).close()
        while (found := files.running()) is None or found.pid is None:
            start_server(self._settings)
            if time.monotonic() > deadline:
                raise self._no_server()
            time.sleep(_PAUSE_SECONDS)

    def _no_server(self) -> Unavailable:
        status = status_of(self._home)
        if status.running and not status.current:
            reason, hint = "has other settings than this process", "run both with the same SATCHEL_* variables"
        elif status.running:
            reason, hint = "does not answer", f"see {ServerFiles(self._home).log}"
        else:
            reason, hint = "could not be started", "'satchel serve' says why"
        return Unavailable(f"the server of {self._home} {reason}", code="no_server", hint=hint)


class TurnHooks(_Caller):
    """What a host calls around a turn."""

    before = _remote(Turns.before)
    after = _remote(Turns.after)


class Satchel(_Caller):
    """A memory on this machine, for programs that use asyncio. Any number of calls may run at the same time."""

    def __init__(self, settings: Settings, folder: str | None, remote: RemoteServer | None = None) -> None:
        super().__init__(settings, folder, remote)
        self.turn = TurnHooks(settings, folder, remote)

    @classmethod
    def open(
        cls, home: str | Path | None = None, *, settings: Settings | None = None, folder: str | Path | None = "."
    ) -> Self:
        """Return the store in a folder; it is created at the first use.

        The scope `auto` is the project that `folder` belongs to; None means that there is none.
        """
        settings = settings or load(home=None if home is None else str(home))
        return cls(settings, None if folder is None else str(Path(folder).absolute()))

    @classmethod
    def connect(cls, url: str, *, token: str, ca_file: str | Path | None = None) -> Self:
        """Return the store of a server on another machine, as the user that a token belongs to.

        `ca_file` has the certificates that vouch for the server, in PEM; None means those of the system.
        """
        parse_url(url)
        return cls(Settings(), None, RemoteServer(url, token, str(ca_file or "")))

    async def __aenter__(self) -> Self:
        if self._remote is not None:
            return self
        # Now, so that the first call does not wait for it, and an error shows here.
        await asyncio.to_thread(self._start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the server to others. It ends when it is unused."""

    store = _remote(Memories.store)
    recall = _remote(Memories.recall)
    list = _remote(Memories.list)
    get = _remote(app.Satchel.get)
    forget = _remote(app.Satchel.forget)
    pack = _remote(Packing.pack)
    review = _remote(Reviews.review)
    confirm = _remote(Reviews.confirm)


@cache
def _operation(method: Callable[..., Any]) -> Operation:
    if MARK not in getattr(method, "__dict__", ()):
        name = getattr(method, "__qualname__", repr(method))
        raise InvalidRequest(
            f"{name} is not an operation", code="unknown_word", hint="pass a method of a feature, such as Facts.current"
        )
    found = derive_operation(method, owner=lambda session: None)
    if found.terminal_only:
        raise InvalidRequest(f"{found.name} is only for the terminal", code="unknown_word", hint="run it as a command")
    return found


def _by_name(
    operation: Operation, method: Callable[..., Any], arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by the names of the parameters."""
    _, *names = method.__code__.co_varnames[: method.__code__.co_argcount]
    if len(arguments) > len(names):
        raise TypeError(f"{method.__name__}() takes {len(names)} positional arguments but {len(arguments)} were given")
    given = dict(zip(names, arguments, strict=False))
    if twice := given.keys() & options.keys():
        raise TypeError(f"{method.__name__}() got multiple values for argument {min(twice)!r}")
    given |= options
    if unknown := given.keys() - {one.name for one in operation.parameters}:
        raise TypeError(f"{method.__name__}() has no argument {min(unknown)!r} that a server could take")
    return given
