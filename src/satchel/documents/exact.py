"""Exact: the names and paths that a question spells out. What bears them stands first, whatever else was found."""

import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.documents.identifiers import is_compound, names, parts, whole
from satchel.domain.document import Place
from satchel.domain.words import MAX_TERMS, question_terms

MAX_ASKED = 8
MAX_PATTERN_CHARS = 200

# What a definition that is asked for by name gains, and what merely mentions it; a path likewise.
DEFINES, NAMES, BEARS_PATH = 2.0, 1.0, 3.0

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*)*(?:\(\))?")
_FOLDERS = frozenset(
    {"src", "lib", "libs", "app", "apps", "test", "tests", "doc", "docs", "pkg", "packages", "script", "scripts"}
    | {"cmd", "internal", "bin", "config", "examples"}
)
# Written like files, and the names of products.
_PRODUCTS = frozenset(
    {"node.js", "vue.js", "next.js", "nuxt.js", "express.js", "react.js", "d3.js", "three.js", "asp.net", "socket.io"}
)
_SPACES = re.compile(r"\s+")
_FILE = re.compile(
    r"(?i)[\w.*?\[\]-]*\.(?:pyi?|[jt]sx?|mjs|go|rs|java|[ch]|cc|cpp|hpp|cs|kt|rb|php|swift|scala|sh|mdx?|rst|txt|"
    r"json|ya?ml|toml|ini|cfg|html|s?css|sql|proto|xml|lua|exs?|vue)"
)


class Asked(Struct, frozen=True):
    """What a question spells out: names, each with its parts where it is dotted, and patterns of paths."""

    names: tuple[tuple[str, ...], ...] = ()
    paths: tuple[str, ...] = ()


def asked_for(query: str) -> Asked:
    """Return the names and paths that a question spells out."""
    words = _SPACES.split(query.strip())
    paths = list(dict.fromkeys(path for word in words if (path := _path(word))))[:MAX_ASKED]
    rest = " ".join(word for word in words if not _path(word))
    found = [found.group() for found in _WORD.finditer(rest)]
    # A word alone may be the name of something, however plain it looks.
    alone = len(found) == 1 and found[0] == rest
    spelled = [tuple(re.split(r"\.|::", word.removesuffix("()"))) for word in found if alone or _is_name(word)]
    return Asked(tuple(dict.fromkeys(spelled))[:MAX_ASKED], tuple(paths))


def terms_of(query: str) -> tuple[str, ...]:
    """Return the words that documents are searched for: those of the question, and its names in every spelling."""
    spelled = [term for name in names(query) for term in (whole(name), *parts(name))]
    return tuple(dict.fromkeys([*question_terms(query), *spelled]))[:MAX_TERMS]


def standing(asked: Asked, place: Place, text: str) -> tuple[float, str]:
    """Return what a chunk gains by bearing what was asked for, and in which way it does: defines, names, path, or none."""
    if asked.paths and any(_bears(place.path, pattern) for pattern in asked.paths):
        return BEARS_PATH, "path"
    if not asked.names:
        return 0.0, ""
    defined = sum(_defines(place.heading, name) for name in asked.names)
    if defined:
        return DEFINES + defined / len(asked.names), "defines"
    named = sum(_mentions(text, name) for name in asked.names if _is_telling(name))
    return (NAMES * named / len(asked.names), "names") if named else (0.0, "")


def glob_of(pattern: str) -> str:
    """Return a pattern of paths as SQLite's GLOB reads it: anywhere below the root, unless it begins there."""
    cleaned = pattern.removeprefix("./").removeprefix("~/").lstrip("/").replace("**/", "*").replace("**", "*")
    return f"{cleaned}*" if cleaned.endswith("/") else cleaned


def _bears(path: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    glob = glob_of(pattern)
    return fnmatchcase(path, glob) or fnmatchcase(path, f"*/{glob}")


def _path(word: str) -> str:
    """Return the pattern of paths that a word is, or nothing."""
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
