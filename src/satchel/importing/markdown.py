"""Split a Markdown file into statements: one for each list item and paragraph, with its line and the headings above it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from satchel.domain.strict_json import parse_json
from satchel.errors import InvalidRequest

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_FRONT_MATTER_LINES = 200
MAX_TITLE_CHARS = 200
# A nested list deeper than this is read as one statement.
MAX_DEPTH = 20
_FENCE = "---"
_COMMENT = "<!--"


class Statement(Struct, frozen=True):
    """A statement of a Markdown file."""

    text: str
    line: int
    headings: tuple[str, ...] = ()
    """The headings and list items above it, outermost first."""


class Note(Struct, frozen=True):
    """A Markdown file: its front matter, its body, and the number of lines before the body."""

    fields: Mapping[str, Any]
    body: str
    skipped_lines: int


def split_note(text: str) -> Note:
    """Split the front matter from a Markdown text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].strip() == _FENCE:
        for end in range(1, min(len(lines), MAX_FRONT_MATTER_LINES)):
            if lines[end].strip() == _FENCE:
                return Note(_fields(lines[1:end]), "\n".join(lines[end + 1 :]), end + 1)
    return Note({}, "\n".join(lines), 0)


def _fields(lines: Sequence[str]) -> dict[str, Any]:
    """Return the plain entries of front matter: texts, and lists in brackets or one entry to a line."""
    found: dict[str, Any] = {}
    name = ""
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("- ") and name and not isinstance(found.get(name), str):
            found[name] = [*(found.get(name) or []), _plain(stripped[2:])]
        elif ":" in line and not line.startswith((" ", "\t", "#")):
            name, _, value = line.partition(":")
            name = name.strip().casefold()
            found[name] = _value(value.strip())
    return {key: value for key, value in found.items() if value is not None}


def _value(text: str) -> Any:
    if not text:
        return None
    if text.startswith(('"', "[")) and (quoted := _quoted(text)) is not None:
        return quoted
    if text.startswith("[") and text.endswith("]"):
        return [one for part in text[1:-1].split(",") if (one := _plain(part))]
    return _plain(text)


def _quoted(text: str) -> str | list[str] | None:
    """Return a text or a list of texts in quotes, as JSON and YAML write them; None if it is anything else."""
    try:
        found = parse_json(text.encode(), "the front matter")
    except InvalidRequest:
        return None
    if isinstance(found, str):
        return found.strip() or None
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return [str(one) for one in found]
    return None


def _plain(text: str) -> str:
    return text.strip().strip("\"'").strip()


def statements(note: Note) -> Iterator[Statement]:
    """Yield the statements of a note, in order."""
    headings: list[tuple[int, str]] = []
    above: list[str] = []
    pending: Statement | None = None
    for token, depth in _blocks(_parser().parse(note.body)):
        if token.type == "inline" and token.tag.startswith("h"):
            level = int(token.tag[1])
            headings = [one for one in headings if one[0] < level] + [(level, _title(token.content))]
            above = []
            continue
        text = _text(token)
        if not text:
            continue
        line = (token.map or (0, 0))[0] + 1 + note.skipped_lines
        if pending and token.type != "inline" and pending.text.rstrip().endswith((":", "：")):
            # A command or table that a sentence introduces belongs to it.
            pending = Statement(f"{pending.text}\n{text}", pending.line, pending.headings)
            continue
        if pending:
            yield pending
        above = above[: max(0, depth - 1)]
        pending = Statement(text, line, (*(title for _, title in headings), *above))
        if depth:
            above.append(_title(text))
    if pending:
        yield pending


def _blocks(tokens: "Sequence[Token]") -> "Iterator[tuple[Token, int]]":
    """Yield the tokens that hold text: headings, paragraphs and code, and in how many lists each is."""
    depth, heading = 0, ""
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "heading_open":
            heading = token.tag
        elif token.type == "inline":
            token.tag, heading = heading, ""
            yield token, depth
        elif token.type in ("fence", "code_block", "html_block"):
            yield token, depth


def _text(token: "Token") -> str:
    if token.type == "inline":
        return "\n".join(line.strip() for line in token.content.split("\n")).strip()
    if token.type == "fence":
        return f"```{token.info.strip()}\n{token.content.rstrip()}\n```" if token.content.strip() else ""
    if token.type == "html_block" and token.content.lstrip().startswith(_COMMENT):
        return ""
    return token.content.strip()


def _title(text: str) -> str:
    return " ".join(text.split())[:MAX_TITLE_CHARS]


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH})
    # Only blocks are needed; parsing inline markup would cost time.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
