"""Markdown documents: their titles, what they mention and link to, the decisions they record, and what they say."""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator

from satchel.domain.graph import EntityType, Extract, Ref, Relation
from satchel.graph import nouns, prose
from satchel.graph.gathering import Gathering

# Each of these looks at every character a bounded number of times, whatever the text: it may be anybody's.
_FENCE = re.compile(r"[ \t]{0,20}(`{3,}|~{3,})")
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]{1,20}(\S[^\n]*)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]{0,200}\]\(([^)\s#]{1,500})(?:#[^)\s]*)?\)")
_LINKED = re.compile(r"\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)")
_TICKS = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_NUMBER = re.compile(r"^(?:ADR[\s-]*)?\d{1,5}\s*[.:：–-]?\s+|^ADR[\s:-]+", re.IGNORECASE)
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
_RECORDS = re.compile(r"(?:^|/)(?:decisions?|adrs?)/(?!readme)[^/]+$", re.IGNORECASE)
_TABLE_ROW = re.compile(r"^[ \t]{0,20}\|[^\n]*\|[ \t]*$", re.MULTILINE)


def read_markdown(text: str, path: str, space: str) -> Extract:
    """Return what a document says."""
    found = Gathering()
    this = found.sight(Ref(EntityType.DOCUMENT, path, space), "markdown.document", 1, defining=True)
    plain = _without_code(_blanked(text, _FRONT))
    at = _Lines(plain)
    title = ""
    if heading := _HEADING.search(plain):
        title, called = _plain(heading[1]), Ref(EntityType.TERM, _plain(heading[1]), space)
        found.claim(called, Relation.ALIAS_OF, this, "markdown.title", at.line(heading.start()))
    _links(found, this, plain, at, path, space)
    decision = _decision(found, this, plain, at, path, title)
    for name, line in _mentions(plain, at):
        found.claim(decision or this, Relation.MENTIONS, Ref(EntityType.MENTION, name, space), "markdown.mention", line)
    said = prose.read_prose(_LINKED.sub(r"\1", _blanked(_blanked(plain, _HEADING), _TABLE_ROW)), names=True)
    found.take(said)
    for claim in said.claims:
        for ref in (claim.tail, claim.head):
            found.claim(this, Relation.MENTIONS, ref, "markdown.sentence", claim.line)
    return found.extract()


def _decision(found: Gathering, this: Ref, text: str, at: "_Lines", path: str, title: str) -> Ref | None:
    """Note the decision that a record is about; None where the document is no record."""
    name = _NUMBER.sub("", title)
    if not name or not (_RECORDS.search(path) or re.match(r"ADR[\s-]*\d", title, re.IGNORECASE)):
        return None
    decision = found.sight(Ref(EntityType.DECISION, name), "markdown.decision", 1, defining=True)
    found.claim(this, Relation.CONTAINS, decision, "markdown.decision", 1)
    for hit in _DECIDERS.finditer(text):
        for part in re.split(r"[,，、;；]|\s+and\s+", hit[1]):
            if someone := nouns.person(part.strip(" *_.")):
                found.claim(someone, Relation.DECIDES, decision, "markdown.deciders", at.line(hit.start()))
    for options in _OPTIONS.finditer(text):
        for item in _ITEM.finditer(options[1]):
            name = nouns.noun(re.split(r"[:：(（—–]| - ", _plain(item["item"]))[0])
            if name:
                line = at.line(options.start(1) + item.start("item"))
                found.claim(decision, Relation.EVALUATES, nouns.thing(name), "markdown.options", line)
    for named in prose.named(name):
        found.claim(decision, Relation.MENTIONS, nouns.thing(named), "markdown.decision", 1)
    return decision


def _links(found: Gathering, this: Ref, text: str, at: "_Lines", path: str, space: str) -> None:
    for hit in _LINK.finditer(text):
        if "://" in hit[1] or hit[1].startswith(("mailto:", "/")):
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), hit[1]))
        if not target.startswith(".."):
            head = Ref(EntityType.MENTION, target, space)
            found.claim(this, Relation.RELATES_TO, head, "markdown.link", at.line(hit.start()))


def _mentions(text: str, at: "_Lines") -> Iterator[tuple[str, int]]:
    for hit in _TICKS.finditer(text):
        name = hit[1].strip()
        # A command or an expression is no name.
        if name and len(name) <= nouns.MAX_NAME_CHARS and not re.search(r"\s|[=<>{}$|]", name):
            yield name.removesuffix("()"), at.line(hit.start())


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    """Leave out what a pattern finds, and keep the number of lines."""
    return pattern.sub(lambda hit: "\n" * hit.group().count("\n"), text)


def _plain(text: str) -> str:
    return _LINKED.sub(r"\1", text).replace("`", "").strip(" *_#\t")


def _without_code(text: str) -> str:
    """Leave out what stands between fences, and keep the number of lines."""
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


class _Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._ends = [hit.start() for hit in re.finditer("\n", text)]

    def line(self, place: int) -> int:
        """Return the number of the line that a place is on, counted from one."""
        return bisect_left(self._ends, place) + 1
