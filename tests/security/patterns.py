"""Every regular expression of the package, and texts made to make each of them backtrack."""

import importlib
import pkgutil
import random
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import msgspec

import satchel

_DEPTH = 6
# A module of nothing but patterns, and what a pattern has that other texts have not.
_OF_PATTERNS = "sentence_types"
_MARKS = ("\\", "(?", "[^", "[\\w")
# What a repeat is followed by, so that the match fails at its end.
_BREAKS = ("\0", "\n", "!", " ", "a")
_CATEGORIES = {
    constants.CATEGORY_DIGIT: "7", constants.CATEGORY_SPACE: " ", constants.CATEGORY_WORD: "a",
    constants.CATEGORY_NOT_DIGIT: "b", constants.CATEGORY_NOT_SPACE: "c", constants.CATEGORY_NOT_WORD: "-",
}  # fmt: skip


def package_patterns() -> dict[tuple[str, int], str]:
    """Return every pattern of the package, with its flags, and where it is: also those that are compiled on first use."""
    found: dict[tuple[str, int], str] = {}
    for module in pkgutil.walk_packages(satchel.__path__, "satchel."):
        if module.name.endswith("__main__"):
            continue
        members = vars(importlib.import_module(module.name))
        for name, value in members.items():
            for pattern in _patterns_in(value, _DEPTH):
                found.setdefault((pattern.pattern, pattern.flags), f"{module.name}.{name}")
            if isinstance(value, str) and ("compiled" in members or module.name.endswith(_OF_PATTERNS)):
                for pattern in _pattern_of(value):
                    found.setdefault((pattern.pattern, pattern.flags), f"{module.name}.{name}")
    return found


def _pattern_of(text: str) -> Iterator["re.Pattern[str]"]:
    """Yield a text as a pattern if it looks like one: other constants of the same modules do no harm."""
    if text.isidentifier() or not any(mark in text for mark in _MARKS):
        return
    try:
        yield re.compile(text)
    except re.error:
        return


def _patterns_in(value: Any, depth: int) -> Iterator["re.Pattern[str]"]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth and isinstance(value, Mapping):
        for one in (*value, *value.values()):
            yield from _patterns_in(one, depth - 1)
    elif depth and isinstance(value, (Sequence, set, frozenset)) and not isinstance(value, (str, bytes)):
        for one in value:
            yield from _patterns_in(one, depth - 1)
    elif depth and isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _patterns_in(getattr(value, field), depth - 1)
            if field in ("pattern", "unless") and isinstance(text := getattr(value, field), str) and text:
                yield re.compile(text, re.IGNORECASE)


def attacks(pattern: str, flags: int, size: int, seed: int = 7) -> Iterator[str]:
    """Yield texts for each repeat of a pattern: what leads to it, then the repeat pumped up, then a break."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parser.parse(pattern, flags)
    pick = random.Random(seed)
    for lead, body in _repeats(list(tree), "", pick):
        unit = "".join(_sample(body, pick) for _ in range(3)) or "a"
        pumped = unit * (size // len(unit))
        for end in _BREAKS[:2]:
            yield f"{lead}{pumped}{end}"
        # A match that is tried again from each place makes the whole quadratic.
        again = f"{lead}{unit}" or "a"
        yield (again * (size // len(again) + 1))[:size]
    whole = _sample(list(tree), pick) or "a"
    yield (whole * (size // len(whole) + 1))[:size]
    yield (whole[:-1] * (size // max(1, len(whole) - 1) + 1))[:size]


def _repeats(nodes: list[Any], lead: str, pick: random.Random) -> Iterator[tuple[str, list[Any]]]:
    for kind, argument in nodes:
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            _, most, body = argument
            if most is constants.MAXREPEAT or most > 20:
                yield lead, list(body)
            yield from _repeats(list(body), lead, pick)
        elif kind is constants.SUBPATTERN:
            yield from _repeats(list(argument[-1]), lead, pick)
        elif kind is constants.ATOMIC_GROUP:
            yield from _repeats(list(argument), lead, pick)
        elif kind is constants.BRANCH:
            for branch in argument[1]:
                yield from _repeats(list(branch), lead, pick)
        elif kind in (constants.ASSERT, constants.ASSERT_NOT):
            yield from _repeats(list(argument[1]), lead, pick)
        lead += _sample([(kind, argument)], pick)


def _sample(nodes: list[Any], pick: random.Random) -> str:
    """Return a text that some nodes of a parsed pattern match, as far as that is easy to say."""
    return "".join(_sample_of(kind, argument, pick) for kind, argument in nodes)


def _sample_of(kind: Any, argument: Any, pick: random.Random) -> str:
    if kind is constants.LITERAL:
        return chr(argument)
    if kind is constants.NOT_LITERAL:
        return "a" if argument != ord("a") else "b"
    if kind is constants.ANY:
        return "a"
    if kind is constants.IN:
        return _member(argument, pick)
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        least, most, body = argument
        times: int = max(least, min(1, most if isinstance(most, int) else 1))
        return _sample(list(body), pick) * times
    if kind is constants.SUBPATTERN:
        return _sample(list(argument[-1]), pick)
    if kind is constants.ATOMIC_GROUP:
        return _sample(list(argument), pick)
    if kind is constants.BRANCH:
        return _sample(list(pick.choice(argument[1])), pick)
    return ""


def _member(members: list[Any], pick: random.Random) -> str:
    if members[0][0] is constants.NEGATE:
        taken = {one[1] for one in members if one[0] is constants.LITERAL}
        return next(letter for letter in "ax7 -_/.,é" if ord(letter) not in taken)
    kind, argument = pick.choice(members)
    if kind is constants.LITERAL:
        return chr(argument)
    if kind is constants.RANGE:
        return chr(argument[0])
    return _CATEGORIES.get(argument, "a")
