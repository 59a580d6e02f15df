"""Parses questions about entities: the entities they name, and what they ask for."""

import re
from collections.abc import Iterator

from msgspec import Struct

from satchel.domain.graph import EntityType, RelationType
from satchel.domain.words import STOP_WORDS, UNSPACED
from satchel.graph.lookup import Lookup
from satchel.graph.question_patterns import AROUND, ASKED_TYPES, PATTERNS, AnswerKind, QuestionPattern

MAX_QUESTION_CHARS = 2_000
MAX_NAME_WORDS = 6
# A question of at most this many words asks for everything about the entity it names.
MAX_BARE_WORDS = 4

_QUOTED = re.compile(
    r"`([^`\n]{1,300})`|\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|「([^」\n]{1,300})」|《([^》\n]{1,300})》"
)
_TYPE_WORDS: dict[str, tuple[EntityType, ...]] = {
    "function": (EntityType.FUNCTION,),
    "method": (EntityType.FUNCTION,),
    "class": (EntityType.CLASS,),
    "module": (EntityType.MODULE,),
    "file": (EntityType.MODULE, EntityType.DOCUMENT),
    "package": (EntityType.MODULE, EntityType.PACKAGE),
    "variable": (EntityType.VARIABLE,),
    "document": (EntityType.DOCUMENT,),
    "tool": (EntityType.TOOL,),
    "project": (EntityType.PROJECT,),
}
_TYPED_NAME = re.compile(rf"\b(?:the )?(?P<kind>{'|'.join(_TYPE_WORDS)})\s+(?P<name>[\w.]+)", re.IGNORECASE)
_TOKEN = re.compile(rf"[A-Za-z0-9_@$](?:[\w@$./:+#-]*[\w@$#+])?(?:\(\))?|[{UNSPACED}]+|[^\s\w]|\w+")
_UNSPACED_RUN = re.compile(f"^[{UNSPACED}]+$")
# Replaces the text of names that were found already.
_FOUND = "\x1f"
# Words of the question itself, which do not name an entity.
_QUESTION_WORDS = (
    "depend depends depended depending dependency dependencies use uses used using user users import imports "
    "imported call calls called caller callers relate relates related relation relationship relationships connect "
    "connected connection path paths between way trace chain block blocks blocked blocker decide decides decided "
    "decision decisions choose chose chosen evaluate evaluated compare compared consider considered alternative "
    "alternatives option options contain contains contained define defines defined mention mentions mentioned "
    "inherit inherits subclass subclasses base class classes function functions method methods module modules "
    "file files document documents documentation docs tool tools project projects library package packages "
    "replace replaces replaced own owns owner maintain maintains maintainer need needs require requires list show "
    "me tell find all any every directly indirectly other else thing things responsible made make get go lead "
    "leads about there located implemented approved approve people person part parts member members"
)
QUESTION_WORDS = STOP_WORDS | frozenset(_QUESTION_WORDS.split())
# Questions for everything about an entity.
_ABOUT = re.compile(
    r"^\W*(?:(?:what|who)(?: is| are|'s)|tell me|describe|explain|show(?: me)?|about|everything about|what do you know)\b"
    r"|(?:是什么|是什麼|介绍|介紹|关于|關於)",
    re.IGNORECASE,
)
_DIRECTED = re.compile(r"\b(?:call chain|trace|chain)\b.*\b(?:from|to)\b|调用链|調用鏈", re.IGNORECASE)
_CODE_RELATIONS = {RelationType.IMPORTS, RelationType.CALLS, RelationType.INHERITS, RelationType.CONTAINS}


class GraphQuestion(Struct, frozen=True):
    """A parsed question."""

    pattern: QuestionPattern
    named: tuple[tuple[int, ...], ...]
    """For each name in the question, the entities that it may stand for, in the order of the question."""
    types: tuple[EntityType, ...] = ()
    directed: bool = False
    incomplete: bool = False
    """Whether it is about two entities of which only one is known."""
    vague: bool = False
    """Whether no pattern covers what it asks for."""


