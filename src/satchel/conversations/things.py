"""Things: what a choice or a topic is known by, and whether two names are of one thing."""

from functools import lru_cache

from satchel.domain.words import telling_terms

# What stands in many topics and tells nothing of them.
_SAID_OF_ANY = "which what should we use using choose pick new main our project service thing one 应该 该用 用什 用哪 哪个 什么 我们"
_EMPTY = frozenset(_SAID_OF_ANY.split())


@lru_cache(maxsize=16_384)
def terms_of(text: str) -> frozenset[str]:
    """Return the words that a choice or a topic is known by."""
    terms = frozenset(telling_terms(text))
    return (terms - _EMPTY) or terms


def same_thing(one: str, other: str) -> bool:
    """Say whether one name has every word of the other."""
    mine, theirs = terms_of(one), terms_of(other)
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)
