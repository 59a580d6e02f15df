"""The worker threads of a server."""

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import SatchelError
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.server import open_session
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.operations import Operation, Session
from satchel.wiring.adapters import ledger_path

OPERATOR = Bounds(operator=True)


def test_quick_operations_do_not_wait_for_long_ones(settings: Settings) -> None:
    begun, finish = threading.Event(), threading.Event()

    def waiting(session: Session, given: Mapping[str, Any]) -> Ok[Any]:
        begun.set()
        assert finish.wait(60)
        return Ok(None, Receipt("doctor", asked={}))

    long = replace(OFFERED["doctor"], run=waiting, parameters=())

    async def both() -> tuple[Any, Any]:
        workers = Workers(lambda: open_session(settings), ledger_path(settings))
        try:
            slow = asyncio.create_task(_done(workers, long))
            await asyncio.to_thread(begun.wait, 60)
            quick = await _done(workers, OFFERED["stats"])
            assert not slow.done()
            finish.set()
            return quick, await slow
        finally:
            workers.close()

    quick, slow = asyncio.run(both())
    assert isinstance(quick, Ok)
    assert isinstance(slow, Ok)


def test_reads_do_not_wait_for_writes(settings: Settings) -> None:
    begun, finish = threading.Event(), threading.Event()

    def waiting(session: Session, given: Mapping[str, Any]) -> Ok[Any]:
        begun.set()
        assert finish.wait(60)
        return Ok(None, Receipt("store", asked={}))

    write = replace(OFFERED["store"], run=waiting, parameters=())

    async def both() -> tuple[Any, Any]:
        workers = Workers(lambda: open_session(settings), ledger_path(settings))
        try:
            slow = asyncio.create_task(_done(workers, write))
            await asyncio.to_thread(begun.wait, 60)
            read = await _done(workers, OFFERED["stats"])
            assert not slow.done()
            finish.set()
            return read, await slow
        finally:
            finish.set()
            workers.close()

    read, slow = asyncio.run(both())
    assert isinstance(read, Ok)
    assert isinstance(slow, Ok)


def test_a_failing_operation_does_not_stop_the_next(settings: Settings) -> None:
    def panicking(session: Session, given: Mapping[str, Any]) -> Ok[Any]:
        raise BaseException("as a Rust library panics")

    broken = replace(OFFERED["stats"], run=panicking)

    async def both() -> tuple[Any, Any]:
        workers = Workers(lambda: open_session(settings), ledger_path(settings))
        try:
            return await _done(workers, broken), await _done(workers, OFFERED["stats"])
        finally:
            workers.close()

    first, second = asyncio.run(both())
    assert isinstance(first, SatchelError)
    assert first.code == "internal_error"
    assert isinstance(second, Ok)


def test_an_unreadable_store_is_an_error_answer(settings: Settings, home: Path) -> None:
    async def then() -> tuple[Any, Any]:
        workers = Workers(lambda: open_session(settings), ledger_path(settings))
        try:
            first = await _done(workers, OFFERED["stats"])
            (home / "other").write_bytes(b"not a database" * 100)
            (home / "other").replace(ledger_path(settings))
            for ending in ("-wal", "-shm"):
                ledger_path(settings).with_name(f"ledger.sqlite3{ending}").unlink()
            return first, await _done(workers, OFFERED["stats"])
        finally:
            workers.close()

    first, second = asyncio.run(then())
    assert isinstance(first, Ok)
    assert isinstance(second, SatchelError)


async def _done(workers: Workers, operation: Operation) -> Ok[Any] | SatchelError:
    return await workers.perform(operation, OPERATOR, {}, Caller("http", "http"))
