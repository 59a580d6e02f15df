"""A warm process: recall by words and meaning, durable stores, and the packets for a step."""

from collections.abc import Callable

from satchel.errors import Unavailable
from satchel.interfaces.bench.peers import Peer, rival
from satchel.interfaces.bench.results import Contest
from satchel.interfaces.bench.speed.ground import Ground
from satchel.interfaces.bench.speed.timing import SATCHEL, Call, contest, in_turns
from satchel.recall.question import Mode

LIMIT = 5
_EMBEDDED = "the question's embedding included for everybody who asks by meaning"


def hybrid_recall(ground: Ground) -> Contest:
    """Time recall by words and meaning, beside those who search by meaning."""

    def ours(run: int) -> None:
        one = ground.questions[run % ground.runs]
        answer = ground.memory.recall(one.question, scope=one.scope, limit=LIMIT, mode=Mode.HYBRID)
        if answer.receipt.warnings:
            raise Unavailable(f"a recall was not whole: {answer.receipt.warnings[0]}", code="bench_failed")

    calls = {SATCHEL: ours} | {
        name: _asking(ground, peer, by_meaning=True) for name, peer in ground.peers.items() if rival(name).by_meaning
    }
    return contest("warm recall, hybrid", "ms", in_turns(calls, ground.runs), note=f"one of 10 scopes; {_EMBEDDED}")


def lexical_recall(ground: Ground) -> Contest:
    """Time recall by words, beside those who search by words alone."""

    def ours(run: int) -> None:
        one = ground.questions[run % ground.runs]
        ground.memory.recall(one.question, scope=one.scope, limit=LIMIT, mode=Mode.LEXICAL)

    calls = {SATCHEL: ours} | {
        name: _asking(ground, peer, by_meaning=False)
        for name, peer in ground.peers.items()
        if not rival(name).by_meaning
    }
    return contest("warm recall, lexical", "ms", in_turns(calls, ground.runs), note="one of 10 scopes")


def _asking(ground: Ground, peer: Peer, *, by_meaning: bool) -> Call:
    def ask(run: int) -> None:
        one = ground.questions[run % ground.runs]
        vector = ground.embedder.embed([one.question])[0] if by_meaning else None
        peer.recall(one.question, vector, one.scope, LIMIT)

    return ask


def durable_store(ground: Ground) -> Contest:
    """Time one durable store, beside one write to each peer."""

    def ours(run: int) -> None:
        one = ground.new[run]
        ground.memory.store(one.text, scope=one.scope, kind=one.kind)

    def writing(peer: Peer) -> Callable[[int], None]:
        def write(run: int) -> None:
            one = ground.new[run]
            peer.write(f"new-{run}", one.text, one.scope, ground.new_vectors[run])

        return write

    calls = {SATCHEL: ours} | {name: writing(peer) for name, peer in ground.peers.items()}
    note = "peers get the vector ready made; plain Lance calls no fsync"
    return contest("durable store", "ms", in_turns(calls, ground.runs), note=note)


def pack(ground: Ground) -> Contest:
    """Time the bundle for a request."""

    def ours(run: int) -> None:
        one = ground.questions[run % ground.runs]
        ground.memory.packing.pack(one.question, scope=one.scope)

    return contest("pack", "ms", in_turns({SATCHEL: ours}, ground.runs), note="hybrid, the receipt is on disk")


def route(ground: Ground) -> Contest:
    """Time an answer of the dispatch router."""

    def ours(run: int) -> None:
        one = ground.questions[run % ground.runs]
        ground.memory.routing.route(one.question, scope=one.scope)

    return contest("route", "ms", in_turns({SATCHEL: ours}, ground.runs), note="over the native backends")


def attention(ground: Ground) -> Contest:
    """Time the packet for a step."""

    def ours(run: int) -> None:
        one = ground.questions[run % ground.runs]
        ground.memory.attention_route(one.question, scope=one.scope)

    return contest("attention route", "ms", in_turns({SATCHEL: ours}, ground.runs), note="the packet is on disk")
