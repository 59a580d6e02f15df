"""The reported rule is the first that stops a record."""

from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.record import Memory, MemoryId, State, Trust
from satchel.explaining.remedies import question_changes, question_remedy, store_remedies
from satchel.explaining.stops import RecallOptions, steps, stopping_rule
from satchel.recall.values import LaneFinding, RecordTrace
from tests.tables import each_case

MEMORY = Memory(MemoryId("m"), "the walrus", "global", 0, 0, trust=Trust.TRUSTED)
ASKED = RecallOptions("global", "hybrid", 5, 0.0)
LEXICAL = LaneFinding("lexical", True, True, 1, 1, 20, 1.0)
VECTOR = LaneFinding("vector", True, True, 1, 1, 20, 0.5)
BROUGHT = RecordTrace(
    returned=None,
    within="global",
    fallback="",
    held_out_by=None,
    gate="",
    lanes=(LEXICAL, VECTOR),
    terms=("walrus",),
    held=("walrus",),
    rank=9,
    ranked=9,
    place=9,
    relevance=0.5,
)
LOST = replace(BROUGHT, rank=None, place=None, relevance=None)


@each_case(
    ("at", "rule"),
    [
        (replace(BROUGHT, returned=1), "returned"),
        (replace(BROUGHT, within="", held_out_by="expired"), "scope"),
        (replace(BROUGHT, within="", fallback="enough"), "fallback"),
        (replace(BROUGHT, held_out_by="expired", gate="tier"), "expired"),
        (replace(BROUGHT, gate="tier", mismatch=True), "tier"),
        (replace(LOST, mismatch=True), "index_mismatch"),
        (replace(BROUGHT, place=None), "min_relevance"),
        (replace(BROUGHT, in_fallback=True, plausible=False), "fallback_relevance"),
        (BROUGHT, "limit"),
    ],
)
def test_the_first_stopping_rule_is_reported(at: RecordTrace, rule: str) -> None:
    assert stopping_rule(MEMORY, at) == rule


@each_case(
    ("lexical", "vector", "rule"),
    [
        ("no_common_word", None, "no_common_word"),
        ("", None, "lexical_pool"),
        ("no_common_word", "no_vector_search", "no_common_word"),
        ("no_common_word", "not_embedded", "not_embedded"),
        ("no_common_word", "index_behind", "index_behind"),
        ("no_common_word", "index_unusable", "index_unusable"),
        ("no_common_word", "", "vector_pool"),
        (None, "not_embedded", "not_embedded"),
        (None, "", "vector_pool"),
    ],
)
def test_missing_data_is_reported_before_a_low_rank(lexical: str | None, vector: str | None, rule: str) -> None:
    lanes = [
        replace(lane, brought=False, rank=None, problem=problem)
        for lane, problem in ((LEXICAL, lexical), (VECTOR, vector))
        if problem is not None
    ]
    assert stopping_rule(MEMORY, replace(LOST, lanes=tuple(lanes))) == rule


@each_case(
    ("memory", "rule"),
    [
        (replace(MEMORY, trust=Trust.QUARANTINED), "quarantined"),
        (replace(MEMORY, state=State.ARCHIVED), "archived"),
        (replace(MEMORY, state=State.RETIRED), "retired"),
        (replace(MEMORY, state=State.RETIRED, replaced_by=MemoryId("n")), "superseded"),
    ],
)
def test_trust_state_and_validity_rules_are_named(memory: Memory, rule: str) -> None:
    held = "trust" if memory.trust is Trust.QUARANTINED else "state"
    at = replace(BROUGHT, held_out_by=held)
    assert stopping_rule(memory, at) == rule
    assert any(step.passed is False and step.rule == rule for step in steps(memory, at, ASKED))
    assert store_remedies(rule, memory, "global")


def test_limits_are_tried_from_the_records_place() -> None:
    first, *_ = question_changes("limit", MEMORY, BROUGHT, ASKED, "walrus", ())
    assert first == [{"limit": 9}, {"limit": 10}, {"limit": 20}, {"limit": 50}]


def test_commands_are_safely_quoted() -> None:
    given: dict[str, Json] = {
        "scope": "it's; rm -rf x",
        "mode": "lexical",
        "fallback": False,
        "kinds": ["fact", "todo"],
    }
    remedy = question_remedy({"limit": 9}, "$(echo 'x')", given)
    assert remedy.command == (
        """satchel recall '$(echo '"'"'x'"'"')' --scope 'it'"'"'s; rm -rf x' --mode lexical --no-fallback """
        "--kind fact --kind todo --limit 9"
    )
    assert question_remedy({"limit": 9}, "x" * 201, {}).command == "satchel recall QUERY --limit 9"
    (command,) = (
        one.command for one in store_remedies("archived", replace(MEMORY, scope="a b", id=MemoryId("c;d")), "")
    )
    assert command == "satchel lifecycle revive 'c;d' --scope 'a b'"
