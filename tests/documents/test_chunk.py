"""Chunks: every line is kept, with its number and headings."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.documents.chunk import cut_document, split_lines
from satchel.domain.code.kinds import LANGUAGES, grammar_of, kind_of
from satchel.domain.document import Chunk, DocKind
from tests.tables import each_case

_MARKDOWN_LINES = st.sampled_from(
    [
        "# One",
        "## Two",
        "### Three",
        "Title",
        "=====",
        "-----",
        "",
        "  ",
        "text of a line",
        "* item",
        "  * inner",
        "1. a",
        "```",
        "~~~python",
        "    code",
        "> quote",
        "| a | b |",
        "|---|---|",
        "<div>",
        "</div>",
        "[x]: y",
        "a" * 300,
        "雪" * 90,
    ]
)
_CODE_LINES = st.sampled_from(
    [
        "def one():",
        "    return 1",
        "class Two:",
        "    def three(self):",
        "        pass",
        "",
        "# note",
        "@decorated",
        "x = 1",
        "function f() {",
        "}",
        "{",
        "export class A {",
        "fn go() {",
        "func Do() {",
        "public void m() {",
        "int main(void) {",
        "struct s {",
        "};",
        "'''",
        '"""',
        "((((",
        "))))",
        "y = " + "z" * 260,
    ]
)


def _covers(text: str, chunks: tuple[Chunk, ...], max_chars: int) -> None:
    """Check that chunks contain all lines in order with the right numbers."""
    lines = split_lines(text)
    spread: dict[int, str] = {}
    for number, chunk in enumerate(chunks, start=1):
        assert chunk.number == number
        assert 0 < len(chunk.text) <= max_chars
        assert 1 <= chunk.first_line <= chunk.last_line <= len(lines)
        if len(lines[chunk.first_line - 1]) > max_chars:
            assert chunk.first_line == chunk.last_line
            spread[chunk.first_line] = spread.get(chunk.first_line, "") + chunk.text
            continue
        said = chunk.text.split("\n")
        assert said == lines[chunk.first_line - 1 : chunk.last_line]
        assert said[0].strip() and said[-1].strip()
        for place, line in enumerate(said, start=chunk.first_line):
            assert place not in spread
            spread[place] = line
    visible = {place for place, line in enumerate(lines, start=1) if line.strip()}
    assert {place for place, line in spread.items() if line.strip()} == visible
    for place in visible:
        assert spread[place].replace(" ", "") == lines[place - 1].replace(" ", "")
    places = [(chunk.first_line, chunk.last_line) for chunk in chunks]
    assert places == sorted(places)


@settings(max_examples=200, deadline=None)
@given(st.lists(_MARKDOWN_LINES, max_size=60), st.integers(200, 500))
def test_every_line_of_markdown_is_in_a_chunk(lines: list[str], max_chars: int) -> None:
    text = "\n".join(lines)

    _covers(text, cut_document(text, DocKind.MARKDOWN, max_chars), max_chars)


@settings(max_examples=200, deadline=None)
@given(st.lists(_CODE_LINES, max_size=60), st.sampled_from(LANGUAGES), st.integers(200, 500))
def test_every_line_of_code_is_in_a_chunk(lines: list[str], language: str, max_chars: int) -> None:
    text = "\n".join(lines)

    _covers(text, cut_document(text, DocKind.CODE, max_chars, grammar=language), max_chars)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=2_000), st.sampled_from([DocKind.MARKDOWN, DocKind.TEXT]))
def test_any_text_can_be_chunked(text: str, kind: DocKind) -> None:
    _covers(text, cut_document(text, kind, 200), 200)


def test_markdown_is_chunked_by_headings() -> None:
    text = "Before.\n\n# Guide\n\n## Install\n\nRun it.\n\n```sh\n# not a heading\n```\n\n## Use\n\nAsk it.\n"

    found = [(chunk.heading, chunk.first_line, chunk.last_line) for chunk in cut_document(text, DocKind.MARKDOWN, 1400)]

    assert found == [((), 1, 1), (("Guide", "Install"), 3, 11), (("Guide", "Use"), 13, 15)]


def test_front_matter_is_not_a_heading() -> None:
    text = "---\ntitle: x\n---\n\n# Real\n\ntext\n"

    assert [chunk.heading for chunk in cut_document(text, DocKind.MARKDOWN, 1400)] == [(), ("Real",)]


