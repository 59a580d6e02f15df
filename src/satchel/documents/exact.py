"""Find the identifiers and paths that a query spells out; chunks with them rank first."""

import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.documents.identifiers import is_compound, names, parts, whole
from satchel.domain.document import ChunkLocation
from satchel.domain.words import MAX_TERMS, question_terms

MAX_ASKED = 8
MAX_PATTERN_CHARS = 200

# Score gains of a chunk that defines a name, mentions it, or has a path.
DEFINES, NAMES, HAS_PATH = 2.0, 1.0, 3.0

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*)*(?:\(\))?")
_FOLDERS = frozenset(
    {"src", "lib", "libs", "app", "apps", "test", "tests", "doc", "docs", "pkg", "packages", "script", "scripts"}
    | {"cmd", "internal", "bin", "config", "examples"}
)
# Product names that look like files.
_PRODUCTS = frozenset(
    {"node.js", "vue.js", "next.js", "nuxt.js", "express.js", "react.js", "d3.js", "three.js", "asp.net", "socket.io"}
)
_SPACES = re.compile(r"\s+")
_FILE = re.compile(
    r"(?i)[\w.*?\[\]-]*\.(?:pyi?|[jt]sx?|mjs|go|rs|java|[ch]|cc|cpp|hpp|cs|kt|rb|php|swift|scala|sh|mdx?|rst|txt|"
    r"json|ya?ml|toml|ini|cfg|html|s?css|sql|proto|xml|lua|exs?|vue)"
)


class ExactTerms(Struct, frozen=True):
    """Names, split where dotted, and path patterns that a query spells out."""

    names: tuple[tuple[str, ...], ...] = ()
    paths: tuple[str, ...] = ()


def exact_terms(query: str) -> ExactTerms:
    """Return the names and paths that a query spells out."""
    words = _SPACES.split(query.strip())
    paths = list(dict.fromkeys(path for word in words if (path := _path(word))))[:MAX_ASKED]
    rest = " ".join(word for word in words if not _path(word))
    found = [found.group() for found in _WORD.finditer(rest)]
    # A single word may be an identifier, however plain it looks.
    alone = len(found) == 1 and found[0] == rest
    spelled = [tuple(re.split(r"\.|::", word.removesuffix("()"))) for word in found if alone or _is_name(word)]
    return ExactTerms(tuple(dict.fromkeys(spelled))[:MAX_ASKED], tuple(paths))


def terms_of(query: str) -> tuple[str, ...]:
    """Return the search terms of a query, with its names in every spelling."""
    spelled = [term for name in names(query) for term in (whole(name), *parts(name))]
    return tuple(dict.fromkeys([*question_terms(query), *spelled]))[:MAX_TERMS]


def exact_match(asked: ExactTerms, place: ChunkLocation, text: str) -> tuple[float, str]:
    """Return what a chunk gains by an exact match, and its type: defines, names, path, or empty."""
    if asked.paths and any(_bears(f"{place.collection}/{place.path}", pattern) for pattern in asked.paths):
        return HAS_PATH, "path"
    if not asked.names:
        return 0.0, ""
    defined = sum(_defines(place.heading, name) for name in asked.names)
    if defined:
        return DEFINES + defined / len(asked.names), "defines"
    named = sum(_mentions(text, name) for name in asked.names if _is_telling(name))
    return (NAMES * named / len(asked.names), "names") if named else (0.0, "")


def glob_of(pattern: str) -> str:
    """Return a path pattern as an SQLite GLOB, for the end of a path that begins with the name of its collection."""
    cleaned = pattern.removeprefix("./").removeprefix("~/").lstrip("/").replace("**/", "*").replace("**", "*")
    return f"{cleaned}*" if cleaned.endswith("/") else cleaned


def _bears(path: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    glob = glob_of(pattern)
    return fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}")


def _path(word: str) -> str:
    """Return a word as a path pattern, or an empty text."""
    plain = word.strip("`'\"(),;:?!").rstrip(".")
    if not 2 < len(plain) <= MAX_PATTERN_CHARS or "://" in plain or plain.lower() in _PRODUCTS:
        return ""
    steps = [step for step in plain.split("/") if step]
    if _FILE.fullmatch(steps[-1] if steps else ""):
        return plain
    if "/" not in plain or not all(re.fullmatch(r"[\w.*?\[\]~@+-]+", step) for step in steps):
        return ""
    rooted = plain.startswith(("/", "./", "../", "~/")) or plain.endswith("/")
    is_date = all(step.isdigit() for step in steps)
    return plain if not is_date and (rooted or len(steps) > 2 or steps[0] in _FOLDERS or "*" in plain) else ""


def _is_name(word: str) -> bool:
    return word.endswith("()") or "::" in word or any(map(is_compound, re.split(r"\.|::", word)))


def _is_telling(name: Sequence[str]) -> bool:
    return len(name) > 1 or is_compound(name[0])


def _defines(heading: Sequence[str], name: Sequence[str]) -> bool:
    return tuple(heading[-len(name) :]) == tuple(name)


def _mentions(text: str, name: Sequence[str]) -> bool:
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(name[-1])}(?![A-Za-z0-9_])", text) is not None
