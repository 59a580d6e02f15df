"""Identifiers: names that programs and paths are made of, whole and in their parts, however they are spelled.

A full text engine splits at signs and not at capitals: it sees `parse_auth_token` as three words and `parseAuthToken`
as one. Here each name is written in both ways, so that any spelling finds any other.
"""

import re

MAX_NAMES = 400

# A name of several parts: signs inside, or a capital. The engine finds those alone, without looking at every word.
_COMPOUND = re.compile(
    r"\b_*(?=[A-Za-z0-9_]{0,120}?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z0-9]_+[A-Za-z0-9]))[A-Za-z][A-Za-z0-9_]{0,120}",
    re.ASCII,
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SIGNS = re.compile(r"[^A-Za-z0-9]+")


def parts(name: str) -> list[str]:
    """Return the words that a name is made of, in lower case: HTTPServer is http and server."""
    return [part.lower() for part in _PART.findall(name)]


def whole(name: str) -> str:
    """Return a name as one word, which every spelling of it shares."""
    return _SIGNS.sub("", name).lower()


def is_compound(name: str) -> bool:
    """Say whether a name is written in a way that plain words are not: signs or capitals inside."""
    return _COMPOUND.match(name) is not None


def names(text: str) -> list[str]:
    """Return the names of a text that have more than one part, each once, in order."""
    return list(dict.fromkeys(_COMPOUND.findall(text)))[:MAX_NAMES]


def in_words(text: str) -> str:
    """Return a text with its compound names written as the words they are made of: as somebody would read it out."""
    return _COMPOUND.sub(lambda found: " ".join(parts(found.group())), text)


def spelled_out(text: str) -> str:
    """Return the compound names of a text, each as one word and in its parts: what an engine finds them by."""
    return " ".join(f"{whole(name)} {' '.join(parts(name))}" for name in names(text))
