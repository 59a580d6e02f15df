"""A warm process: recall by words and meaning, durable stores, and the packets for a step."""

from collections.abc import Callable, Sequence
from functools import partial

from satchel.errors import Unavailable
from satchel.interfaces.bench.peers import Peer, rival
from satchel.interfaces.bench.results import Contest
from satchel.interfaces.bench.speed.corpus import Text
from satchel.interfaces.bench.speed.filling import GRADED_OF_MIXED, UNTRUSTED_OF_MIXED
from satchel.interfaces.bench.speed.ground import Ground
from satchel.interfaces.bench.speed.timing import SATCHEL, Call, contest, in_turns, milliseconds, summed_up
from satchel.recall.question import Mode

LIMIT = 5
MOST_AFTER_STORE = 30
AFTER_STORE = "The kettle was filled once more, number "
# What a recall says of a scope with untrusted memories; it is whole all the same.
_OF_STANDING = "untrusted_only"
_EMBEDDED = "the question's embedding included for everybody who asks by meaning"


def hybrid_recall(ground: Ground) -> Contest:
    """Time recall by words and meaning, beside those who search by meaning."""
    calls = {SATCHEL: _recalling(ground, ground.questions)} | {
        name: _asking(ground, peer, by_meaning=True) for name, peer in ground.peers.items() if rival(name).by_meaning
    }
    return contest("warm recall, hybrid", "ms", in_turns(calls, ground.runs), note=f"one of 10 scopes; {_EMBEDDED}")


def mixed_recall(ground: Ground) -> Contest:
    """Time the same where most memories were never graded and some are untrusted: a search for each tier."""
    times = in_turns({SATCHEL: _recalling(ground, ground.mixed_questions)}, ground.runs)
    note = f"a scope with {GRADED_OF_MIXED:.0%} graded, {UNTRUSTED_OF_MIXED:.0%} untrusted"
    return contest("warm recall, hybrid, mixed standing", "ms", times, note=note)


def _recalling(ground: Ground, questions: Sequence[Text]) -> Call:
    def recall(run: int) -> None:
        one = questions[run % ground.runs]
        answer = ground.memory.recall(one.question, scope=one.scope, limit=LIMIT, mode=Mode.HYBRID)
        if any(not warning.startswith(_OF_STANDING) for warning in answer.receipt.warnings):
            raise Unavailable(f"a recall was not whole: {answer.receipt.warnings[0]}", code="bench_failed")

    return recall


def recall_after_store(ground: Ground) -> Contest:
    """Time the recall that follows a store: it embeds and indexes the new memory before it answers."""
    recall = _recalling(ground, ground.questions)
    recall(0)
    times = list[float]()
    for run in range(min(MOST_AFTER_STORE, ground.runs)):
        ground.memory.store(f"{AFTER_STORE}{run}.", scope=ground.questions[run].scope)
        times.append(milliseconds(partial(recall, run)))
    return contest(
        "recall right after a store", "ms", {SATCHEL: summed_up(times)}, note="the new memory is embedded first"
    )


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

    return contest("pack", "ms", in_turns({SATCHEL: ours}, ground.runs), note="hybrid, memories alone")


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
        ground.memory.attention.route(one.question, scope=one.scope)

    return contest("attention route", "ms", in_turns({SATCHEL: ours}, ground.runs), note="by words")