def test_a_heading_closes_deeper_headings() -> None:
    text = "# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\nD\n=\n\nd\n"

    assert [chunk.heading for chunk in cut_document(text, DocKind.MARKDOWN, 1400)] == [
        ("A",),
        ("A", "B"),
        ("A", "C"),
        ("D",),
    ]


PYTHON = '''"""Module."""

import os

# What it does.
@cached
def load(path):
    return os.stat(path)


class Store:
    """Keeps things."""

    size = 3

    def put(self, thing):
        return thing


LIMIT = 3
'''


def test_code_is_chunked_by_definition() -> None:
    found = cut_document(PYTHON, DocKind.CODE, 1400, grammar="python")

    assert [(chunk.heading, chunk.first_line, chunk.last_line) for chunk in found] == [
        ((), 1, 3),
        (("load",), 5, 8),
        (("Store",), 11, 17),
        ((), 20, 20),
    ]


def test_a_large_definition_is_split() -> None:
    methods = "\n".join(f"    def m{number}(self):\n        return '{'x' * 150}'\n" for number in range(3))
    found = cut_document(f"class Big:\n    one = 1\n\n{methods}", DocKind.CODE, 200, grammar="python")

    assert [chunk.heading for chunk in found] == [("Big",), ("Big", "m0"), ("Big", "m1"), ("Big", "m2")]


@each_case(
    ("name", "text", "expected"),
    [
        (
            "a.ts",
            "import x from 'y';\n\n/** doc */\nexport class User {\n  get() { return 1 }\n}\nexport const go = (t) => { t };\nconst z = 3;\n",
            [((), 1, 1), (("User",), 3, 6), (("go",), 7, 7), ((), 8, 8)],
        ),
        ("a.tsx", "export function Page() {\n  return <div/>;\n}\n", [(("Page",), 1, 3)]),
        ("a.js", "function* each() {}\nclass A {}\n", [(("each",), 1, 1), (("A",), 2, 2)]),
        (
            "a.go",
            "package a\n\n// Do it.\nfunc Do() {}\n\nfunc (s *S) Run() {}\n\ntype S struct{}\n",
            [((), 1, 1), (("Do",), 3, 4), (("Run",), 6, 6), (("S",), 8, 8)],
        ),
        (
            "a.rs",
            "use x;\n#[derive(Debug)]\npub struct P;\nimpl P { fn x() {} }\n",
            [((), 1, 1), (("P",), 2, 3), (("P",), 4, 4)],
        ),
        ("A.java", "package a;\n/** Doc */\npublic class A {\n  void m() {}\n}\n", [((), 1, 1), (("A",), 2, 5)]),
        (
            "a.h",
            "#ifndef A\n#define A\n/* doc */\nstatic int *go(int a) { return 0; }\n#endif\n",
            [((), 1, 2), (("go",), 3, 4), ((), 5, 5)],
        ),
    ],
)
def test_every_language_is_chunked_by_definition(name: str, text: str, expected: list[object]) -> None:
    kind = kind_of(name)
    assert kind is DocKind.CODE

    found = cut_document(text, kind, 1400, grammar=grammar_of(name))

    assert [(chunk.heading, chunk.first_line, chunk.last_line) for chunk in found] == expected


@each_case(
    "text",
    ["(" * 100_000, "-" * 100_000 + "1", "a" + ".b" * 50_000, "".join(" " * depth + "if x:\n" for depth in range(300))],
    ids=["brackets", "signs", "attributes", "blocks"],
)
def test_deeply_nested_code_is_chunked(text: str) -> None:
    _covers(text, cut_document(text, DocKind.CODE, 4_000, grammar="python"), 4_000)


@each_case(
    "text",
    [">" * 20_000 + " deep", "\n".join("  " * depth + "* x" for depth in range(500)), "[" * 50_000, "*" * 50_000],
)
def test_deeply_nested_markdown_is_chunked(text: str) -> None:
    _covers(text, cut_document(text, DocKind.MARKDOWN, 4_000), 4_000)


def test_all_line_endings_are_recognized() -> None:
    assert [chunk.first_line for chunk in cut_document("# a\r\n\r\nx\r# b\n", DocKind.MARKDOWN, 1400)] == [1, 4]
