"""Cut a document into chunks: Markdown by headings, code by definitions, other text by paragraphs.

A chunk never begins or ends with an empty line. Every other line is in exactly one chunk, unless it is too long for one
and is spread over several.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from satchel.domain.code.definitions import definitions
from satchel.domain.code.sections import TextSection, length
from satchel.domain.document import Chunk, DocKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MIN_CHARS, MAX_CHARS = 200, 4_000
MAX_HEADING_CHARS = 200
MAX_FRONT_MATTER_LINES = 200
_FENCES = ("---", "+++")
_Piece = tuple[str, int, int, tuple[str, ...]]
_Block = tuple[int, int, str]


def cut_document(text: str, kind: DocKind, max_chars: int, *, grammar: str | None = None) -> tuple[Chunk, ...]:
    """Return the chunks of a document."""
    lines = split_lines(text)
    if kind is DocKind.MARKDOWN:
        sections = _markdown(lines)
    elif kind is DocKind.CODE and grammar is not None:
        sections = definitions(lines, grammar, max_chars)
    else:
        sections = _paragraphs(lines)
    pieces = (piece for section in _joined(lines, sections, max_chars) for piece in _pieces(lines, section, max_chars))
    return tuple(Chunk(number, *piece) for number, piece in enumerate(pieces, start=1))


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with any line ending."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _markdown(lines: Sequence[str]) -> Iterator[TextSection]:
    """Yield the blocks of a Markdown text with their headings."""
    start = _front_matter(lines)
    if start:
        yield TextSection(0, start, alone=True)
    # The front matter becomes empty lines: the parser would take its end for a heading.
    blocks = _blocks("\n".join([*[""] * start, *lines[start:]]))
    if not blocks:
        yield TextSection(start, len(lines))
        return
    # Lines before the first block, such as link definitions, are not blocks.
    if blocks[0][0] > start:
        yield TextSection(start, blocks[0][0])
    heading: tuple[tuple[int, str], ...] = ()
    bare: int | None = None
    for (first, level, title), end in zip(blocks, [*(block[0] for block in blocks[1:]), len(lines)], strict=True):
        if level:
            heading = (*(one for one in heading if one[0] < level), (level, title))
            # A heading is joined with what follows, even another heading.
            bare = first if bare is None else bare
            if end < len(lines):
                continue
        path = tuple(text for _, text in heading)
        yield TextSection(first if bare is None else bare, end, path)
        bare = None


def _paragraphs(lines: Sequence[str]) -> Iterator[TextSection]:
    """Yield the paragraphs of a text."""
    first = 0
    for place, line in enumerate(lines):
        if not line.strip():
            if place > first:
                yield TextSection(first, place + 1)
            first = place + 1
    if first < len(lines):
        yield TextSection(first, len(lines))


def _blocks(text: str) -> list[_Block]:
    """Return the first line of each top-level block, with level and title of headings."""
    found: list[_Block] = []
    tokens = _parser().parse(text)
    for place, token in enumerate(tokens):
        if token.level == 0 and token.map and token.nesting >= 0:
            level = int(token.tag[1]) if token.type == "heading_open" else 0
            # The token after a heading holds its text.
            title = " ".join(tokens[place + 1].content.split())[:MAX_HEADING_CHARS] if level else ""
            found.append((token.map[0], level, title))
    return found


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    # Only blocks are needed; parsing inline markup would cost time.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _front_matter(lines: Sequence[str]) -> int:
    """Return the number of front matter lines, including its fences."""
    if not lines or lines[0].strip() not in _FENCES:
        return 0
    for place in range(1, min(len(lines), MAX_FRONT_MATTER_LINES)):
        if lines[place].strip() == lines[0].strip():
            return place + 1
    return 0


def _joined(lines: Sequence[str], sections: Iterable[TextSection], max_chars: int) -> Iterator[TextSection]:
    waiting: TextSection | None = None
    size = 0
    for section in sections:
        more = length(lines, section.first, section.end) + 1
        if waiting and _can_join(waiting, section) and size + more <= max_chars:
            waiting, size = TextSection(waiting.first, section.end, waiting.heading), size + more
            continue
        if waiting:
            yield waiting
        waiting, size = section, more - 1
    if waiting:
        yield waiting


def _can_join(one: TextSection, other: TextSection) -> bool:
    return not one.alone and not other.alone and one.heading == other.heading


def _pieces(lines: Sequence[str], section: TextSection, max_chars: int) -> Iterator[_Piece]:
    first = _skip_empty(lines, section.first, section.end)
    while first < section.end:
        if len(lines[first]) > max_chars:
            yield from _split_line(lines[first], first, section.heading, max_chars)
            end = first + 1
        else:
            end = _chunk_end(lines, first, section.end, max_chars)
            last = end - 1
            while not lines[last].strip():
                last -= 1
            yield "\n".join(lines[first : last + 1]), first + 1, last + 1, section.heading
        first = _skip_empty(lines, end, section.end)


def _split_line(line: str, place: int, heading: tuple[str, ...], max_chars: int) -> Iterator[_Piece]:
    for start in range(0, len(line), max_chars):
        if (part := line[start : start + max_chars]).strip():
            yield part, place + 1, place + 1, heading


def _skip_empty(lines: Sequence[str], first: int, end: int) -> int:
    while first < end and not lines[first].strip():
        first += 1
    return first


def _chunk_end(lines: Sequence[str], first: int, end: int, max_chars: int) -> int:
    """Return the end of a chunk: the section's end if it fits, else the best line to break at."""
    size, stop = -1, first
    while stop < end and (size := size + len(lines[stop]) + 1) <= max_chars:
        stop += 1
    return stop if stop == end else _best_break(lines, first, stop)


def _best_break(lines: Sequence[str], first: int, stop: int) -> int:
    """Return the line of the second half to break before: after an empty one, else the least indented."""
    half = first + max(1, (stop - first) // 2)
    empty = [place for place in range(half, stop) if not lines[place].strip()]
    if empty:
        return empty[-1] + 1
    return min(range(half, stop + 1), key=lambda place: (_indent(lines[place]), -place))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
