"""A running server moves a store of an earlier version to the bundled model, and answers meanwhile."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from satchel.domain.embedding import BUNDLED_MODEL, MINILM_MODEL
from tests.interfaces.http.running import PATIENCE, Server
from tests.maintenance.old_space import old_store

Start = Callable[..., Server]

MEMORIES, TURNS = 150, 10


def _index(server: Server) -> dict[str, Any]:
    answer = server.ask("/v1/index_status").json
    assert answer["ok"], answer
    found: dict[str, Any] = answer["result"]
    return found


def test_a_server_moves_the_store_and_answers_meanwhile(own_server: Start, home: Path) -> None:
    texts = old_store(home, MEMORIES, TURNS)
    server = own_server(home, SATCHEL_EMBEDDER="")
    progress, deadline = [], time.monotonic() + PATIENCE
    while (move := _index(server)["move"]) is not None and time.monotonic() < deadline:
        assert (move["space"], move["total"]) == (BUNDLED_MODEL, MEMORIES + TURNS)
        progress.append(move["done"])
        answer = server.ask("/v1/recall", {"query": texts[7]}).json
        assert texts[7] in [hit["memory"]["text"] for hit in answer["result"]["hits"]]

    assert progress == sorted(progress)
    report = _index(server)
    assert (report["space"], report["move"], report["embeddings_waiting"]) == (BUNDLED_MODEL, None, 0)
    answer = server.ask("/v1/recall", {"query": texts[7]}).json
    assert (answer["receipt"]["body"]["warnings"], answer["result"]["hits"][0]["memory"]["text"]) == ([], texts[7])


def test_a_killed_server_goes_on_with_the_move_when_it_starts_again(own_server: Start, home: Path) -> None:
    old_store(home, MEMORIES)
    server = own_server(home, SATCHEL_EMBEDDER="")
    deadline = time.monotonic() + PATIENCE
    while (move := _index(server)["move"]) is not None and not move["done"] and time.monotonic() < deadline:
        time.sleep(0.01)
    server.kill()
    server = own_server(home, SATCHEL_EMBEDDER="")
    while _index(server)["move"] is not None and time.monotonic() < deadline:
        time.sleep(0.02)

    assert (_index(server)["space"], _index(server)["rows_with_vectors"]) == (BUNDLED_MODEL, MEMORIES)


def test_stopping_a_server_does_not_wait_for_the_move(own_server: Start, home: Path) -> None:
    old_store(home, MEMORIES)
    server = own_server(home, SATCHEL_EMBEDDER="")
    assert server.stop() == 0


def test_a_manual_move_waits_for_the_command(own_server: Start, home: Path) -> None:
    old_store(home, 20)
    server = own_server(home, SATCHEL_EMBEDDER="", SATCHEL_EMBEDDING_MOVE="manual")
    # Long operations queue behind a move, so one that has answered shows that none is queued.
    server.ask("/v1/doctor")
    report = _index(server)
    assert (report["space"], report["move"]["done"]) == (MINILM_MODEL, 0)

    assert server.ask("/v1/index_rebuild").json["result"]["space"] == BUNDLED_MODEL


def test_a_read_only_store_is_not_moved(own_server: Start, home: Path) -> None:
    old_store(home, 20)
    server = own_server(home, SATCHEL_EMBEDDER="", SATCHEL_READ_ONLY="true")
    server.ask("/v1/doctor")
    report = _index(server)
    assert (report["space"], report["move"]["done"]) == (MINILM_MODEL, 0)
