"""Tool answers as text for a model."""

from collections.abc import Iterable

from msgspec.structs import replace

from satchel.domain.answers import Stored
from satchel.domain.erasure import ForgetCandidate, Forgotten
from satchel.domain.imports import Imported
from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.scope import Placement, ScopeMode
from satchel.interfaces.slot.text import (
    MAX_CHARS,
    line_of_memory,
    lines_of_export,
    lines_of_forget,
    lines_of_import,
    lines_of_list,
    lines_of_recall,
    lines_of_store,
    text_of,
)
from satchel.memories.values import Exported, MemoryPage
from satchel.recall.values import Recalled
from tests.tables import each_case

ID, OLD = MemoryId("id-1"), MemoryId("id-0")
RETIRED = Memory(id=OLD, text="line one\n线 two", scope="global", created_at=1, updated_at=1, state=State.RETIRED)
GLOBAL = Placement("global", ScopeMode.GLOBAL)


def _stored(action: str, replaced: MemoryId | None) -> Stored:
    return Stored(
        id=ID,
        action=action,
        scope="global",
        kind=Kind.FACT,
        label=Label.UNKNOWN,
        importance=None,
        trust=Trust.UNTRUSTED,
        created_at=1,
        seq=1,
        replaced=replaced,
        embedding_skipped=True,
        embedding_skip_reason="deferred",
        placement=GLOBAL,
    )


def _imported(dry_run: bool) -> Imported:
    return Imported("in.jsonl", "jsonl", "id", dry_run, 5, 2, 1, 2, (), 0, {}, {}, 0, 0, 0, 0, 0)


@each_case(
    ("lines", "text"),
    [
        (
            lines_of_store(_stored("created", OLD)),
            "created id-1 in scope global: fact, unknown, untrusted\nretired id-0",
        ),
        (
            lines_of_store(_stored("duplicate", None)),
            "already there as id-1 in scope global: fact, unknown, untrusted; nothing was written",
        ),
        (lines_of_list(MemoryPage((), None)), "no memories"),
        (
            lines_of_list(MemoryPage((RETIRED,), "1:id-0")),
            'id-0 (other, unknown, untrusted, retired) "line one\\n线 two"\nmore: after=1:id-0',
        ),
        (lines_of_forget(Forgotten("deleted", ID)), "forgotten id-1"),
        (
            lines_of_forget(Forgotten("deleted", ID, pending=("index",))),
            "forgotten id-1\nstill to be cleared: index",
        ),
        (lines_of_forget(Forgotten("candidates")), "no candidates"),
        (
            lines_of_forget(Forgotten("candidates", candidates=(ForgetCandidate(ID, "a\nb", Kind.FACT, 1.0, 1),))),
            'id-1 "a\\nb"\nnothing was erased; call again with the id of one of them',
        ),
        (lines_of_export(Exported("a\nb", "jsonl", 3, 2, 9, None)), 'wrote 2 of 3 memories to "a\\nb"'),
        (lines_of_import(_imported(False)), "2 of 5 memories imported, 1 skipped, 2 failed"),
        (lines_of_import(_imported(True)), "2 of 5 memories would be imported, 1 skipped, 2 failed"),
    ],
)
def test_each_result_has_its_lines(lines: Iterable[str], text: str) -> None:
    assert "\n".join(lines) == text


def test_warnings_come_first() -> None:
    nothing = lines_of_recall(Recalled((), 0.0, "hybrid", "global", GLOBAL, "must+nice+unknown", ()))

    assert text_of(nothing, ["model_missing: none", "other: too"]) == (
        "⚠️ model_missing: none\n⚠️ other: too\nnothing found in scope global"
    )


def test_the_nearest_memories_are_not_given_as_an_answer() -> None:
    near = Hit(RETIRED, 1, 0.1, (), 0.012)
    recalled = Recalled((), 0.0, "hybrid", "global", GLOBAL, "must+nice+unknown", (), nearest=(near,))

    assert list(lines_of_recall(recalled)) == [
        "nothing relevant in scope global",
        f"nearest, probably about something else: {line_of_memory(RETIRED)} relevance 0.01",
    ]
    answered = replace(recalled, hits=(replace(near, relevance=0.8),), relevance=0.8)
    assert list(lines_of_recall(answered)) == [f"1. {line_of_memory(RETIRED)} relevance 0.80, from system"]
    from_web = replace(RETIRED, source_kind=SourceKind.WEB, source_ref='https://a.example/"', language="en")
    told = replace(answered, hits=(Hit(from_web, 1, 0.1, (), 0.8),))
    assert next(lines_of_recall(told)).endswith('from web "https://a.example/\\"", language "en"')


def test_a_long_text_is_cut_and_says_so() -> None:
    text = text_of(["x" * MAX_CHARS], ["other: too"])

    assert len(text) < MAX_CHARS + 100
    assert text.startswith("⚠️ other: too\nxxx")
    assert text.endswith("(cut here; ask for less at a time)")
