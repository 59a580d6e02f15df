"""How much a value looks like a password that a person made up: words and numbers joined by signs, in an odd way.

Names in code, hosts, products and compound words keep to one style. A made-up password mixes them: a small word before a
capitalised one (kelp-Anvil), a number before a word (71-Heron), a sign that joins no names (basil~Tuba).
"""

from enum import IntEnum
from itertools import pairwise

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.descriptions import is_compound_adjective
from satchel.domain.safety.secret_checks import is_example, is_name_of_nothing, is_type_word
from satchel.domain.safety.value_strength import FILE, without_accents


class Oddity(IntEnum):
    """How unusual the style of a value is for a name."""

    NONE = 0
    SLIGHT = 1
    """One oddity: now and then a name has it, too."""
    CLEAR = 2
    """Two oddities, or one in at least three parts with hyphens."""


SHORTEST = 7
_SHAPE = r"[A-Za-z0-9@$]{1,24}(?:[._~+!^§#&*?-]{1,2}[A-Za-z0-9]{1,24}){1,5}[!?#*$%+~]{0,2}"
_PARTS = r"[A-Za-z0-9@$]+"
_SMALL = r"[a-z]{3,}[0-9]{0,4}|[a-z]{1,3}[0-9]{1,4}|[a-z]{1,8}[0-9][a-z]{1,8}"
# A capital as the second letter, but not in iPhone or eBay.
_INNER_CAPITAL = r"[a-df-hj-z][A-Z][a-z]{2,}[0-9]{0,4}"
_CAPITALISED = r"[A-Z][a-z]{2,}[0-9]{0,4}"
_ODD_SIGN = r"(?<=[A-Za-z0-9]{3})[~+!^§](?=[A-Za-z0-9]{3})|(?<=[A-Za-z]{3})[~+!^§][0-9]|\A[A-Za-z]{1,2}[@$][a-z]{2}"
_KEYS = r"(?i)ctrl|control|strg|alt|altgr|shift|cmd|command|meta|super|win|option|fn|esc|tab|enter|return|del|delete|entf|home|end|f[0-9]{1,2}"
# What is counted or dated: 24-Stunden, 90-Day, 12-Mai.
_UNITS = (
    r"(?i)(?:bit|byte|[kmgt]b|[kmg]hz|stunden?|tagen?|tag|woch\w*|monat\w*|jahr\w*|minut\w*|sekund\w*|zeichen|stellig\w*|faktor|euro|dollar|"
    r"prozent|meter|liter|zoll|uhr|day|week|month|year|hour|minute|second|digit|char\w*|factor|inch|mile|foot|step|page|way|point|pack|"
    r"person|people|percent|words?|lines?|rows?|items?|nodes?|watts?|volts?|users?|times?|seats?|plus|style|series|class|level|jour\w*|mois|heure\w*|dias?|mes\w*|años?|jan\w*|feb\w*|m[aä]r\w*|apr\w*|ma[iy]|jun\w*|jul\w*|aug\w*|sep\w*|o[ck]t\w*|"
    r"nov\w*|de[cz]\w*)"
)
_YEAR = r"(?:19|20)[0-9]{2}"


def oddity(value: str) -> Oddity:
    """Return how much a value looks made up."""
    if not SHORTEST <= len(value) <= 60:
        return Oddity.NONE
    value = value if value.isascii() else without_accents(value)
    if not compiled(_SHAPE).fullmatch(value) or compiled(FILE).fullmatch(value):
        return Oddity.NONE
    parts = compiled(_PARTS).findall(value)
    if not _names_nothing(value, parts):
        return Oddity.NONE
    changes = any(
        compiled(_SMALL).fullmatch(one) and compiled(_CAPITALISED).fullmatch(other) for one, other in pairwise(parts)
    ) or any(compiled(_INNER_CAPITAL).fullmatch(part) for part in parts)
    odd_sign = compiled(_ODD_SIGN).search(value) is not None
    numbered = _is_numbered(parts)
    score = changes + odd_sign + numbered + (changes and len(parts) >= 3 and "-" in value)
    return Oddity(min(2, score))


def _names_nothing(value: str, parts: list[str]) -> bool:
    """Return whether a value is neither keys to press, an adjective nor made of words that name a setting."""
    return (
        not any(compiled(_KEYS).fullmatch(part) for part in parts)
        and not is_compound_adjective(value)
        and not is_type_word(value)
        and not is_example(value)
        and is_name_of_nothing(" ".join(parts))
        and sum(map(str.isalpha, value)) >= 4
    )


def _is_numbered(parts: list[str]) -> bool:
    """Return whether a number stands where a name has none: before a capitalised word, or in words of both styles."""
    if parts[0].isdigit():
        is_counted = compiled(_UNITS).fullmatch(parts[1]) or compiled(_YEAR).fullmatch(parts[0])
        shortest = 2 if compiled(_CAPITALISED).fullmatch(parts[1]) else 3
        return len(parts[0]) >= shortest and not is_counted and len(parts[1]) >= 4 and parts[1].isalpha()
    has_digit = any(any(map(str.isdigit, part)) for part in parts)
    has_capital = any(compiled(f"{_CAPITALISED}|{_INNER_CAPITAL}").fullmatch(part) for part in parts)
    return has_digit and has_capital and any(compiled(f"{_SMALL}").fullmatch(part) for part in parts)
