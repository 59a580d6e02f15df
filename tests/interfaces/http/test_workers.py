"""The worker threads of a server."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
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
from satchel.wiring.store_path import ledger_path

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


def test_a_few_reads_are_done_at_the_same_time(settings: Settings) -> None:
    together = threading.Barrier(3)

    def meeting(session: Session, given: Mapping[str, Any]) -> Ok[Any]:
        together.wait(60)
        return Ok(None, Receipt("stats", asked={}))

    read = replace(OFFERED["stats"], run=meeting, parameters=())

    async def all_at_once() -> Sequence[Any]:
        workers = Workers(lambda: open_session(settings), ledger_path(settings), readers=3)
        try:
            answers: Sequence[Any] = await asyncio.gather(*(_done(workers, read) for _ in range(3)))
            return answers
        finally:
            workers.close()

    assert all(isinstance(one, Ok) for one in asyncio.run(all_at_once()))


def test_one_client_needs_one_reader(settings: Settings) -> None:
    opened = []

    def counted() -> Session:
        opened.append(threading.current_thread().name)
        return open_session(settings)

    async def one_after_another() -> None:
        workers = Workers(counted, ledger_path(settings), readers=3)
        try:
            for _ in range(5):
                await _done(workers, OFFERED["stats"])
        finally:
            workers.close()

    asyncio.run(one_after_another())
    assert len(opened) == 1


def test_upkeep_comes_under_constant_load_too(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = threading.Event()
    monkeypatch.setattr("satchel.interfaces.http.workers.IDLE_SECONDS", 3_600.0)
    monkeypatch.setattr("satchel.interfaces.http.workers.MAX_UNKEPT_SECONDS", 0.05)
    monkeypatch.setattr("satchel.interfaces.http.workers._Worker.merge", lambda worker: kept.set())
    store = replace(OFFERED["store"], run=lambda session, given: Ok(None, Receipt("store", asked={})), parameters=())

    async def constantly() -> None:
        workers = Workers(lambda: open_session(settings), ledger_path(settings))
        try:
            async with asyncio.timeout(60):
                while not kept.is_set():
                    await _done(workers, store)
        finally:
            workers.close()

    asyncio.run(constantly())
    assert kept.is_set()
