"""Why-not and recall agree on any store and query."""

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel.adapters.embedders.hashing import Hashing
from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.core.parts import Parts
from satchel.domain.embedding import Clamp
from satchel.domain.policies import Policies, RecallPolicy, ScopePolicy
from satchel.explaining.service import Explaining
from satchel.explaining.values import WhyNot
from tests.faults.extent import extent

WORDS = ("walrus", "teapot", "harbour", "sleeps", "数据", "comet")
SCOPES = ("global", "zoo", "shop")
RULES = {
    "scope",
    "fallback",
    "fallback_relevance",
    "quarantined",
    "superseded",
    "expired",
    "not_yet_valid",
    "kind",
    "trust_gate",
    "tier",
    "no_common_word",
    "lexical_pool",
    "vector_pool",
    "not_embedded",
    "index_behind",
    "min_relevance",
    "limit",
}

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
# Most records are ordinary, or nothing would ever come as far as being ranked.
standings = st.sampled_from(
    (
        *({} for _ in range(12)),
        {"trust": "quarantined"},
        {"kind": "fact"},
        {"kind": "todo"},
        {"valid_to": "2001-01-01"},
        {"valid_from": "2999-01-01"},
    )
)
records = st.builds(
    lambda text, scope, importance, source_kind, standing: {
        "text": text,
        "scope": scope,
        "importance": importance,
        "source_kind": source_kind,
        **standing,
    },
    texts,
    st.sampled_from(("global",) * 5 + SCOPES),
    st.sampled_from((None, None, 0.1, 0.6, 0.9)),
    st.sampled_from(("operator", "operator", "web")),
    standings,
)
questions = st.fixed_dictionaries(
    {"query": texts},
    optional={
        "scope": st.sampled_from(("global",) * 4 + SCOPES),
        "mode": st.sampled_from(("hybrid", "lexical", "vector")),
        "limit": st.integers(1, 6),
        "min_relevance": st.sampled_from((None, None, 0.2, 0.9)),
        "untrusted": st.booleans(),
        "kinds": st.sampled_from(((), (), ("fact",))),
        "fallback": st.booleans(),
    },
)
policies = st.builds(
    Policies,
    scope=st.builds(ScopePolicy, fallback_scopes=st.sampled_from(((), ("zoo",), ("shop", "zoo")))),
    recall=st.builds(
        RecallPolicy,
        fusion=st.sampled_from(("scores", "rrf")),
        tiers=st.booleans(),
        trust_gate=st.booleans(),
        catch_up_ms=st.just(60_000),
    ),
)


class StandingClock:
    """A fixed clock."""

    def now(self) -> int:
        return 1_700_000_000_000

    def ticks(self) -> float:
        return 0.0


def parts(**changed: Any) -> Parts:
    """Return the parts of a temporary store: SQLite in memory, an exact index, the hashing embedder."""
    index, embedder, ids = InMemoryIndex(), Hashing(), iter(range(10_000))
    given: dict[str, Any] = {
        "ledger": SqliteLedger(),
        "index": lambda: index,
        "embedder": lambda name: embedder,
        "files": None,
        "exchange": None,
        "spool": None,
        "clock": StandingClock(),
        "new_id": lambda: f"id-{next(ids):04}",
        "reranker": lambda: None,
        "clamp": Clamp(),
    }
    return Parts(**given | changed)


def assert_agrees(memory: Any, explaining: Explaining, ids: Sequence[str], question: dict[str, Any]) -> None:
    hits = [hit.memory.id for hit in memory.recall(**question).result.hits]
    for id in ids:
        told: WhyNot = explaining.why_not(expect=id, **question).result
        assert told.returned == (id in hits)
        assert told.returned == (told.rule == "returned")
        if told.returned:
            continue
        assert told.rule in RULES
        assert told.remedies
        assert any(step.passed is False and step.rule == told.rule for step in told.steps)
        for remedy in told.remedies:
            assert remedy.tried == bool(remedy.options)
            if remedy.tried:
                again = memory.recall(**{**question, **remedy.options}).result
                assert id in [hit.memory.id for hit in again.hits]


@settings(max_examples=extent([40], [120])[0], deadline=None, suppress_health_check=list(HealthCheck))
@given(
    stored=st.lists(records, min_size=1, max_size=30),
    replacing=st.booleans(),
    question=questions,
    policy=policies,
)
def test_they_agree_on_any_store(
    stored: list[dict[str, Any]], replacing: bool, question: dict[str, Any], policy: Policies
) -> None:
    made = parts(policies=policy)
    memory = Satchel(made)
    try:
        ids = [memory.store(**record).result.id for record in stored]
        if replacing:
            ids.append(memory.store("walrus teapot", scope=stored[0]["scope"], replaces=ids[0]).result.id)
        assert_agrees(memory, memory.explaining, list(dict.fromkeys(ids)), question)
    finally:
        memory.close()


def test_they_agree_with_the_real_index(memory: Satchel) -> None:
    ids = []
    for number in range(extent([16], [40])[0]):
        word, trust = WORDS[number % 4], "web" if number % 3 == 0 else "operator"
        importance = (None, 0.9, 0.1)[number % 3]
        text = f"{word} {number} " + "filler " * (number % 5)
        ids.append(memory.store(text, source_kind=trust, importance=importance).result.id)
    for mode in ("hybrid", "lexical", "vector"):
        for limit in (1, 5):
            assert_agrees(memory, memory.explaining, ids, {"query": "walrus teapot", "mode": mode, "limit": limit})
