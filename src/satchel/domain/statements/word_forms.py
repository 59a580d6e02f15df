"""Compare words whatever their inflection, and names whatever their length."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

MIN_STEM = 3
# Every pair of memories that is compared asks for the stems of their words.
KNOWN_STEMS = 4_096
# Minimum length at which the beginning of a name stands for the name: Postgres, PostgreSQL.
MIN_NAME_PREFIX = 5


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as they are written."""
    return frozenset(text.split())


@lru_cache(KNOWN_STEMS)
def stem(word: str) -> str:
    """Return an English word without its inflection; other words as they are."""
    if not (word.isascii() and word.isalpha()):
        return word
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= MIN_STEM and not word.endswith("ss"):
            word = word.removesuffix(suffix)
            break
    if len(word) > MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > MIN_STEM else word


def same_word(one: str, other: str) -> bool:
    """Return whether two words are the same but for their inflection, or one name is short for the other."""
    return one == other or (one.isascii() and other.isascii() and (stem(one) == stem(other) or same_name(one, other)))


def same_name(one: str, other: str) -> bool:
    """Return whether one is the beginning of the other: Postgres, PostgreSQL. Versions and numbers are exact."""
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    return len(shorter) >= MIN_NAME_PREFIX and longer.startswith(shorter) and longer.isascii() and longer.isalpha()


def by_beginning(names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return the names that may stand for another one, by as much of their beginning as must be the same."""
    found: dict[str, list[str]] = {}
    for name in names:
        if len(name) >= MIN_NAME_PREFIX:
            found.setdefault(name[:MIN_NAME_PREFIX], []).append(name)
    return found


def has_name(word: str, names: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a word may stand for one of some names, given by their beginning."""
    return any(same_name(word, name) for name in names.get(word[:MIN_NAME_PREFIX], ()))


def common_terms(one: AbstractSet[str], other: AbstractSet[str]) -> set[str]:
    """Return the terms of one that the other has too, also as a longer or shorter name."""
    names = by_beginning(other - one)
    return {*(one & other), *(term for term in one - other if has_name(term, names))}


def has_most(wanted: AbstractSet[str], terms: AbstractSet[str]) -> bool:
    """Return whether most of the wanted terms are among others; of one or two, all."""
    found = len(common_terms(wanted, terms))
    return found == len(wanted) if len(wanted) < 3 else found >= len(wanted) * 2 / 3


def without(terms: AbstractSet[str], removed: AbstractSet[str]) -> set[str]:
    """Return the terms that are not among the removed ones, also as a longer or shorter name."""
    return {term for term in terms - removed if not any(same_name(term, name) for name in removed)}
