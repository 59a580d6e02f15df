"""Masking a whole value: every text of it, nothing else, and the same object where there is nothing to mask."""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType

from satchel.domain.masking import MAX_KNOWN, _known, masked
from satchel.domain.record import Memory, MemoryId, is_intact
from satchel.domain.safety.redact import mask
from tests.canary import MASKED, TOKEN
from tests.tables import each_case


class Mood(StrEnum):
    LOUD = "loud"
    SECRET = TOKEN


class Pair(NamedTuple):
    left: str
    right: int


class Leaf(Struct, frozen=True):
    text: str
    number: int = 7
    maybe: str | None = None
    unset: str | UnsetType = UNSET


class Tree(Struct, frozen=True):
    leaves: tuple[Leaf, ...] = ()
    texts: Mapping[str, Any] = {}
    mood: Mood = Mood.LOUD
    ratio: float = 0.5


@each_case(
    ("value", "expected"),
    [
        (TOKEN, MASKED),
        (f"use {TOKEN} twice: {TOKEN}", f"use {MASKED} twice: {MASKED}"),
        ([TOKEN, 1, None], [MASKED, 1, None]),
        ((TOKEN, "plain"), (MASKED, "plain")),
        (frozenset({TOKEN}), frozenset({MASKED})),
        (Pair(TOKEN, 3), Pair(MASKED, 3)),
        (Leaf(TOKEN, maybe=TOKEN), Leaf(MASKED, maybe=MASKED)),
        (Tree((Leaf("a"), Leaf(TOKEN))), Tree((Leaf("a"), Leaf(MASKED)))),
        ({"a": {"b": [TOKEN]}}, {"a": {"b": [MASKED]}}),
        ({TOKEN: 1, 2: TOKEN}, {MASKED: 1, 2: MASKED}),
        ({"password": "correct horse battery"}, {"password": "[redacted:password]"}),
        ({"password": ["correct-horse-7"]}, {"password": ["[redacted:password]"]}),
        (Tree(texts={"details": {"password": "hunter2-Hunter"}}), Tree(texts={"details": {"password": "[redacted:password]"}})),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_every_text_of_a_value_is_masked(value: Any, expected: Any) -> None:
    assert masked(value) == expected
    # The second time, the texts are known.
    assert masked(value) == expected
    assert masked(expected) == expected


@each_case("value", ["plain", ("a", 1), Leaf("plain"), {"a": ["b"]}, Tree((Leaf("a"),)), None, 7, b"bytes", UNSET])
def test_a_value_without_secrets_is_returned_as_it_is(value: Any) -> None:
    assert masked(value) is value


def test_a_part_without_secrets_stays_the_same_object() -> None:
    plain = Leaf("plain")
    changed = masked(Tree((plain, Leaf(TOKEN))))
    assert changed.leaves[0] is plain


def test_a_member_of_an_enumeration_is_not_free_text() -> None:
    assert masked([Mood.SECRET])[0] is Mood.SECRET


def test_the_same_text_is_masked_by_its_name_only() -> None:
    assert masked(["correct horse battery", {"note": "correct horse battery"}]) == [
        "correct horse battery",
        {"note": "correct horse battery"},
    ]
    assert masked({"password": "correct horse battery"}) == {"password": "[redacted:password]"}
    assert masked(["correct horse battery"]) == ["correct horse battery"]


def test_a_masked_memory_has_the_hash_of_its_masked_text() -> None:
    memory = Memory(MemoryId("m"), f"The key is {TOKEN}", "global", 1, 1)
    clean = masked(memory)
    assert clean.text == f"The key is {MASKED}"
    assert (clean.id, is_intact(clean), clean.content_hash == memory.content_hash) == ("m", True, False)


def test_texts_that_were_looked_at_take_a_bounded_place() -> None:
    for start in range(0, 2 * MAX_KNOWN, 1_000):
        masked([f"text number {number}" for number in range(start, start + 1_000)])
    assert len(_known._clean) <= MAX_KNOWN + 1_000


words = st.sampled_from(["the", "token", "is", TOKEN, "password:", "Tr0ub4dor-77", "\n", '"', "key", "="])
texts = st.lists(words, max_size=8).map(" ".join)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(texts, max_size=6))
def test_a_list_is_masked_text_by_text(plain: list[str]) -> None:
    assert masked(plain) == [mask(text) for text in plain]
    assert masked(masked(plain)) == masked(plain)


@given(st.uuids().map(str) | st.binary(max_size=8).map(lambda data: "sha256:" + hashlib.sha256(data).hexdigest()))
def test_an_identifier_alone_is_no_secret_to_any_rule(text: str) -> None:
    assert mask(text) == text == masked(text)


def test_an_identifier_under_the_name_of_a_secret_is_masked() -> None:
    secret = "0b6e1c2a-91f4-4d7e-8a35-5f0c7be21d94"
    assert masked({"password": secret}) == {"password": "[redacted:password]"}
    assert secret not in masked(f"password: {secret}")
