"""Split compound identifiers, so that every spelling of a name finds every other.

A full-text engine splits at signs but not at capitals: `parse_auth_token` is three words, `parseAuthToken` is one. Each
name is therefore indexed both as one word and as its parts.
"""

import re

MAX_NAMES = 400

# A name of several parts, with signs or capitals inside. One pattern finds them without visiting every word.
_COMPOUND = re.compile(
    r"\b_*(?=[A-Za-z0-9_]{0,120}?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z0-9]_+[A-Za-z0-9]))[A-Za-z][A-Za-z0-9_]{0,120}",
    re.ASCII,
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SIGNS = re.compile(r"[^A-Za-z0-9]+")


def parts(name: str) -> list[str]:
    """Return the parts of a name in lower case: HTTPServer gives http and server."""
    return [part.lower() for part in _PART.findall(name)]


def whole(name: str) -> str:
    """Return a name as one word that all its spellings share."""
    return _SIGNS.sub("", name).lower()


def is_compound(name: str) -> bool:
    """Return whether a name has signs or capitals inside."""
    return _COMPOUND.match(name) is not None


def names(text: str) -> list[str]:
    """Return the distinct compound names of a text, in order."""
    return list(dict.fromkeys(_COMPOUND.findall(text)))[:MAX_NAMES]


def in_words(text: str) -> str:
    """Return a text with its compound names split into words."""
    return _COMPOUND.sub(lambda found: " ".join(parts(found.group())), text)


def spelled_out(text: str) -> str:
    """Return the compound names of a text, each as one word and in parts, for the full-text index."""
    return " ".join(f"{whole(name)} {' '.join(parts(name))}" for name in names(text))
