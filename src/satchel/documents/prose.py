"""Prose: Markdown by its headings and blocks, plain text by its paragraphs."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from satchel.documents.sections import Section

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_HEADING_CHARS = 200
MAX_FRONT_MATTER_LINES = 200
_FENCES = ("---", "+++")


def markdown(lines: Sequence[str]) -> Iterator[Section]:
    """Return the blocks of a Markdown text, each under the headings that lead to it."""
    start = _front_matter(lines)
    if start:
        yield Section(0, start, alone=True)
    # Empty lines in place of the front matter: a parser would take its end for a heading.
    blocks = _blocks("\n".join([*[""] * start, *lines[start:]]))
    if not blocks:
        yield Section(start, len(lines))
        return
    # What stands before the first block, such as the definitions of links, is none itself.
    if blocks[0][0] > start:
        yield Section(start, blocks[0][0])
    heading: tuple[tuple[int, str], ...] = ()
    bare: int | None = None
    for (first, level, title), end in zip(blocks, [*(block[0] for block in blocks[1:]), len(lines)], strict=True):
        if level:
            heading = (*(one for one in heading if one[0] < level), (level, title))
            # A heading goes with what follows, be it another heading: alone it says nothing.
            bare = first if bare is None else bare
            if end < len(lines):
                continue
        path = tuple(text for _, text in heading)
        yield Section(first if bare is None else bare, end, path)
        bare = None


def plain(lines: Sequence[str]) -> Iterator[Section]:
    """Return the paragraphs of a text."""
    first = 0
    for place, line in enumerate(lines):
        if not line.strip():
            if place > first:
                yield Section(first, place + 1)
            first = place + 1
    if first < len(lines):
        yield Section(first, len(lines))


_Block = tuple[int, int, str]


def _blocks(text: str) -> list[_Block]:
    """Return where each outermost block begins, with its level and title if it is a heading."""
    found: list[_Block] = []
    tokens = _parser().parse(text)
    for place, token in enumerate(tokens):
        if token.level == 0 and token.map and token.nesting >= 0:
            level = int(token.tag[1]) if token.type == "heading_open" else 0
            # Right after its beginning comes what a heading says.
            title = " ".join(tokens[place + 1].content.split())[:MAX_HEADING_CHARS] if level else ""
            found.append((token.map[0], level, title))
    return found


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    # Blocks are all that is wanted; what stands inside a line could only cost time.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many lines the front matter of a page takes, its marks included."""
    if not lines or lines[0].strip() not in _FENCES:
        return 0
    for place in range(1, min(len(lines), MAX_FRONT_MATTER_LINES)):
        if lines[place].strip() == lines[0].strip():
            return place + 1
    return 0
