"""Reads Markdown documents: title, links, names in backticks, decision records and sentences."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator

from satchel.domain.graph import EntityRef, EntityType, Extract, RelationType
from satchel.graph.readers.builder import ExtractBuilder
from satchel.graph.readers.noun_phrases import MAX_NAME_CHARS, clean_name, entity_ref, person_ref
from satchel.graph.readers.prose import proper_names, read_prose

# Quantifiers are bounded so that hostile text is matched in linear time.
_FENCE = re.compile(r"[ \t]{0,20}(`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]{1,20}(\S[^\n]*)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]{0,200}\]\(([^)\s#]{1,500})(?:#[^)\s]*)?\)")
_LINK_TEXT = re.compile(r"\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)")
_BACKTICKS = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_RECORD_NUMBER = re.compile(r"^(?:ADR[\s-]*)?\d{1,5}\s*[.:：–-]?\s+|^ADR[\s:-]+", re.IGNORECASE)
_DECIDERS = re.compile(
    r"^[ \t]{0,20}(?:[-*][ \t]{1,20})?\*{0,2}(?:deciders?|decided by|decision makers?|决定者|決定者|决策者|決策者)\*{0,2}"
    r"[ \t]{0,20}[:：]([^\n]+)$",
    re.IGNORECASE | re.MULTILINE,
)
_OPTIONS = re.compile(
    r"^#{2,4}[ \t]{1,20}(?:considered options|options considered|options|alternatives[^\n]*|备选方案|候选方案)[ \t]*\n"
    r"((?:[^#\n][^\n]*\n|\n)*)",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]{0,20}(?:[-*+]|\d{1,9}[.)])[ \t]{1,20}(?P<item>\S[^\n]{0,200})$", re.MULTILINE)
_RECORD_PATH = re.compile(r"(?:^|/)(?:decisions?|adrs?)/(?!readme)[^/]+$", re.IGNORECASE)
_TABLE_ROW = re.compile(r"^[ \t]{0,20}\|[^\n]*\|[ \t]*$", re.MULTILINE)


def read_markdown(text: str, path: str, space: str) -> Extract:
    """Extract the entities and relations of a document."""
    found = ExtractBuilder()
    this = found.mention(EntityRef(EntityType.DOCUMENT, path, space), "markdown.document", 1, defining=True)
    plain = _without_code(_blank_out(text, _FRONT_MATTER))
    at = _LineNumbers(plain)
    title = ""
    if heading := _HEADING.search(plain):
        title = _strip_markup(heading[1])
        alias = EntityRef(EntityType.TERM, title, space)
        found.relate(alias, RelationType.ALIAS_OF, this, "markdown.title", at.line(heading.start()))
    _read_links(found, this, plain, at, path, space)
    decision = _read_decision_record(found, this, plain, at, path, title)
    for name, line in _backticked_names(plain, at):
        mention = EntityRef(EntityType.MENTION, name, space)
        found.relate(decision or this, RelationType.MENTIONS, mention, "markdown.mention", line)
    prose = _LINK_TEXT.sub(r"\1", _blank_out(_blank_out(plain, _HEADING), _TABLE_ROW))
    stated = read_prose(prose, names_only=True)
    found.merge(stated)
    for relation in stated.relations:
        for ref in (relation.tail, relation.head):
            found.relate(this, RelationType.MENTIONS, ref, "markdown.sentence", relation.line)
    return found.build()


def _read_decision_record(
    found: ExtractBuilder, this: EntityRef, text: str, at: "_LineNumbers", path: str, title: str
) -> EntityRef | None:
    """Add the decision of a decision record (ADR); return None if the document is not one."""
    name = _RECORD_NUMBER.sub("", title)
    if not name or not (_RECORD_PATH.search(path) or re.match(r"ADR[\s-]*\d", title, re.IGNORECASE)):
        return None
    decision = found.mention(EntityRef(EntityType.DECISION, name), "markdown.decision", 1, defining=True)
    found.relate(this, RelationType.CONTAINS, decision, "markdown.decision", 1)
    for hit in _DECIDERS.finditer(text):
        for part in re.split(r"[,，、;；]|\s+and\s+", hit[1]):
            if someone := person_ref(part.strip(" *_.")):
                found.relate(someone, RelationType.DECIDES, decision, "markdown.deciders", at.line(hit.start()))
    for options in _OPTIONS.finditer(text):
        for item in _ITEM.finditer(options[1]):
            option = clean_name(re.split(r"[:：(（—–]| - ", _strip_markup(item["item"]))[0])
            if option:
                line = at.line(options.start(1) + item.start("item"))
                found.relate(decision, RelationType.EVALUATES, entity_ref(option), "markdown.options", line)
    for named in proper_names(name):
        found.relate(decision, RelationType.MENTIONS, entity_ref(named), "markdown.decision", 1)
    return decision


def _read_links(found: ExtractBuilder, this: EntityRef, text: str, at: "_LineNumbers", path: str, space: str) -> None:
    for hit in _LINK.finditer(text):
        if "://" in hit[1] or hit[1].startswith(("mailto:", "/")):
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), hit[1]))
        if not target.startswith(".."):
            head = EntityRef(EntityType.MENTION, target, space)
            found.relate(this, RelationType.RELATES_TO, head, "markdown.link", at.line(hit.start()))


def _backticked_names(text: str, at: "_LineNumbers") -> Iterator[tuple[str, int]]:
    for hit in _BACKTICKS.finditer(text):
        name = hit[1].strip()
        # Skip commands and expressions.
        if name and len(name) <= MAX_NAME_CHARS and not re.search(r"\s|[=<>{}$|]", name):
            yield name.removesuffix("()"), at.line(hit.start())


def _blank_out(text: str, pattern: re.Pattern[str]) -> str:
    """Remove all matches but keep their line breaks."""
    return pattern.sub(lambda hit: "\n" * hit.group().count("\n"), text)


def _strip_markup(text: str) -> str:
    return _LINK_TEXT.sub(r"\1", text).replace("`", "").strip(" *_#\t")


def _without_code(text: str) -> str:
    """Blank the lines of fenced code blocks."""
    kept, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            closing = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closing else fence
            kept.append("")
        elif mark is not None:
            fence = mark[1]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)


class _LineNumbers:
    """Maps offsets in a text to line numbers."""

    def __init__(self, text: str) -> None:
        self._ends = [hit.start() for hit in re.finditer("\n", text)]

    def line(self, offset: int) -> int:
        """Return the line of an offset, counted from one."""
        return bisect_left(self._ends, offset) + 1
