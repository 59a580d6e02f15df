"""Whatever a file holds, a reader yields records and refusals: it never fails, and never reads for ever."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.document import SkippedFile
from satchel.domain.imports import RECORDS, Refusal
from satchel.errors import SatchelError
from satchel.importing.kinds import READERS
from satchel.importing.markdown import split_note, statements
from satchel.importing.values import ReadOptions
from satchel.ports import SourceFile, SourceForm
from tests.tables import each_case

steady = settings(max_examples=60, deadline=None, derandomize=True)
# Names that readers look for, so that random objects get past their first question.
NAMES = (
    "id", "uuid", "mapping", "message", "author", "role", "content", "parts", "content_type", "parent", "children", "current_node",
    "chat_messages", "sender", "text", "docs", "prompt_template", "conversations_memory", "project_memories", "results", "memories",
    "memory", "hash", "metadata", "categories", "relations", "entities", "name", "entityType", "observations", "type", "from", "to",
    "relationType", "source", "relationship", "target", "create_time", "created_at", "recipient", "user_instructions", "filename",
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["user", "text", "all", "bio"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=25,
)  # fmt: skip


class InMemory:
    """A source in memory: the same content in a file of every name."""

    path = "/in/memory"

    def __init__(self, form: SourceForm, content: bytes, names: Sequence[str], rows: Sequence[Any] = ()) -> None:
        self.form = form
        self.name = names[0]
        self._content = content
        self._names = names
        self._rows = rows

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        for name in self._names:
            yield SourceFile(name, len(self._content), 1)

    def chunks(self, path: str) -> Iterator[bytes]:
        for start in range(0, len(self._content), 7):
            yield self._content[start : start + 7]

    def tables(self) -> Mapping[str, frozenset[str]]:
        every = {"memories": "content_hash content memory_type abstraction_level summary id text vector category tags_json",
                 "observations": "id ts kind summary detail_json", "episodic_events": "event_id type payload_json summary",
                 "conversations": "conversation_id session_key", "summary_messages": "summary_id",
                 "messages": "message_id conversation_id seq role content created_at"}  # fmt: skip
        return {table: frozenset(names.split()) for table, names in every.items()} if self._rows else {}

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for number in range(len(self._rows)):
            yield tuple(self._rows[(number + place) % len(self._rows)] for place in range(len(columns)))


FILES = (
    "conversations.json",
    "projects.json",
    "projects/p.json",
    "memories.json",
    "memory.jsonl",
    "CLAUDE.md",
    "memory/a.md",
)


def check(source: InMemory) -> None:
    for reader in READERS:
        assert 0 <= reader.recognises(source) <= 1
        try:
            for one in reader.read(source, ReadOptions(notes=True)):
                assert isinstance(one, (Refusal, *RECORDS)), one
        except SatchelError:
            # The import ends with a refusal of the whole source.
            continue


@each_case("form", [SourceForm.FILE, SourceForm.FOLDER, SourceForm.ARCHIVE])
def test_any_json_is_read(form: SourceForm) -> None:
    @steady
    @given(st.lists(VALUES, max_size=4) | VALUES)
    def run(value: Any) -> None:
        content = json.dumps(value).encode()
        for names in (FILES, FILES[3:], FILES[4:]):
            check(InMemory(form, content, names))

    run()


@each_case("form", [SourceForm.FILE, SourceForm.FOLDER])
def test_any_bytes_are_read(form: SourceForm) -> None:
    @steady
    @given(st.binary(max_size=300))
    def run(content: bytes) -> None:
        check(InMemory(form, content, FILES))

    run()


@steady
@given(st.lists(st.none() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=5), min_size=1))
def test_any_rows_are_read(rows: list[Any]) -> None:
    check(InMemory(SourceForm.DATABASE, b"", ("x.db",), rows))


@steady
@given(st.text(alphabet="-*#` >\n\t1.[]():abc<!\r", max_size=200))
def test_any_markdown_is_split(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in statements(split_note(text)):
        assert one.text.strip()
        assert 1 <= one.line <= len(lines)