def parse_question(text: str, lookup: Lookup) -> GraphQuestion:
    """Return the entities that a question names, and what it asks for."""
    question = text[:MAX_QUESTION_CHARS]
    bare = _QUOTED.sub(" it ", question)
    pattern = next((one for one in PATTERNS if one.pattern.search(bare)), AROUND)
    about_code = bool(pattern.relations) and set(pattern.relations) <= _CODE_RELATIONS
    named = _named_entities(question, lookup, code=about_code)
    incomplete = pattern.kind is AnswerKind.PATH and len(named) < 2
    if len(named) >= 2 and pattern is AROUND:
        pattern = next(one for one in PATTERNS if one.kind is AnswerKind.PATH)
    types = next((types for asked, types in ASKED_TYPES if asked.search(bare)), ())
    vague = pattern is AROUND and not _ABOUT.search(bare) and len(bare.split()) > MAX_BARE_WORDS
    return GraphQuestion(pattern, tuple(named), types, bool(_DIRECTED.search(bare)), incomplete, vague)


def _named_entities(text: str, lookup: Lookup, *, code: bool) -> list[tuple[int, ...]]:
    """Return the entities of each name in a question, in order: quoted and typed names, then the longest others."""
    found: dict[int, tuple[int, ...]] = {}
    rest = text

    def take(start: int, end: int, entities: list[int]) -> None:
        nonlocal rest
        found[start] = tuple(entities)
        rest = rest[:start] + _FOUND * (end - start) + rest[end:]

    for pattern in (_QUOTED, _TYPED_NAME):
        for hit in pattern.finditer(rest):
            name = hit.groupdict().get("name") or next(part for part in hit.groups() if part)
            is_name = pattern is _QUOTED or name.casefold() not in QUESTION_WORDS
            if is_name and (
                entities := _of_type(hit, lookup, name) or lookup.find_spoken(name, quoted=True, code=code)
            ):
                take(hit.start(), hit.end(), entities)
    for start, end, entities in _longest_names(rest, lookup, code):
        take(start, end, entities)
    return list(dict.fromkeys(found[start] for start in sorted(found)))


def _of_type(hit: re.Match[str], lookup: Lookup, name: str) -> list[int]:
    """Return the entities of a name with its type, as in "the module x"."""
    types = _TYPE_WORDS.get((hit.groupdict().get("kind") or "").casefold(), ())
    return [one for type in types for one in lookup.find(name, type=type)]


def _longest_names(text: str, lookup: Lookup, code: bool) -> Iterator[tuple[int, int, list[int]]]:
    tokens = [(hit.start(), hit.end()) for hit in _TOKEN.finditer(text) if _FOUND not in hit.group()]
    place = 0
    while place < len(tokens):
        start = tokens[place][0]
        if _UNSPACED_RUN.match(text[start : tokens[place][1]]):
            yield from _unspaced_names(text, *tokens[place], lookup)
            place += 1
            continue
        for count in range(min(MAX_NAME_WORDS, len(tokens) - place), 0, -1):
            end = tokens[place + count - 1][1]
            phrase = text[start:end]
            words = phrase.split()
            # Within a sentence, a capitalized question word is a name.
            spelled = words if start else [word.casefold() for word in words]
            if _FOUND in phrase or all(word in QUESTION_WORDS for word in spelled):
                continue
            # A phrase that starts or ends with a question word is rarely a name.
            full = count > 1 and bool({words[0].casefold(), words[-1].casefold()} & QUESTION_WORDS)
            if entities := lookup.find_spoken(phrase, full=full, code=code):
                yield start, end, entities
                place += count - 1
                break
        place += 1


def _unspaced_names(text: str, start: int, end: int, lookup: Lookup) -> Iterator[tuple[int, int, list[int]]]:
    """Find names in a run of a script without spaces, where word boundaries are unknown."""
    place = start
    while place < end:
        for stop in range(min(end, place + lookup.longest_unspaced), place + 1, -1):
            if entities := lookup.find_spoken(text[place:stop]):
                yield place, stop, entities
                place = stop - 1
                break
        place += 1
