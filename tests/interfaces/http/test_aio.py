"""The asyncio client: what the Python interface does, through the store's server."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel import app
from satchel.adapters.server_files import ServerFiles
from satchel.aio import Satchel
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.facts.service import Facts
from satchel.interfaces.configuration import set_value
from satchel.interfaces.http.control import stop
from tests.interfaces.hooks.test_on_demand import wait_until
from tests.tables import each_case


@pytest.fixture
def store(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a store whose server is stopped at the end."""
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    yield home
    stop(home)


def used(home: Path, use: Callable[[Satchel], Awaitable[Any]], **options: Any) -> Any:
    """Open the store, use it, and return what came of it."""

    async def opened() -> Any:
        async with Satchel.open(home, **options) as memory:
            return await use(memory)

    return asyncio.run(opened())


def test_everyday_verbs_have_the_results_of_the_python_interface(store: Path) -> None:
    async def everything(memory: Satchel) -> list[Any]:
        kept = (await memory.store("We ship on Thursdays", kind="decision", importance=0.9)).result
        assert [event.actor for event in (await memory.get(kept.id)).result.history] == ["python"]
        captured = await memory.turn.after([{"role": "user", "content": "From now on, always use tabs in Makefiles."}])
        before = await memory.turn.before("on which day do we ship?")
        found = await memory.recall("which day do we ship?", mode="lexical")
        answers = [
            found,
            await memory.list(limit=5),
            await memory.get(kept.id),
            await memory.pack("ship on Thursdays", budget_tokens=300),
            await memory.review(),
            await memory.confirm([kept.id]),
        ]
        assert captured.result.captured[0].action == "created"
        assert "We ship on Thursdays" in before.result.block
        forgotten = await memory.forget(kept.id, verify=True)
        return [*(type(one.result) for one in answers), forgotten.result.action, found.result.hits[0].memory.text]

    *kinds, action, found = used(store, everything)
    with app.Satchel.open(store) as memory:
        kept = memory.store("We ship on Fridays").result.id
        same = [memory.recall("ship"), memory.memories.list(), memory.get(kept), memory.pack("ship"), memory.review()]
        assert kinds == [*(type(one.result) for one in same), type(memory.confirm([kept]).result)]
    assert (action, found) == ("deleted", "We ship on Thursdays")


def test_calls_run_at_the_same_time_and_lose_nothing(store: Path) -> None:
    async def many(memory: Satchel) -> int:
        await asyncio.gather(*(memory.store(f"Room {number} has a window") for number in range(20)))
        return len((await memory.list(limit=50)).result.memories)

    assert used(store, many) == 20


def test_every_feature_is_reached_by_its_operation(store: Path) -> None:
    async def asserted(memory: Satchel) -> str:
        kept = await memory.store("payments went live in March")
        await memory.run(Facts.assert_, "payments", "status", "live", sources=[kept.result.id])
        (fact,) = (await memory.run(Facts.current, "payments")).result.facts
        return str(fact.object.value)

    assert used(store, asserted) == "live"


def test_a_server_that_was_killed_is_started_again(store: Path) -> None:
    async def killed(memory: Satchel) -> int:
        await memory.store("The till opens at nine")
        server = ServerFiles(store).running()
        assert server is not None
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: not ServerFiles(store).is_running())
        return len((await memory.list()).result.memories)

    assert used(store, killed) == 1


def test_the_scope_auto_is_the_project_of_the_folder(store: Path, tmp_path: Path) -> None:
    project = tmp_path / "bakery"
    (project / ".git").mkdir(parents=True)
    stored = used(store, lambda memory: memory.store("Bread at six", scope="auto"), folder=project)
    assert stored.result.scope == "project/bakery"
    nowhere = used(store, lambda memory: memory.store("Bread at six", scope="auto"), folder=None)
    assert nowhere.result.scope == "global"


@each_case(
    ("use", "kind", "words"),
    [
        (lambda memory: memory.recall("x", scope="Not A Scope"), InvalidRequest, "scope"),
        (lambda memory: memory.get("nobody"), NotFound, "nobody"),
        (lambda memory: memory.recall("x", colour="red"), TypeError, "colour"),
        (lambda memory: memory.recall("x", "y"), TypeError, "positional"),
        (lambda memory: memory.recall("x", query="y"), TypeError, "multiple values"),
        (lambda memory: memory.run(app.Satchel.close), InvalidRequest, "not an operation"),
        (lambda memory: memory.run(set_value, "recall.limit", "3"), InvalidRequest, "only for the terminal"),
    ],
)
def test_errors_are_those_of_the_python_interface(
    store: Path, use: Callable[[Satchel], Awaitable[Any]], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        used(store, use)


def test_a_server_with_other_settings_is_an_error_that_says_so(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used(store, lambda memory: memory.store("x"))
    monkeypatch.setenv("SATCHEL_RECALL_LIMIT", "3")
    with pytest.raises(Unavailable, match="other settings"):
        used(store, lambda memory: memory.recall("x"))


def test_a_store_without_a_server_is_an_error_that_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app.Satchel.open(home).close()
    monkeypatch.setenv("SATCHEL_READ_ONLY", "true")
    monkeypatch.setattr("satchel.aio.START_SECONDS", 0.1)
    with pytest.raises(Unavailable, match="could not be started"):
        used(home, lambda memory: memory.recall("x"))
