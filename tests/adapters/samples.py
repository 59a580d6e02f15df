"""Records, views and vectors for the contract suites, by hand and by Hypothesis."""

import math
from array import array
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.adapters.sql.float16 import pack, unpack
from satchel.domain.embedding import Space, Vector
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import LIVE_STATES, View, admin_view
from satchel.ports import CatchUp, Change, Embedded, Ledger

NOW = 1_000
SPACE = Space("test-4", 4)
OTHER_SPACE = Space("test-3", 3)
ALL = admin_view(EVERYWHERE, NOW)

HOSTILE = (
    '"',
    '""',
    "'",
    "' OR '1'='1",
    "'; DROP TABLE memories; --",
    '" OR "1"="1',
    "NEAR(a b, 5)",
    "NEAR",
    "AND",
    "OR",
    "NOT",
    "a AND",
    "NOT a",
    "title:secret",
    "{title body}: secret",
    "- title : secret",
    "^start",
    "prefix*",
    "*",
    "a + b",
    "(",
    ")",
    "(" * 300 + "deep" + ")" * 300,
    "\\",
    "\\'",
    "%",
    "_",
    "?1",
    ":name",
    "$1",
    "-- comment",
    "/* comment */",
    "\n\t\r",
    "   ",
    ".,;:!?",
    "👩‍👩‍👧‍👦🚀",
    "e\u0301\u202e\ufeff\u200b",
    "x" * 100_000,
    "word " * 300,
    "数" * 5_000,
)


def memory(id: str, text: str = "a plain note", **fields: Any) -> Memory:
    """Return a record, with defaults for whatever a test does not set."""
    given: dict[str, Any] = {"scope": "global", "created_at": NOW, "updated_at": NOW, "trust": Trust.TRUSTED} | fields
    return Memory(id=MemoryId(id), text=text, **given)


def receipt(name: str = "test", at: int = NOW) -> Receipt:
    """Return a receipt whose digest depends on its name."""
    return Receipt("store", {"name": name}, at=at)


def store(ledger: Ledger, *memories: Memory) -> int:
    """Commit new records together."""
    changes = [Change(one, None, "store", "tester") for one in memories]
    return ledger.memories.commit(changes, receipt(memories[0].id))


def change(ledger: Ledger, before: Memory, reason: str | None = None, **fields: Any) -> tuple[Memory, int]:
    """Change a record; return its new state and the sequence number. A new text gets a new hash."""
    if "text" in fields:
        fields["content_hash"] = ""
    after = replace(before, **fields)
    seq = ledger.memories.commit([Change(after, before, "edit", "tester", reason)], receipt(f"edit {after.id}"))
    return after, seq


def erase(ledger: Ledger, id: str, reach: Reach = EVERYWHERE) -> bool:
    """Erase a record."""
    return ledger.memories.erase(MemoryId(id), reach, "tester", receipt(f"erase {id}"))


def unit(*values: float) -> Vector:
    """Return the vector in this direction, of length one, as a ledger gives it back."""
    length = math.hypot(*values)
    return unpack(pack(array("f", [value / length for value in values])), len(values))


def embed(ledger: Ledger, vectors: dict[str, Vector], space: Space = SPACE) -> None:
    """Store vectors for records, adopting the space if the ledger has none."""
    if ledger.vectors.space() is None:
        ledger.vectors.adopt(space)
    known = ledger.memories.fetch([MemoryId(id) for id in vectors], ALL)
    ledger.vectors.put(space, [Embedded(id, known[id].content_hash, vectors[id]) for id in known])


# Random populations. Few distinct values, so that they meet; edges of validity lie on and around NOW.

SCOPES = ("global", "work", "it's", "a' OR 'b'='b", "x/y:z", "WORK", "work ")
_MOMENTS = st.one_of(st.none(), st.integers(NOW - 2, NOW + 2))
_WORDS = st.sampled_from(("apple", "banana", "red apple", "苹果香蕉", "Äpfel", "'); --"))


@st.composite
def _member(draw: st.DrawFn, number: int) -> Memory:
    return memory(
        f"m{number:02}",
        draw(_WORDS),
        scope=draw(st.sampled_from(SCOPES)),
        kind=draw(st.sampled_from(tuple(Kind))),
        label=draw(st.sampled_from(tuple(Label))),
        trust=draw(st.sampled_from(tuple(Trust))),
        state=draw(st.sampled_from(tuple(State))),
        valid_from=draw(_MOMENTS),
        valid_to=draw(_MOMENTS),
        created_at=draw(st.integers(NOW - 3, NOW)),
        media_refs=draw(st.sampled_from(((), ("a.jpg",), ("b.mp3",)))),
    )


@st.composite
def populations(draw: st.DrawFn) -> list[Memory]:
    """Return up to twelve records of every trust, state, kind, scope and validity."""
    return [draw(_member(number)) for number in range(draw(st.integers(0, 12)))]


def _some(values: Sequence[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), min_size=least, max_size=len(values), unique=True).map(tuple)


@st.composite
def views(draw: st.DrawFn) -> View:
    """Return a view with any of its rules wide, narrow or impossible."""
    return View(
        reach=draw(st.one_of(st.just(EVERYWHERE), _some(SCOPES, 1).map(Reach))),
        now=draw(st.integers(NOW - 1, NOW + 1)),
        states=draw(st.one_of(st.just(LIVE_STATES), st.just(tuple(State)), _some(tuple(State)))),
        trusts=draw(st.one_of(st.just(tuple(Trust)), _some(tuple(Trust)))),
        kinds=draw(st.one_of(st.just(()), _some(tuple(Kind)))),
        labels=draw(st.one_of(st.just(()), _some(tuple(Label)))),
        media=draw(st.sampled_from((None, None, "any", "image", "audio"))),
        timeless=draw(st.booleans()),
    )


def without_generation(caught_up: CatchUp) -> CatchUp:
    """Return a catch-up without its generation."""
    return replace(caught_up, generation="")
