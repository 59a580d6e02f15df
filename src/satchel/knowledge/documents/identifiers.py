"""Identifiers: names that programs and paths are made of, whole and in their parts, however they are spelled.

A full text engine splits at signs and not at capitals: it sees `parse_auth_token` as three words and `parseAuthToken`
as one. Here each name is written in both ways, so that any spelling finds any other.
"""

import re
from collections.abc import Iterator

MAX_NAMES = 400
MAX_NAME_CHARS = 120

# A name of several parts: joined by signs, or with a capital inside.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,120}(?:(?:[.:/\\-]|::|->)[A-Za-z0-9_]{1,120}){0,12}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SIGNS = re.compile(r"[^A-Za-z0-9]+")


def parts(name: str) -> list[str]:
    """Return the words that a name is made of, in lower case: HTTPServer is http and server."""
    return [part.lower() for run in _SIGNS.split(name) for part in _PART.findall(run)]


def whole(name: str) -> str:
    """Return a name as one word, which every spelling of it shares."""
    return _SIGNS.sub("", name).lower()


def is_compound(name: str) -> bool:
    """Say whether a name is written in a way that plain words are not: signs or capitals inside."""
    plain = name.strip("_")
    return "_" in plain or bool(re.search(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}", plain))


def names(text: str) -> Iterator[str]:
    """Return the simple names of a text that have more than one part, each once, in order."""
    seen: set[str] = set()
    for found in _NAME.finditer(text):
        for name in re.split(r"[.:/\\-]|->", found.group()):
            if is_compound(name) and name not in seen:
                seen.add(name)
                yield name
                if len(seen) >= MAX_NAMES:
                    return


def spelled_out(text: str) -> str:
    """Return the compound names of a text, each as one word and in its parts: what an engine finds them by."""
    return " ".join(f"{whole(name)} {' '.join(parts(name))}" for name in names(text))
