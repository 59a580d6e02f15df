"""Lines are greeted as they come, and wait in order for the SDK."""

import io
import json
import os
import threading
from collections.abc import Iterator
from typing import BinaryIO

import pytest

from satchel.interfaces.mcp import opening as module
from satchel.interfaces.mcp.greeting import REPLAYED_ID, Json
from satchel.interfaces.mcp.opening import Opening
from tests.interfaces.mcp.test_greeting import INITIALIZED, hello, line

HELLO = line("initialize", hello())
CALL = line("tools/call", {"name": "memory_stats", "arguments": {}}, 7)
LISTS: dict[str, Json] = {"tools/list": {"tools": []}}
PATIENCE = 30


class Client:
    """The other end of an opening."""

    def __init__(self, said: BinaryIO, opening: Opening, heard: io.BytesIO) -> None:
        self.said, self.opening, self.heard = said, opening, heard
        self.reader = threading.Thread(target=opening.read, daemon=True)
        self.reader.start()

    def say(self, *lines: bytes) -> None:
        for one in lines:
            self.said.write(one)
        self.said.flush()

    def hang_up(self) -> None:
        self.said.close()

    def answers(self) -> list[object]:
        return [json.loads(one).get("id") for one in self.heard.getvalue().splitlines()]


@pytest.fixture
def client() -> Iterator[Client]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as incoming, os.fdopen(writing, "wb") as said:
        heard = io.BytesIO()
        client = Client(said, Opening(incoming, heard), heard)
        yield client
        client.opening.hand_over(lambda line: True)
        if not said.closed:
            said.close()
        client.reader.join(PATIENCE)


def _ids(lines: list[bytes]) -> list[object]:
    return [json.loads(one).get("id") for one in lines]


def test_what_nobody_answered_waits_in_order(client: Client) -> None:
    client.say(HELLO, INITIALIZED, CALL, line("ping", id=8), line("tools/list", id=9), line("nonsense", id=10))
    client.hang_up()
    client.reader.join(PATIENCE)
    assert client.answers() == [1, 8]
    client.opening.know(LISTS)
    assert client.answers() == [1, 8, 9]

    waiting = client.opening.hand_over(lambda line: True)
    assert (_ids(waiting.lines), waiting.ended) == ([REPLAYED_ID, None, 7, 10], True)
    assert waiting.lines[1] == INITIALIZED


def test_later_lines_go_to_the_sink_and_then_the_end(client: Client) -> None:
    taken: list[bytes | None] = []

    def sink(line: bytes | None) -> bool:
        taken.append(line)
        return True

    client.opening.hand_over(sink)
    client.say(HELLO, CALL)
    client.hang_up()
    client.reader.join(PATIENCE)
    assert taken == [HELLO, CALL, None]
    assert client.answers() == []


def test_nothing_more_is_read_when_the_sink_takes_no_more(client: Client) -> None:
    client.opening.hand_over(lambda line: False)
    client.say(HELLO, CALL)
    client.reader.join(PATIENCE)
    assert not client.reader.is_alive()


def test_a_flood_waits_at_the_client_and_stays_in_order(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_LINES", 10)
    taken: list[bytes | None] = []
    ended = threading.Event()

    def sink(line: bytes | None) -> bool:
        taken.append(line)
        if line is None:
            ended.set()
        return True

    lines = [line("tools/call", {"name": "x" * 900}, number) for number in range(2_000)]

    def say_all() -> None:
        client.say(*lines)
        client.hang_up()

    flood = threading.Thread(target=say_all)
    flood.start()
    # The pipe is full, and nobody reads it: the flood cannot end.
    flood.join(0.05)
    assert flood.is_alive()
    waiting = client.opening.hand_over(sink)
    assert len(waiting.lines) == 10
    assert ended.wait(PATIENCE)
    assert [*waiting.lines, *taken] == [*lines, None]
    flood.join()


def test_large_lines_count_by_their_size(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_BYTES", 100)
    client.say(b"x" * 200 + b"\n", b"y\n")
    client.hang_up()
    client.reader.join(0.05)
    assert client.reader.is_alive()
    assert client.opening.hand_over(lambda line: True).lines == [b"x" * 200 + b"\n"]


def test_the_end_is_noticed_unless_an_answer_is_expected(client: Client) -> None:
    client.say(HELLO, INITIALIZED)
    client.hang_up()

    assert client.opening.wait_until(threading.Event()) is False


def test_the_end_waits_for_calls(client: Client) -> None:
    client.say(HELLO, CALL)
    client.hang_up()
    client.reader.join(PATIENCE)
    ready = threading.Event()
    ready.set()

    assert client.opening.wait_until(ready) is True


def test_a_client_that_reads_nothing_does_not_end_the_reader() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as nobody:
        opening = Opening(io.BytesIO(HELLO + CALL), nobody)
        opening.read()

    assert _ids(opening.hand_over(lambda line: True).lines) == [REPLAYED_ID, 7]
