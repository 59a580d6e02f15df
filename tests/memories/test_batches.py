"""Rows exported and imported, over an in-memory ledger."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.canonical import Json
from satchel.domain.json_rows import RawRow
from satchel.domain.policies import ScopePolicy
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.errors import InvalidRequest
from satchel.memories import batches
from satchel.memories.batches import ImportCounts, ImportOptions, NewMemory, import_rows
from satchel.memories.export_writer import ExportWriter
from satchel.memories.row_format import NAMES, ParsedRow, mask_memory, memory_row, parse_row
from satchel.ports import Change
from tests.tables import each_case

steady = settings(max_examples=100, deadline=None, derandomize=True)
NOW = 1_767_225_600_000
_NUMBERS = count(1)
PLAIN = Memory(id=MemoryId("m1"), text="We ship on Thursdays", scope="global", created_at=5, updated_at=7)


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    ledger = SqliteLedger(None)
    yield ledger
    ledger.close()


def arrived(row: dict[str, Any], scope: str | None = None) -> ParsedRow:
    return parse_row(row, scope=scope, policy=ScopePolicy(), now=NOW)


def terms(**given: Any) -> ImportOptions:
    usual: dict[str, Any] = {
        "dedupe": "id_text", "dry_run": False, "scope": None, "scope_policy": ScopePolicy(), "limit": None, "now": NOW,
        "new_id": lambda: f"new-{next(_NUMBERS)}",
    }  # fmt: skip
    return ImportOptions(**(usual | given))


def take(ledger: SqliteLedger, *rows: dict[str, Any] | bytes, **given: Any) -> ImportCounts:
    """Import rows into a ledger."""

    def save(new: Sequence[NewMemory], so_far: ImportCounts) -> None:
        receipt = Receipt("import", {"batch": so_far.batches}, at=NOW)
        ledger.memories.commit([Change(one.memory, None, "import", "tester") for one in new], receipt)

    data = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    return import_rows(
        iter([RawRow(number, one) for number, one in enumerate(data, 1)]), terms(**given), ledger.memories, save
    )


def held(ledger: SqliteLedger) -> list[tuple[str, str, str]]:
    return [(one.id, one.scope, one.text) for one in ledger.memories.walk(admin_view(EVERYWHERE, NOW))]


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).map(lambda text: f"w{text}")
MAYBE = st.none() | WORDS
MOMENTS = st.integers(0, 4_000_000_000_000)
SHARES = st.none() | st.floats(0, 1)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Return any memory an import can restore: all except those with more trust than a file can give."""
    begin = draw(MOMENTS)
    created = draw(MOMENTS)
    return Memory(
        id=MemoryId(draw(st.uuids().map(str))),
        text=draw(WORDS),
        scope=draw(st.sampled_from(["global", "repo/api", "a.b-c_d:e"])),
        created_at=created,
        updated_at=created + draw(st.integers(0, 1000)),
        kind=draw(st.sampled_from(tuple(Kind))),
        title=draw(MAYBE),
        importance=draw(SHARES),
        label=draw(st.sampled_from(tuple(Label))),
        trust=draw(st.sampled_from((Trust.UNTRUSTED, Trust.QUARANTINED))),
        source_kind=SourceKind.IMPORT,
        source_ref=draw(MAYBE),
        language=draw(MAYBE),
        session=draw(MAYBE),
        task=draw(MAYBE),
        role_scope=draw(MAYBE),
        abstraction=draw(st.integers(0, 3)),
        confidence=draw(SHARES),
        success=draw(SHARES),
        keywords=tuple(draw(st.lists(WORDS, max_size=3, unique=True))),
        tags=tuple(draw(st.lists(WORDS, max_size=3, unique=True))),
        media_refs=tuple(draw(st.lists(WORDS, max_size=3, unique=True))),
        valid_from=draw(st.none() | st.just(begin)),
        valid_to=draw(st.none() | st.integers(1, 1000).map(lambda days: begin + days)),
        state=draw(st.sampled_from(tuple(State))),
        replaced_by=draw(st.none() | st.uuids().map(lambda id: MemoryId(str(id)))),
        reason=draw(MAYBE),
    )


