"""A warm process: recall, durable stores, packs, routes and attention packets."""

from collections.abc import Callable, Sequence
from functools import partial

from bench.peers import Peer, peer_info
from bench.speed.corpus import Text
from bench.speed.fill import GRADED_OF_MIXED, UNTRUSTED_OF_MIXED
from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, Call, contest, in_turns, milliseconds, summed_up
from satchel.errors import Unavailable
from satchel.recall.request import Mode

LIMIT = 5
MOST_AFTER_STORE = 30
AFTER_STORE = "The kettle was filled once more, number "
# The expected warning of a recall in a scope with untrusted memories.
_EXPECTED_WARNING = "untrusted_only"
_EMBEDDED = "the time to embed the question is included"


def hybrid_recall(fixture: Fixture) -> Contest:
    """Time hybrid recall, compared with the peers that search by vector."""
    calls = {SATCHEL: _recalling(fixture, fixture.questions)} | {
        name: _asking(fixture, peer, by_meaning=True)
        for name, peer in fixture.peers.items()
        if peer_info(name).by_meaning
    }
    return contest("warm recall, hybrid", "ms", in_turns(calls, fixture.runs), note=f"one of 10 scopes; {_EMBEDDED}")


def mixed_recall(fixture: Fixture) -> Contest:
    """Time the same in scopes with ungraded and untrusted memories, where a recall searches each tier."""
    times = in_turns({SATCHEL: _recalling(fixture, fixture.mixed_questions)}, fixture.runs)
    note = f"a scope with {GRADED_OF_MIXED:.0%} graded, {UNTRUSTED_OF_MIXED:.0%} untrusted"
    return contest("warm recall, hybrid, mixed standing", "ms", times, note=note)


def _recalling(fixture: Fixture, questions: Sequence[Text]) -> Call:
    def recall(run: int) -> None:
        one = questions[run % fixture.runs]
        answer = fixture.memory.recall(one.question, scope=one.scope, limit=LIMIT, mode=Mode.HYBRID)
        if any(not warning.startswith(_EXPECTED_WARNING) for warning in answer.receipt.warnings):
            raise Unavailable(f"a recall was incomplete: {answer.receipt.warnings[0]}", code="bench_failed")

    return recall


def recall_after_store(fixture: Fixture) -> Contest:
    """Time the recall after a store, which embeds and indexes the new memory first."""
    recall = _recalling(fixture, fixture.questions)
    recall(0)
    times = list[float]()
    for run in range(min(MOST_AFTER_STORE, fixture.runs)):
        fixture.memory.store(f"{AFTER_STORE}{run}.", scope=fixture.questions[run].scope)
        times.append(milliseconds(partial(recall, run)))
    return contest(
        "recall right after a store", "ms", {SATCHEL: summed_up(times)}, note="the new memory is embedded first"
    )


def lexical_recall(fixture: Fixture) -> Contest:
    """Time lexical recall, compared with the peers that search by words only."""

    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.recall(one.question, scope=one.scope, limit=LIMIT, mode=Mode.LEXICAL)

    calls = {SATCHEL: ours} | {
        name: _asking(fixture, peer, by_meaning=False)
        for name, peer in fixture.peers.items()
        if not peer_info(name).by_meaning
    }
    return contest("warm recall, lexical", "ms", in_turns(calls, fixture.runs), note="one of 10 scopes")


def _asking(fixture: Fixture, peer: Peer, *, by_meaning: bool) -> Call:
    def ask(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        vector = fixture.embedder.embed([one.question])[0] if by_meaning else None
        peer.recall(one.question, vector, one.scope, LIMIT)

    return ask


def durable_store(fixture: Fixture) -> Contest:
    """Time one durable store, compared with one write to each peer."""

    def ours(run: int) -> None:
        one = fixture.new[run]
        fixture.memory.store(one.text, scope=one.scope, kind=one.kind)

    def writing(peer: Peer) -> Callable[[int], None]:
        def write(run: int) -> None:
            one = fixture.new[run]
            peer.write(f"new-{run}", one.text, one.scope, fixture.new_vectors[run])

        return write

    calls = {SATCHEL: ours} | {name: writing(peer) for name, peer in fixture.peers.items()}
    note = "peers get the vector ready made; plain Lance calls no fsync"
    return contest("durable store", "ms", in_turns(calls, fixture.runs), note=note)


def pack(fixture: Fixture) -> Contest:
    """Time a pack."""

    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.packing.pack(one.question, scope=one.scope)

    return contest("pack", "ms", in_turns({SATCHEL: ours}, fixture.runs), note="hybrid, memories alone")


def route(fixture: Fixture) -> Contest:
    """Time an answer of the dispatch router."""

    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.routing.route(one.question, scope=one.scope)

    return contest("route", "ms", in_turns({SATCHEL: ours}, fixture.runs), note="over the native backends")


def attention(fixture: Fixture) -> Contest:
    """Time an attention packet."""

    def ours(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        fixture.memory.attention.route(one.question, scope=one.scope)

    return contest("attention route", "ms", in_turns({SATCHEL: ours}, fixture.runs), note="by words")
