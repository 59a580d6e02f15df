"""Two servers over one store: what one of them changes, the other shows with its next request."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.interfaces.http.running import Reply, Server
from tests.postgres.server import PostgresServer

Command = Callable[..., str]
# How often something is looked for that happens soon. A failure takes this many waits of a twentieth of a second.
PATIENCE = 1_200


@pytest.fixture(scope="module")
def store_address(server: PostgresServer) -> str:
    return server.address("two_servers")


@pytest.fixture(scope="module")
def pair(store_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    # The path of a socket has a hundred characters at most.
    folder = tmp_path_factory.mktemp("m")
    one, other = (Server(folder / name, SATCHEL_STORE=store_address) for name in ("one", "other"))
    yield one, other
    one.kill()
    other.kill()


@pytest.fixture
def command(store_address: str, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Run a command on a third machine."""
    home = tmp_path_factory.mktemp("m")
    environment = os.environ | {"SATCHEL_STORE": store_address, "SATCHEL_HOME": str(home)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *words], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    return run


def ask(server: Server, route: str, body: dict[str, Any], secret: str | None = None) -> Reply:
    headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
    return server.ask(f"/v1/{route}", body, headers=headers)


def recalled(server: Server, question: str) -> list[str]:
    return [hit["memory"]["text"] for hit in ask(server, "recall", {"query": question}).json["result"]["hits"]]


def test_a_new_and_a_forgotten_memory_are_seen_by_the_other_at_once(pair: tuple[Server, Server]) -> None:
    one, other = pair
    for number in range(5):
        text = f"The walrus number {number} lives in the harbour"
        id = ask(one, "store", {"text": text}).json["result"]["id"]
        assert text in recalled(other, f"walrus number {number}")
        assert ask(other, "forget", {"id": id}).status == 200
        assert text not in recalled(one, f"walrus number {number}")
        one, other = other, one


def test_a_revoked_token_and_a_changed_user_count_on_both_at_once(
    pair: tuple[Server, Server], command: Command
) -> None:
    command("user", "add", "anna", "--scope", "project/shop", "--role", "write")
    secret = command("token", "create", "laptop", "--user", "anna").splitlines()[1]
    for server in pair:
        assert ask(server, "store", {"text": "The shop opens at nine"}, secret).status == 200
    command("user", "change", "anna", "--role", "read")
    for server in pair:
        assert ask(server, "store", {"text": "The shop opens at ten"}, secret).error == "readonly_mode"
        assert ask(server, "recall", {"query": "when does the shop open?"}, secret).status == 200
    command("token", "revoke", "laptop")
    for server in pair:
        assert ask(server, "recall", {"query": "when does the shop open?"}, secret).error == "bad_token"


def test_a_server_embeds_what_was_stored_when_it_is_idle(pair: tuple[Server, Server]) -> None:
    one, other = pair
    ask(one, "store", {"text": "The lighthouse keeper collects shells"})
    for _ in range(PATIENCE):
        if not waiting(other):
            break
        time.sleep(0.05)
    assert waiting(other) == 0


def waiting(server: Server) -> int:
    return int(ask(server, "stats", {"all_scopes": True}).json["result"]["embeddings_waiting"])