@each_case(
    ("limits", "rows_in_batches"),
    [({"ROWS_PER_BATCH": 2}, [2, 2, 1]), ({"BYTES_PER_BATCH": 60}, [3, 2]), ({}, [5])],
)
def test_a_batch_has_a_limit_of_rows_and_of_bytes(limits: dict[str, int], rows_in_batches: list[int]) -> None:
    saved: list[int] = []
    data = [json.dumps({"text": f"walrus number {number}"}).encode() for number in range(5)]
    rows = [RawRow(number, one) for number, one in enumerate([*data[:3], b"no row", *data[3:]], 1)]
    ledger = SqliteLedger(None)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(batches, name, value)
        counts = import_rows(iter(rows), terms(), ledger.memories, lambda new, so_far: saved.append(len(new)))
    ledger.close()

    assert (saved, counts.batches, counts.imported) == (rows_in_batches, len(rows_in_batches), 5)


class TestOneRow:
    @steady
    @given(memories())
    @example(PLAIN)
    def test_a_memory_round_trips(self, memory: Memory) -> None:
        row = json.loads(json.dumps(memory_row(memory)))
        arrival = arrived(row)

        assert replace(arrival.memory, id=memory.id) == replace(memory, source_kind=SourceKind.IMPORT)
        assert (arrival.wanted, arrival.unknown_fields, arrival.lowered) == (memory.id, 0, False)

    def test_every_field_has_a_name_in_the_file(self) -> None:
        assert set(NAMES) == {field.name for field in fields(Memory)} - {"content_hash"}

    def test_common_fields_are_always_present(self) -> None:
        assert set(memory_row(PLAIN)) == {
            "id", "text", "category", "kind", "importance", "importance_label", "scope", "trust_tier", "source_kind",
            "source_ref", "createdAt", "updatedAt", "state",
        }  # fmt: skip

    def test_specified_field_names_are_accepted(self) -> None:
        row = {
            "text": "x",
            "category": "decision",
            "importance_label": "high",
            "lang": "zh",
            "createdAt": 42,
            "vector": [0],
        }
        arrival = arrived(row)

        memory = arrival.memory
        assert (memory.kind, memory.label, memory.language, memory.created_at) == (
            "decision",
            "must_remember",
            "zh",
            42,
        )
        assert arrival.unknown_fields == 1

    def test_an_invalid_scope_is_refused(self) -> None:
        with pytest.raises(InvalidRequest) as refused:
            arrived({"text": "x", "scope": "No Such Scope"})
        assert refused.value.code == "invalid_scope"
        assert not arrived({"text": "x", "scope": "team"}).misplaced

    @each_case(
        ("claimed", "given", "lowered"),
        [
            (None, Trust.UNTRUSTED, False),
            ("trusted", Trust.UNTRUSTED, True),
            ("TRUSTED", Trust.UNTRUSTED, True),
            ("untrusted", Trust.UNTRUSTED, False),
            ("quarantined", Trust.QUARANTINED, False),
            ("user", Trust.UNTRUSTED, False),
            ("operator", Trust.UNTRUSTED, False),
        ],
    )
    def test_a_file_can_only_lower_trust(self, claimed: str | None, given: Trust, lowered: bool) -> None:
        for channel in ("operator", "system", None, 7):
            arrival = arrived({"text": "obey", "trust_tier": claimed, "source_kind": channel})
            assert (arrival.memory.trust, arrival.lowered) == (given, lowered)
            assert arrival.memory.source_kind is SourceKind.IMPORT

    @each_case(
        ("row", "code"),
        [
            ({}, "missing_text"),
            ({"text": None}, "missing_text"),
            ({"text": ""}, "empty_text"),
            ({"text": " \u200b"}, "empty_text"),
            ({"text": 5}, "wrong_type"),
            ({"text": ["a"]}, "wrong_type"),
            ({"text": "x" * 100_001}, "text_too_long"),
            ({"text": "a\x00b"}, "unwritable_character"),
            ({"text": "a\ud800b"}, "unwritable_character"),
            ({"text": "x", "kind": "nonsense"}, "unknown_word"),
            ({"text": "x", "kind": 3}, "wrong_type"),
            ({"text": "x", "state": "zombie"}, "unknown_word"),
            ({"text": "x", "trust": "absolute"}, "unknown_word"),
            ({"text": "x", "importance_label": 1}, "wrong_type"),
            ({"text": "x", "importance": 2}, "out_of_range"),
            ({"text": "x", "importance": "high"}, "wrong_type"),
            ({"text": "x", "importance": True}, "wrong_type"),
            ({"text": "x", "confidence": -0.1}, "out_of_range"),
            ({"text": "x", "abstraction": 4}, "out_of_range"),
            ({"text": "x", "abstraction": 1.5}, "out_of_range"),
            ({"text": "x", "createdAt": 10**18}, "invalid_date"),
            ({"text": "x", "createdAt": "soon"}, "invalid_date"),
            ({"text": "x", "createdAt": [1]}, "wrong_type"),
            ({"text": "x", "valid_from": 2000, "valid_to": 1000}, "invalid_date"),
            ({"text": "x", "tags": "one"}, "wrong_type"),
            ({"text": "x", "tags": [1]}, "wrong_type"),
            ({"text": "x", "tags": ["t"] * 51}, "too_many"),
            ({"text": "x", "title": "t" * 1001}, "text_too_long"),
            ({"text": "x", "reason": "\x07"}, "empty_text"),
        ],
    )
    def test_an_invalid_row_has_a_reason(self, row: dict[str, Any], code: str) -> None:
        with pytest.raises(InvalidRequest) as refused:
            arrived(row)
        assert refused.value.code == code

    @steady
    @given(st.dictionaries(st.sampled_from([name for names in NAMES.values() for name in names]),
        st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=6) | st.lists(st.text(max_size=3) | st.integers(), max_size=3), max_size=8))  # fmt: skip
    def test_any_row_is_accepted_or_rejected(self, row: dict[str, Json]) -> None:
        try:
            assert arrived({"text": "x"} | row).memory.trust is not Trust.TRUSTED
        except InvalidRequest as refused:
            assert refused.code

    @each_case("id", [None, 5, "", " ", "a b", "x" * 129, "ü", "-x", "a\n", "'; --"])
    def test_an_invalid_id_is_dropped(self, id: object) -> None:
        assert arrived({"text": "x", "id": id}).wanted is None

    def test_the_mask_applies_to_all_free_text(self) -> None:
        full = replace(PLAIN, title="a", source_ref="b", session="c", task="d", role_scope="e", reason="f", tags=("g",),
            keywords=("h",), media_refs=("i",))  # fmt: skip
        shown = mask_memory(full, lambda text: "*")

        texts = (shown.text, shown.title, shown.source_ref, shown.session, shown.task, shown.role_scope, shown.reason)
        assert {*texts, *shown.tags, *shown.keywords, *shown.media_refs} == {"*"}
        assert (shown.id, shown.scope) == (full.id, full.scope)


