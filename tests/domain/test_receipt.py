"""The receipt, its digest and the chain."""

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.receipt import GENESIS, SCHEMA, Receipt, chain_link, question_facts
from tests.tables import each_case

steady = settings(max_examples=80, deadline=None, derandomize=True)

facts = st.dictionaries(
    st.text(max_size=4), st.none() | st.booleans() | st.integers() | st.text(max_size=5), max_size=3
)
receipts = st.builds(
    Receipt,
    operation=st.sampled_from(["store", "recall", "forget"]),
    asked=facts,
    considered=facts,
    decided=facts,
    warnings=st.lists(st.text(max_size=5), max_size=2).map(tuple),
)

RECALL = Receipt(
    "recall",
    asked={"query_chars": 3, "scope": "global"},
    considered={"lexical": 2},
    decided={"hits": [{"id": "m1", "score": 0.5}]},
    warnings=("index_repaired: rebuilt",),
    at=1_700_000_000_000,
    duration_ms=12.5,
    kept=True,
)


def test_the_digest_covers_the_canonical_body() -> None:
    body: dict[str, Json] = {
        "schema": "satchel.receipt.v1",
        "operation": "recall",
        "asked": {"query_chars": 3, "scope": "global"},
        "considered": {"lexical": 2},
        "decided": {"hits": [{"id": "m1", "score": 0.5}]},
        "warnings": ("index_repaired: rebuilt",),
    }
    assert RECALL.body == body
    assert RECALL.digest == digest(canonical(body))


def test_the_digest_of_a_known_receipt_never_changes() -> None:
    # Receipts kept by an older Satchel must still verify: a new body needs a new schema name.
    assert SCHEMA == "satchel.receipt.v1"
    assert Receipt("store", {}).digest == "sha256:0d4e5224792787763d3ebd5d4854275e4a5ada5ca0a2fb6c287469ad678eb763"


@steady
@given(receipts, st.integers(), st.floats(allow_nan=False), st.booleans())
def test_time_duration_and_kept_are_not_in_the_digest(
    receipt: Receipt, at: int, duration_ms: float, kept: bool
) -> None:
    assert replace(receipt, at=at, duration_ms=duration_ms, kept=kept).digest == receipt.digest


@each_case(
    "change",
    [
        {"operation": "forget"},
        {"asked": {"query_chars": 4, "scope": "global"}},
        {"considered": {}},
        {"decided": {"hits": [{"id": "m1", "score": 0.25}]}},
        {"decided": {"hits": [{"id": "m2", "score": 0.5}]}},
        {"warnings": ()},
        {"warnings": ("index_repaired: rebuilt", "query_clamped")},
    ],
)
def test_any_change_of_the_body_changes_the_digest(change: dict[str, Any]) -> None:
    assert replace(RECALL, **change).digest != RECALL.digest


@steady
@given(receipts, receipts)
def test_receipts_have_equal_digests_exactly_when_their_bodies_are_equal(one: Receipt, other: Receipt) -> None:
    assert (one.digest == other.digest) == (canonical(one.body) == canonical(other.body))


@steady
@given(receipts, facts, st.sampled_from(["asked", "considered", "decided"]))
def test_asked_considered_and_decided_are_distinct_in_the_digest(
    receipt: Receipt, other: dict[str, Any], place: str
) -> None:
    assume(canonical(other) != canonical(getattr(receipt, place)))
    changes: dict[str, Any] = {place: other}
    assert replace(receipt, **changes).digest != receipt.digest


def test_every_field_is_in_the_body_or_explicitly_not() -> None:
    body = replace(RECALL, actor="user:anna/laptop").body
    assert {one.name for one in fields(Receipt)} == (set(body) - {"schema"}) | {"at", "duration_ms", "kept"}


def test_a_user_is_in_the_body_and_the_local_operator_is_not() -> None:
    anna, ben = (replace(RECALL, actor=f"user:{name}/laptop") for name in ("anna", "ben"))

    assert "actor" not in RECALL.body
    assert len({RECALL.digest, anna.digest, ben.digest}) == 3


def test_the_chain_begins_with_the_digest_of_an_empty_text() -> None:
    assert digest("") == GENESIS
    assert chain_link(GENESIS, "sha256:b", 5) == digest(f"{GENESIS}\nsha256:b\n5")


@steady
@given(st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.sampled_from(["", "a", "b"]), st.integers(-2, 2))))
def test_a_link_changes_with_any_of_its_inputs(inputs: list[tuple[str, str, int]]) -> None:
    assert len({chain_link(*one) for one in inputs}) == len(set(inputs))


@steady
@given(st.lists(receipts.map(lambda one: one.digest), min_size=2, max_size=5, unique=True), st.data())
def test_a_chain_shows_receipts_that_were_swapped(digests: list[str], data: st.DataObject) -> None:
    def end(chain: list[str]) -> str:
        last = GENESIS
        for one in chain:
            last = chain_link(last, one, 7)
        return last

    other = data.draw(st.permutations(digests))
    assert (end(digests) == end(other)) == (digests == other)


@steady
@given(st.text(min_size=12))
def test_question_facts_do_not_hold_the_question(question: str) -> None:
    described = question_facts(question)
    assert described == {"query_digest": digest(question), "query_chars": len(question)}
    assert question not in canonical(described)
