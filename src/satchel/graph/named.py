"""What a question names: the entities that are set apart in it, and the longest names among its words."""

import re
from collections.abc import Iterator

from satchel.domain.graph import EntityType
from satchel.domain.words import STOP_WORDS, UNSPACED
from satchel.graph.lookup import Lookup

MAX_WORDS = 6

QUOTED = re.compile(
    r"`([^`\n]{1,300})`|\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|「([^」\n]{1,300})」|《([^》\n]{1,300})》"
)
_KINDS: dict[str, tuple[EntityType, ...]] = {
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
_KIND_WORD = re.compile(rf"\b(?:the )?(?P<kind>{'|'.join(_KINDS)})\s+(?P<name>[\w.]+)", re.IGNORECASE)
_TOKEN = re.compile(rf"[A-Za-z0-9_@$](?:[\w@$./:+#-]*[\w@$#+])?(?:\(\))?|[{UNSPACED}]+|[^\s\w]|\w+")
_UNSPACED_RUN = re.compile(f"^[{UNSPACED}]+$")
# Words that questions are put with, which name nothing.
ASKING = STOP_WORDS | frozenset(
    [
        "depend", "depends", "depended", "depending", "dependency", "dependencies", "use", "uses", "used", "using",
        "user", "users", "import", "imports", "imported", "call", "calls", "called", "caller", "callers", "relate",
        "relates", "related", "relation", "relationship", "relationships", "connect", "connected", "connection",
        "path", "paths", "between", "way", "trace", "chain", "block", "blocks", "blocked", "blocker", "decide",
        "decides", "decided", "decision", "decisions", "choose", "chose", "chosen", "evaluate", "evaluated",
        "compare", "compared", "consider", "considered", "alternative", "alternatives", "option", "options",
        "contain", "contains", "contained", "define", "defines", "defined", "mention", "mentions", "mentioned",
        "inherit", "inherits", "subclass", "subclasses", "base", "class", "classes", "function", "functions",
        "method", "methods", "module", "modules", "file", "files", "document", "documents", "documentation", "docs",
        "tool", "tools", "project", "projects", "library", "package", "packages", "replace", "replaces", "replaced",
        "own", "owns", "owner", "maintain", "maintains", "maintainer", "need", "needs", "require", "requires", "list",
        "show", "me", "tell", "find", "all", "any", "every", "directly", "indirectly", "other", "else", "thing",
        "things", "responsible", "made", "make", "get", "go", "lead", "leads", "about", "there", "located",
        "implemented", "approved", "approve", "people", "person", "part", "parts", "member", "members",
    ]
)  # fmt: skip


def named(text: str, lookup: Lookup, *, code: bool) -> list[tuple[int, ...]]:
    """Return what a question names, in order: what it sets apart first, then the longest names among its words."""
    found: dict[int, tuple[int, ...]] = {}
    rest = text
    for pattern in (QUOTED, _KIND_WORD):
        for hit in pattern.finditer(rest):
            name = hit.groupdict().get("name") or next(part for part in hit.groups() if part)
            sure = pattern is QUOTED or name.casefold() not in ASKING
            if sure and (meant := _of_kind(hit, lookup, name) or lookup.spoken(name, sure=True, code=code)):
                found[hit.start()] = tuple(meant)
                rest = rest[: hit.start()] + "\x1f" * (hit.end() - hit.start()) + rest[hit.end() :]
    for start, end, meant in _longest(rest, lookup, code):
        found[start] = tuple(meant)
        rest = rest[:start] + "\x1f" * (end - start) + rest[end:]
    distinct: list[tuple[int, ...]] = []
    for start in sorted(found):
        if found[start] not in distinct:
            distinct.append(found[start])
    return distinct


def _of_kind(hit: re.Match[str], lookup: Lookup, name: str) -> list[int]:
    """Return what a question names together with its kind: the module so-and-so."""
    kinds = _KINDS.get((hit.groupdict().get("kind") or "").casefold(), ())
    return [one for kind in kinds for one in lookup.meant(name, type=kind)]


def _longest(text: str, lookup: Lookup, code: bool) -> Iterator[tuple[int, int, list[int]]]:
    tokens = [(hit.start(), hit.end()) for hit in _TOKEN.finditer(text) if "\x1f" not in hit.group()]
    place = 0
    while place < len(tokens):
        start = tokens[place][0]
        if _UNSPACED_RUN.match(text[start : tokens[place][1]]):
            yield from _unspaced(text, *tokens[place], lookup)
            place += 1
            continue
        for count in range(min(MAX_WORDS, len(tokens) - place), 0, -1):
            end = tokens[place + count - 1][1]
            words = text[start:end]
            # A capital inside a sentence makes a name of what would be a word of the question.
            said = [word if start else word.casefold() for word in words.split()]
            if "\x1f" in words or all(word in ASKING for word in said):
                continue
            # Between two words of the question itself there is seldom a name.
            ends = words.split()
            whole = count > 1 and bool({ends[0].casefold(), ends[-1].casefold()} & ASKING)
            if meant := lookup.spoken(words, whole=whole, code=code):
                yield start, end, meant
                place += count - 1
                break
        place += 1


def _unspaced(text: str, start: int, end: int, lookup: Lookup) -> Iterator[tuple[int, int, list[int]]]:
    """Find names in a run of a script without spaces, where nothing shows where a name ends."""
    place = start
    while place < end:
        for stop in range(min(end, place + lookup.unspaced), place + 1, -1):
            if meant := lookup.spoken(text[place:stop]):
                yield place, stop, meant
                place = stop - 1
                break
        place += 1
