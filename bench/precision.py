"""PrecisionMemBench: which beliefs a question must return, and that it returns no others.

A belief becomes a memory: its domain is the scope, its name the title, its aliases the keywords, and it replaces the
memory it supersedes. Pinned and universal beliefs and open questions are given to the agent without a search, so they are
in scopes of their own and no search may return them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from msgspec import Struct, field

from bench.datasets.reading import not_of_format, read_input, shaped, unpacked
from bench.embedding import load_embedder
from bench.haystack import scratch
from bench.machine import Machine, changed_settings, this_machine
from satchel.app import Satchel
from satchel.config import Settings
from satchel.config.values import folder
from satchel.domain.canonical import Json
from satchel.domain.scope_name import strict_name
from satchel.errors import InvalidRequest
from satchel.ports import Progress
from satchel.recall.request import MAX_LIMIT, Mode

NAME = "precisionmembench"
SEED, CASES, SESSIONS = "beliefs.seed.json", "retrieval.cases.json", "session-retrieval.cases.json"
USER = "test-user"
UNIVERSAL = "user:universal"
MOST_BELIEFS = 12
_KINDS = {"preference": "preference", "decision": "decision", "entity": "entity", "open_question": "todo"}


class PrecisionFigures(Struct, frozen=True):
    """Means over some questions."""

    n: int
    precision: float
    """Mean share of the returned beliefs that were expected; where none was expected, 1 if none was returned."""
    recall: float
    exact: float
    """Share of questions that returned exactly the expected beliefs."""


class PrecisionResult(Struct, frozen=True):
    """Result of a run."""

    mode: str
    min_relevance: float
    beliefs: int
    embedding_space: str | None
    settings: Mapping[str, Json]
    groups: Mapping[str, PrecisionFigures]
    machine: Machine


class Belief(Struct):
    """The fields of a belief that are used."""

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
    """The only beliefs that may be returned."""

    only: list[str] = field(name="shouldOnlyInclude", default_factory=list)


class Expected(Struct):
    """The expectations that are used."""

    relevant: Only | None = field(name="relevantBeliefs", default=None)


class Budget(Struct):
    """The most beliefs that may be in the context."""

    most: int = field(name="maxBeliefs", default=MOST_BELIEFS)


class Update(Struct):
    """New aliases of a belief."""

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
    """One turn of a session: a question, and the change to the beliefs after it."""

    scope: list[str]
    query: str = field(name="userMessage")
    expect: Expected
    created: Belief | None = field(name="createBeliefAtTurn", default=None)
    updated: Update | None = field(name="updateBeliefAtTurn", default=None)


class Session(Struct):
    """A conversation whose turns are asked in order."""

    id: str = field(name="caseId")
    turns: list[Turn]


class Score(Struct, frozen=True):
    """Precision and recall of one question."""

    precision: float
    recall: float
    expected: bool
    """Whether any belief was expected."""


def score(returned: Sequence[str], expected: Sequence[str]) -> Score:
    """Return precision and recall of one question."""
    right = len(set(returned) & set(expected))
    precision = right / len(set(returned)) if returned else float(not expected)
    return Score(precision, right / len(set(expected)) if expected else 1.0, bool(expected))


def figures(scores: Sequence[Score]) -> PrecisionFigures:
    """Return the means over at least one question."""
    return PrecisionFigures(
        n=len(scores),
        precision=round(fmean(one.precision for one in scores), 4),
        recall=round(fmean(one.recall for one in scores), 4),
        exact=round(fmean(float(one.precision == one.recall == 1.0) for one in scores), 4),
    )


class Beliefs:
    """A store of beliefs, with the memory id of each."""

    def __init__(self, memory: Satchel) -> None:
        self._memory = memory
        self._known: dict[str, Belief] = {}
        self._ids: dict[str, str] = {}

    def keep_all(self, beliefs: Sequence[Belief]) -> None:
        """Store beliefs, each after those it supersedes."""
        superseding = {one.superseded_by: one.id for one in beliefs if one.superseded_by}
        waiting = {one.id: one for one in beliefs}
        while waiting:
            ready = [one for one in waiting.values() if superseding.get(one.id) not in waiting]
            # Beliefs that supersede each other in a cycle: start with any.
            for one in ready or list(waiting.values())[:1]:
                self.keep(one, superseding.get(one.id))
                del waiting[one.id]

    def keep(self, belief: Belief, superseded: str | None = None) -> None:
        """Store one belief, replacing the one it supersedes if that is known."""
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
        """Add aliases to a belief."""
        known = self._known.get(update.belief)
        if known is None:
            raise not_of_format(NAME, f"unknown belief {update.belief[:40]!r}")
        known.aliases = [*known.aliases, *update.aliases]
        self.keep(known, update.belief)

    def ask(self, query: str, user: str, scopes: Sequence[str], most: int, least: float, mode: str) -> list[str]:
        """Return the beliefs that a question finds."""
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

    def pinned_count(self, user: str, scopes: Sequence[str]) -> int:
        """Return how many beliefs are in the context without a search."""
        return sum(_scope(one) == _named(user, scope, "pinned") for one in self._known.values() for scope in scopes)


def run_precision(
    settings: Settings,
    progress: Progress,
    *,
    data: str,
    mode: str = Mode.HYBRID,
    min_relevance: float | None = None,
    embedder: str | None = None,
    cache: str | None = None,
) -> PrecisionResult:
    """Ask every case of a folder and score what is returned. The minimum relevance is that of a recall by default."""
    least = settings.recall.min_relevance if min_relevance is None else min_relevance
    place = folder(data)
    beliefs = shaped(_read(settings, place / SEED), list[Belief], NAME)
    cases = shaped(_read(settings, place / CASES), list[Case], NAME)
    sessions = shaped(_read(settings, place / SESSIONS), list[Session], NAME) if (place / SESSIONS).exists() else []
    if not beliefs or not cases:
        raise InvalidRequest(f"{place.name} has no beliefs or no cases", code="empty_conversation")
    machine, loaded = this_machine(), load_embedder(settings, Mode(mode), embedder, cache)
    single: list[Score] = []
    with scratch(settings, loaded) as memory:
        store = Beliefs(memory)
        store.keep_all(beliefs)
        for done, case in enumerate(cases, start=1):
            single += _asked(store, case, mode, least)
            progress(done, len(cases), "asking")
    turns: list[Score] = []
    for session in sessions:
        with scratch(settings, loaded) as memory:
            store = Beliefs(memory)
            store.keep_all(beliefs)
            turns += _spoken(store, session, mode, least)
    if not single and not turns:
        raise InvalidRequest("no case says what should be returned", code="missing_gold")
    groups = {
        "all": [*single, *turns],
        "single questions": single,
        "turns of a session": turns,
        "something is to come back": [one for one in (*single, *turns) if one.expected],
        "nothing is to come back": [one for one in (*single, *turns) if not one.expected],
    }
    return PrecisionResult(
        mode=mode,
        min_relevance=least,
        beliefs=len(beliefs),
        embedding_space=loaded.name if loaded else None,
        settings=changed_settings(settings),
        groups={name: figures(scores) for name, scores in groups.items() if scores},
        machine=machine,
    )


def _asked(store: Beliefs, case: Case, mode: str, least: float) -> Iterator[Score]:
    if case.expect.relevant is not None:
        most = case.budget.most if case.budget else MOST_BELIEFS
        # Pinned beliefs count against the budget.
        room = most - (store.pinned_count(case.user_id, case.scope) if case.budget else 0)
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
        raise InvalidRequest(f"invalid domain {domain[:40]!r}", code="bad_format")
    return name


def _read(settings: Settings, path: Path) -> bytes:
    return unpacked(read_input(settings, str(path), pipes=False))
