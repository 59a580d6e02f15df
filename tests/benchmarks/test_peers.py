"""Every peer that is installed here keeps, finds and deletes: a contest with one that does not would say nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.peers import PEERS, Peer, PeerInfo, peer_info

from satchel.adapters.embedders.hashing import Hashing

# As long as the model's vectors, which is what some of them are set up for.
EMBEDDER = Hashing(384)
TEXTS = ("the kettle is in the kitchen", "the ledger is in the office", "a kettle of fish")
SCOPES = ("house", "office", "office")
# What needs a package of its own is measured where somebody has installed it, and not tested here.
OURS = [one for one in PEERS if one.name.startswith("plain")]


def opened(one: PeerInfo, folder: Path) -> Peer:
    return one.open(folder)


@pytest.fixture(params=OURS, ids=lambda one: one.name)
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Peer]:
    found = opened(request.param, tmp_path)
    found.fill(["0", "1", "2"], TEXTS, SCOPES, EMBEDDER.embed(TEXTS))
    yield found
    found.close()


def recalled(peer: Peer, question: str, scope: str) -> list[tuple[str, str]]:
    return peer.recall(question, EMBEDDER.embed([question])[0], scope, 5)


def test_it_finds_within_a_scope(peer: Peer) -> None:
    assert recalled(peer, "where is the kettle?", "house") == [("0", TEXTS[0])]
    assert recalled(peer, "kettle", "office")[0] == ("2", TEXTS[2])


def test_it_finds_what_was_written_later(peer: Peer) -> None:
    text = "the violin is in the attic"
    peer.write("3", text, "house", EMBEDDER.embed([text])[0])

    assert recalled(peer, "violin", "house")[0] == ("3", text)


def test_it_no_longer_finds_what_was_deleted(peer: Peer) -> None:
    peer.forget("0")

    assert ("0", TEXTS[0]) not in recalled(peer, "kettle", "house")


def test_another_process_can_open_what_was_written(peer: Peer, tmp_path: Path) -> None:
    name = next(one for one in OURS if type(peer).__name__ == type(opened(one, tmp_path)).__name__).name
    again = opened(peer_info(name), tmp_path)

    assert recalled(again, "kettle", "house") == [("0", TEXTS[0])]
    again.close()


def test_a_question_of_signs_alone_is_no_error(peer: Peer) -> None:
    assert isinstance(recalled(peer, '"?" OR (', "house"), list)


def test_a_package_that_is_not_there_is_named() -> None:
    absent = PeerInfo("absent", "no_such_package_here", OURS[0].open, by_meaning=False, most=1)

    assert absent.missing == "no_such_package_here is not installed"
    assert OURS[0].missing == ""