class TestDepartures:
    def test_jsonl_and_json_contain_the_same_rows(self) -> None:
        twice = [PLAIN, replace(PLAIN, id=MemoryId("m2"), text="zwei\n二")]
        as_lines = b"".join(ExportWriter("jsonl", None).pieces(twice))
        as_list = b"".join(ExportWriter("json", None).pieces(twice))

        assert [json.loads(line) for line in as_lines.splitlines()] == json.loads(as_list)
        assert "二".encode() in as_lines
        assert json.loads(b"".join(ExportWriter("json", None).pieces([]))) == []

    def test_masked_secrets_are_counted(self) -> None:
        departures = ExportWriter("jsonl", lambda text: ("*", [("password", 2)]))
        b"".join(departures.pieces([replace(PLAIN, tags=("a", "b"))]))

        assert (departures.count, departures.redacted) == (1, {"password": 6})


class TestDeduplication:
    def test_an_unused_id_is_kept(self, ledger: SqliteLedger) -> None:
        take(ledger, {"id": "m1", "text": "one"}, {"text": "two"})

        assert [(id[:4], text) for id, _, text in held(ledger)] == [("m1", "one"), ("new-", "two")]

    @pytest.mark.parametrize(("dedupe", "rows"), [("none", 4), ("id", 3), ("id_text", 2)])
    def test_deduplication_follows_the_option(self, ledger: SqliteLedger, dedupe: str, rows: int) -> None:
        given = [
            {"id": "m1", "text": "one"},
            {"id": "m1", "text": "other"},
            {"id": "m2", "text": " ONE\n"},
            {"id": "m3", "text": "two"},
        ]
        done = take(ledger, *given, dedupe=dedupe)

        assert done.imported == rows == len(held(ledger))
        assert done.imported + done.skipped.total() == 4
        assert dict(done.skipped) == {"none": {}, "id": {"id": 1}, "id_text": {"id": 1, "text": 1}}[dedupe]

    @pytest.mark.parametrize("dedupe", ["id", "id_text"])
    def test_importing_twice_changes_nothing(self, ledger: SqliteLedger, dedupe: str) -> None:
        rows = [{"id": f"m{number}", "text": f"text {number}", "scope": f"s{number % 3}"} for number in range(20)]
        take(ledger, *rows, dedupe=dedupe)
        before = held(ledger)

        assert take(ledger, *rows, dedupe=dedupe).imported == 0
        assert held(ledger) == before

    @pytest.mark.parametrize("other", ["We  Ship\tON thursdays", "Ｗｅ ship on Thursdays", "we ship on thursdays\n"])
    def test_texts_are_compared_in_normal_form(self, ledger: SqliteLedger, other: str) -> None:
        take(ledger, {"text": "We ship on Thursdays"})

        assert dict(take(ledger, {"text": other}).skipped) == {"text": 1}
        assert take(ledger, {"text": other, "scope": "elsewhere"}).imported == 1

    def test_a_retired_text_is_not_a_duplicate_of_a_live_one(self, ledger: SqliteLedger) -> None:
        done = take(ledger, {"text": "on Fridays", "state": "retired"}, {"text": "on Fridays"}, {"text": "on fridays"})

        assert (done.imported, dict(done.skipped)) == (2, {"text": 1})

    def test_an_id_of_another_scope_is_neither_overwritten_nor_revealed(self, ledger: SqliteLedger) -> None:
        take(ledger, {"id": "m1", "text": "theirs", "scope": "theirs"})
        mine = {"id": "m1", "text": "mine", "scope": "mine"}
        first, again = take(ledger, mine, dedupe="id"), take(ledger, mine, dedupe="id")

        assert (first.imported, first.renamed, again.imported, dict(again.skipped)) == (1, 1, 0, {"id": 1})
        assert {(scope, text) for _, scope, text in held(ledger)} == {("theirs", "theirs"), ("mine", "mine")}
        assert ("m1", "theirs", "theirs") in held(ledger)

    def test_forgotten_memories_do_not_come_back(self, ledger: SqliteLedger) -> None:
        take(ledger, {"id": "m1", "text": "a secret"})
        ledger.memories.erase(MemoryId("m1"), EVERYWHERE, "tester", Receipt("forget", {}))

        assert take(ledger, {"id": "m1", "text": "a secret"}).imported == 0
        assert take(ledger, {"id": "m1", "text": "mine", "scope": "other"}).imported == 1

    @pytest.mark.parametrize("dedupe", ["none", "id", "id_text"])
    def test_a_dry_run_reports_the_same(self, ledger: SqliteLedger, dedupe: str) -> None:
        take(ledger, {"id": "m0", "text": "there"}, {"id": "m7", "text": "text 7", "scope": "other"})
        rows: list[Any] = [{"id": f"m{number % 900}", "text": f"text {number % 800}"} for number in range(1200)]
        before = held(ledger)
        dry = take(ledger, *rows, b"junk", dedupe=dedupe, dry_run=True)
        assert held(ledger) == before
        wet = take(ledger, *rows, b"junk", dedupe=dedupe)

        assert (dry.imported, dry.skipped, dry.failed, dry.renamed) == (
            wet.imported,
            wet.skipped,
            wet.failed,
            wet.renamed,
        )
        assert len(held(ledger)) == len(before) + wet.imported

    def test_a_given_scope_overrides_the_rows(self, ledger: SqliteLedger) -> None:
        take(ledger, {"text": "one", "scope": "theirs"}, {"text": "two"}, scope="mine")

        assert {scope for _, scope, _ in held(ledger)} == {"mine"}

    def test_failures_are_listed_up_to_a_maximum(self, ledger: SqliteLedger) -> None:
        done = take(ledger, *[b"junk"] * 30, {"text": "good"}, {"no": "text"})

        assert (done.imported, done.parsed, len(done.failures)) == (1, 32, 20)
        assert dict(done.failed) == {"not_json": 30, "missing_text": 1}
        assert (done.failures[0].index, done.failures[-1].index) == (1, 20)

    def test_a_limit_bounds_the_rows_read(self, ledger: SqliteLedger) -> None:
        assert take(ledger, *({"text": f"t{number}"} for number in range(9)), limit=4).parsed == 4
