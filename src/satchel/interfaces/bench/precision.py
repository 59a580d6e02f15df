"""PrecisionMemBench: beliefs that must come back for a question, and all the others, which must not.

A belief is a memory: its domain is its scope, what it supersedes it replaces, its name is its title, its other names are
keywords. What is pinned, universal or an open question is handed over without being searched for, so it lies in
a scope of its own and no search may bring it back.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from msgspec import Struct, field

from satchel.app import Satchel
from satchel.config import Settings
from satchel.config.folders import folder
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.domain.scope_name import strict_name
from satchel.errors import InvalidRequest
from satchel.interfaces.bench.differing import differing
from satchel.interfaces.bench.embedding import loaded_embedder
from satchel.interfaces.bench.formats.reading import not_of_format, shaped, unpacked
from satchel.interfaces.bench.haystack import scratch
from satchel.interfaces.bench.machine import this_machine
from satchel.interfaces.bench.named import rightly_named
from satchel.interfaces.bench.results import Precision, PrecisionFigures
from satchel.ports import Exchange, Progress
from satchel.recall.question import MAX_LIMIT, Mode
from satchel.wiring.adapters import open_exchange

NAME = "precisionmembench"
SEED, CASES, SESSIONS = "beliefs.seed.json", "retrieval.cases.json", "session-retrieval.cases.json"
USER = "test-user"
UNIVERSAL = "user:universal"
# Little, so that only what has next to nothing to do with the question stays away.
LEAST_RELEVANCE = 0.05
MOST_BELIEFS = 12
_KINDS = {"preference": "preference", "decision": "decision", "entity": "entity", "open_question": "todo"}


class Belief(Struct):
    """What is read of a belief."""

    id: str = field(name="_id")
    type: str
    canonical_name: str
    content: str
    scope: list[str]
    user_id: str = USER
    aliases: list[str] = []
    pinned: bool = False
    epistemic_status: str = "active"
    superseded_by: str | None = None
    resolved_at: str | None = None


class Only(Struct):
    """The beliefs that may come back, and no others."""

    only: list[str] = field(name="shouldOnlyInclude", default_factory=list)


class Expected(Struct):
    """What is read of what is expected."""

    relevant: Only | None = field(name="relevantBeliefs", default=None)


class Budget(Struct):
    """How much may come back."""

    most: int = field(name="maxBeliefs", default=MOST_BELIEFS)


class Update(Struct):
    """What a belief is called from now on as well."""

    belief: str = field(name="beliefId")
    aliases: list[str] = field(name="addAliases", default_factory=list)


class Case(Struct):
    """One question."""

    id: str = field(name="caseId")
    scope: list[str]
    query: str
    expect: Expected
    user_id: str = field(name="userId", default=USER)
    budget: Budget | None = None


class Turn(Struct):
    """One turn of a session: a question, and what the store learns after it."""

    scope: list[str]
    query: str = field(name="userMessage")
    expect: Expected
    created: Belief | None = field(name="createBeliefAtTurn", default=None)
    updated: Update | None = field(name="updateBeliefAtTurn", default=None)


class Session(Struct):
    """A conversation whose turns are asked one after another."""

    id: str = field(name="caseId")
    turns: list[Turn]


class Score(Struct, frozen=True):
    """How one question was answered."""

    precision: float
    recall: float
    expected: bool
    """Whether anything was to come back at all."""


def score(returned: Sequence[str], expected: Sequence[str]) -> Score:
    """Return the share of what came back that should have, and of what should have that did."""
    right = len(set(returned) & set(expected))
    precision = right / len(set(returned)) if returned else float(not expected)
    return Score(precision, right / len(set(expected)) if expected else 1.0, bool(expected))


def figures(scores: Sequence[Score]) -> PrecisionFigures:
    """Return the means over some questions, at least one."""
    return PrecisionFigures(
        n=len(scores),
        precision=round(fmean(one.precision for one in scores), 4),
        recall=round(fmean(one.recall for one in scores), 4),
        exact=round(fmean(float(one.precision == one.recall == 1.0) for one in scores), 4),
    )


class Beliefs:
    """A store of beliefs, and the memory that each of them is."""

    def __init__(self, memory: Satchel) -> None:
        self._memory = memory
        self._known: dict[str, Belief] = {}
        self._ids: dict[str, str] = {}

    def tell(self, beliefs: Sequence[Belief]) -> None:
        """Keep beliefs, each after those it supersedes."""
        superseding = {one.superseded_by: one.id for one in beliefs if one.superseded_by}
        waiting = {one.id: one for one in beliefs}
        while waiting:
            ready = [one for one in waiting.values() if superseding.get(one.id) not in waiting]
            # A ring of beliefs that supersede each other has no first one: any will do.
            for one in ready or list(waiting.values())[:1]:
                self.keep(one, superseding.get(one.id))
                del waiting[one.id]

    def keep(self, belief: Belief, superseded: str | None = None) -> None:
        """Keep one belief, in the place of the one it supersedes if that is known."""
        old = self._ids.get(superseded) if superseded else None
        scope = _scope(belief)
        if old is not None and superseded and _scope(self._known[superseded]) != scope:
            self._memory.forget(old, all_scopes=True)
            old = None
        stored = self._memory.store(
            belief.content,
            scope=scope,
            kind=_KINDS.get(belief.type, "fact"),
            title=belief.canonical_name.replace("_", " "),
            keywords=belief.aliases,
            valid_to=belief.resolved_at,
            replaces=old,
        )
        self._known[belief.id], self._ids[belief.id] = belief, stored.result.id

    def learn(self, update: Update) -> None:
        """Give a belief more names."""
        known = self._known.get(update.belief)
        if known is None:
            raise not_of_format(NAME, f"no belief is called {update.belief[:40]!r}")
        known.aliases = [*known.aliases, *update.aliases]
        self.keep(known, update.belief)

    def ask(self, query: str, user: str, scopes: Sequence[str], most: int, least: float, mode: str) -> list[str]:
        """Return the beliefs that come back for a question."""
        if not query.strip():
            return []
        names = {memory: belief for belief, memory in self._ids.items()}
        found: list[str] = []
        for scope in scopes:
            answer = self._memory.recall(
                query,
                scope=_named(user, scope),
                limit=min(most, MAX_LIMIT),
                mode=mode,
                min_relevance=least,
                fallback=False,
            )
            found += [names[hit.memory.id] for hit in answer.result.hits]
        return found[:most]

    def handed_over(self, user: str, scopes: Sequence[str]) -> int:
        """Return how many beliefs are in a bundle before anything is searched for."""
        return sum(_scope(one) == _named(user, scope, "pinned") for one in self._known.values() for scope in scopes)


def run_precision(
    settings: Settings,
    progress: Progress,
    *,
    data: str,
    mode: str = Mode.HYBRID,
    min_relevance: float = LEAST_RELEVANCE,
    embedder: str | None = None,
    cache: str | None = None,
) -> Ok[Precision]:
    """Ask every case of a folder, and say how much of what came back should have."""
    place, exchange = folder(data), open_exchange(settings, pipes=False)
    beliefs = shaped(_read(exchange, place / SEED), list[Belief], NAME)
    cases = shaped(_read(exchange, place / CASES), list[Case], NAME)
    sessions = shaped(_read(exchange, place / SESSIONS), list[Session], NAME) if (place / SESSIONS).exists() else []
    if not beliefs or not cases:
        raise InvalidRequest(f"{place.name} has no beliefs, or no cases", code="empty_conversation")
    machine, loaded = this_machine(), loaded_embedder(settings, Mode(mode), embedder, cache)
    single: list[Score] = []
    with scratch(settings, loaded) as memory:
        store = Beliefs(memory)
        store.tell(beliefs)
        for done, case in enumerate(cases, start=1):
            single += _asked(store, case, mode, min_relevance)
            progress(done, len(cases), "asking")
    turns: list[Score] = []
    for session in sessions:
        with scratch(settings, loaded) as memory:
            store = Beliefs(memory)
            store.tell(beliefs)
            turns += _spoken(store, session, mode, min_relevance)
    if not single and not turns:
        raise InvalidRequest("no case says what is to come back", code="missing_gold")
    groups = {
        "all": [*single, *turns],
        "single questions": single,
        "turns of a session": turns,
        "something is to come back": [one for one in (*single, *turns) if one.expected],
        "nothing is to come back": [one for one in (*single, *turns) if not one.expected],
    }
    result = Precision(
        mode=mode,
        min_relevance=min_relevance,
        beliefs=len(beliefs),
        embedding_space=loaded.name if loaded else None,
        settings=differing(settings),
        groups={name: figures(scores) for name, scores in groups.items() if scores},
        machine=machine,
    )
    return Ok(result, _receipt(result))


def _asked(store: Beliefs, case: Case, mode: str, least: float) -> Iterator[Score]:
    if case.expect.relevant is not None:
        most = case.budget.most if case.budget else MOST_BELIEFS
        # What is pinned is in the bundle already, and counts.
        room = most - (store.handed_over(case.user_id, case.scope) if case.budget else 0)
        returned = store.ask(case.query, case.user_id, case.scope, room, least, mode) if room > 0 else []
        yield score(returned, case.expect.relevant.only)


def _spoken(store: Beliefs, session: Session, mode: str, least: float) -> Iterator[Score]:
    for turn in session.turns:
        if turn.expect.relevant is not None:
            returned = store.ask(turn.query, USER, turn.scope, MOST_BELIEFS, least, mode)
            yield score(returned, turn.expect.relevant.only)
        if turn.created is not None:
            store.keep(turn.created)
        if turn.updated is not None:
            store.learn(turn.updated)


def _scope(belief: Belief) -> str:
    domain = belief.scope[0] if belief.scope else UNIVERSAL
    if belief.type == "open_question":
        return _named(belief.user_id, domain, "open")
    if domain == UNIVERSAL or belief.pinned:
        return _named(belief.user_id, domain, "pinned")
    return _named(belief.user_id, domain)


def _named(user: str, domain: str, shelf: str = "searched") -> str:
    name = strict_name(f"{user}/{domain.replace(':', '-')}/{shelf}")
    if name is None:
        raise InvalidRequest(f"no scope can be called {domain[:40]!r}", code="bad_format")
    return name


def _read(exchange: Exchange, path: Path) -> bytes:
    with rightly_named(), exchange.read(str(path)) as file:
        return unpacked(file.chunks)


def _receipt(result: Precision) -> Receipt:
    overall = result.groups["all"]
    return Receipt(
        "bench precision",
        asked={"mode": result.mode, "min_relevance": result.min_relevance},
        considered={"beliefs": result.beliefs, "embedding_space": result.embedding_space},
        decided={"n": overall.n, "precision": overall.precision, "recall": overall.recall},
    )
