"""Whether two statements contradict each other, decided by their words and when in doubt with no.

A contradiction is the same statement with the opposite polarity, or with one value exchanged: "use A for B" and "use C for B"
contradict each other, "use A for B" and "use A for D" do not.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import cache

from satchel.domain.statements.comparable import Statement, is_unspaced
from satchel.domain.statements.word_forms import common_terms, same_word, stem, word_set
from satchel.domain.words import STOP_WORDS

# Maximum number of words of an exchanged value.
MAX_VALUE_TOKENS = 4
MAX_VALUE_CHARS = 8
MAX_NUMBER_TOKENS = 2

# A value follows these words.
TAKES_VALUE = word_set(
    "use uses using used prefer prefers with on in at is are be to as by via through into adopt hire buy = : "
    "用 是 在 選 选 採 采 為 为 成 到 放 存 走 喝 吃 去 叫 寫 写 換 换 做 回 坐 搭 住"
)
_USES = word_set("use uses using used prefer prefers adopt hire buy")
# The subject follows these.
_TAKES_SUBJECT = word_set("for of about regarding per 對 对 給 给")
# Words without meaning of their own in a frame; the rest of a frame must have some.
_EMPTY = (
    STOP_WORDS
    | TAKES_VALUE
    | _TAKES_SUBJECT
    | word_set("do does did there here it them they than rather over under within until after")
)
# Values that exclude each other even where nothing says what they are about.
_ALTERNATIVES = (
    "tabs spaces",
    "monday tuesday wednesday thursday friday saturday sunday",
    "english german french spanish italian dutch chinese japanese korean portuguese russian",
    "squash rebase",
    "light dark",
    "metric imperial",
    "npm pnpm yarn bun",
    "celsius fahrenheit",
    "camelcase snakecase",
    "英文 中文 日文 法文 德文 韓文 韩文",
)


class Contradiction(StrEnum):
    """How two statements contradict each other."""

    OPPOSITE = "opposite"
    VALUE = "another value"
    NUMBER = "another number"


def contradiction(one: Statement, other: Statement) -> Contradiction | None:
    """Return how two statements contradict each other, or None."""
    if one.terms.isdisjoint(other.terms) and max(len(one.tokens), len(other.tokens)) > MAX_VALUE_TOKENS:
        return None
    start, stop, other_stop = _difference(one.tokens, other.tokens)
    if start == stop == other_stop:
        return Contradiction.OPPOSITE if one.negated != other.negated and one.terms else None
    if one.negated != other.negated:
        return Contradiction.OPPOSITE if _same_terms(one.terms, other.terms) else None
    if one.negated:
        # Two prohibitions hold side by side.
        return None
    return _exchanged(one.tokens, other.tokens, start, stop, other_stop)


def _exchanged(
    tokens: Sequence[str], others: Sequence[str], start: int, stop: int, other_stop: int
) -> Contradiction | None:
    """Return the contradiction of two statements that differ in one place, or None."""
    value, other_value = tokens[start:stop], others[start:other_stop]
    if not (_is_value(value) and _is_value(other_value)):
        return None
    frame = [token for token in (*tokens[:start], *tokens[stop:]) if token not in _EMPTY]
    if frame and _is_number(value) and _is_number(other_value):
        return Contradiction.NUMBER
    exclusive = _are_alternatives(value, other_value) or (bool(frame) and _takes_one_value(tokens, start, stop))
    return Contradiction.VALUE if exclusive else None


def alternatives(statement: Statement) -> list[str]:
    """Return names of the groups of alternatives that a short statement chooses from: "use tabs" says nothing else."""
    if len(statement.tokens) > MAX_VALUE_TOKENS:
        return []
    words = {*map(stem, statement.tokens), "".join(token for token in statement.tokens if token not in _EMPTY)}
    return [f"alternatives {number}" for number, group in enumerate(_alternatives()) if group & words]


def _takes_one_value(tokens: Sequence[str], start: int, stop: int) -> bool:
    """Return whether only one value can stand here: "uses A" leaves room for others, "uses A for B" does not."""
    before = tokens[start - 1] if start else ""
    if before in _USES:
        return stop < len(tokens)
    while start > 0 and stop - start < MAX_VALUE_CHARS and is_unspaced(tokens[start - 1]):
        # The differing characters may be the end of a word: 星期二, 星期四.
        if tokens[start - 1] in TAKES_VALUE:
            return True
        start -= 1
    return before in TAKES_VALUE


def _difference(one: Sequence[str], other: Sequence[str]) -> tuple[int, int, int]:
    """Return where two texts begin to differ, and where this part ends in each."""
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and same_word(one[start], other[start]):
        start += 1
    end = 0
    while end < shorter - start and same_word(one[-1 - end], other[-1 - end]):
        end += 1
    return start, len(one) - end, len(other) - end


def _is_value(tokens: Sequence[str]) -> bool:
    """Return whether these words are one value: a preposition among them separates a value and a subject."""
    most = MAX_VALUE_CHARS if all(map(is_unspaced, tokens)) else MAX_VALUE_TOKENS
    return 0 < len(tokens) <= most and _EMPTY.isdisjoint(tokens)


def _are_alternatives(one: Sequence[str], other: Sequence[str]) -> bool:
    first, second = {*map(stem, one), "".join(one)}, {*map(stem, other), "".join(other)}
    return any(group & first and group & second and not group & first & second for group in _alternatives())


@cache
def _alternatives() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, group.split())) for group in _ALTERNATIVES)


def _is_number(tokens: Sequence[str]) -> bool:
    """Return whether a value is a number, with its unit at most."""
    return tokens[0][0].isdigit() and len(tokens) <= MAX_NUMBER_TOKENS


def _same_terms(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    """Return whether two statements are about the same: one has no word of its own, the other few."""
    return len(common_terms(one, other)) == min(len(one), len(other)) > max(len(one), len(other)) / 2
