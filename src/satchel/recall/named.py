"""Names with digits that a question states: numbers, versions, keys and dates as they are written.

An encoder cannot tell "issue 489" from "issue 498". So a record that contains a stated name ranks before records that do not,
if any record contains it. A key such as PAY-318 names something by itself. A number does so after the word that it numbers
("issue 489", "#489"); after any other word only if it is distinctive: 489 and 1.2 are; 3, 500 and years are not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.periods import MONTHS
from satchel.domain.ranking import Contribution, Ranked, best_first
from satchel.domain.record import Memory, MemoryId
from satchel.domain.safety.compiled import compiled
from satchel.domain.words import MAX_QUESTION_CHARS, STOP_WORDS, UNSPACED, fold
from satchel.recall.relevance import MAX_CHARS, MAX_LABEL_CHARS

NAMED = "named"
# Only the first names of a question count: a pasted log is full of them.
MAX_NAMES = 8
# How certain it is that a record with the number is meant, if the word that it numbers does not precede it there.
NUMBER_ALONE = 0.5
# A record with all of several names ranks before a record with one of them.
ALL_NAMES_GAIN = 0.25
MIN_DISTINCTIVE_DIGITS = 3
# A word is compared by its beginning: languages inflect its end.
MAX_ENDING_CHARS = 2
MIN_STEM_CHARS = 3

_LETTER = f"(?![{UNSPACED}])[^\\W_]"
_TOKEN = f"(?:[{UNSPACED}]+|(?:{_LETTER})+(?:[-_./:](?:{_LETTER})+)*|[#№])"
_NUMBER = r"v?(\d+(?:[-_./:]\d+)*)(?:-?[^\W\d_]+)?"
_YEAR = r"(?:19|20)\d\d"
_PART = r"\d+|[^\W\d_]+|[-_./:]+"
_HASH_SIGNS = frozenset("#№")
_NUMBERING_WORDS = frozenset({"no", "nr", "num", "number", "nummer", "numero", "номер"})
_NUMBERING = "|".join(sorted(_NUMBERING_WORDS))
_CONJUNCTIONS = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "e", "и", "или"})
# Words before a count, beside the stop words.
_COUNTING_WORDS = frozenset(
    {
        "about",
        "after",
        "all",
        "another",
        "around",
        "before",
        "between",
        "every",
        "first",
        "last",
        "least",
        "less",
        "more",
    }
    | {"most", "next", "only", "over", "past", "per", "previous", "since", "top", "under", "until", "within"}
)
_BOUNDS = frozenset({"after", "before", "between", "by", "from", "since", "till", "to", "until"})
_ORDINAL_SIGN = "第"
_ENDS_WHERE_A_NUMBER_ENDS = f"(?!{_LETTER})(?![-_./:,]\\d)"
_BEGINS_WHERE_A_NUMBER_BEGINS = rf"(?<![^\W_{UNSPACED}])(?<!\d[-_./:,])"


class StatedName(Struct, frozen=True):
    """A name that a question states, as patterns of a folded text."""

    numbered: re.Pattern[str] | None
    """Finds the name for certain: a key, or a number after its word. None if only the number is known."""
    number: re.Pattern[str] | None
    """Finds the number alone; None if it is not distinctive."""

    def strength(self, text: str) -> float:
        """Return how certain it is that a folded text contains the name, from 0 to 1."""
        if self.numbered is not None and self.numbered.search(text):
            return 1.0
        return NUMBER_ALONE if self.number is not None and self.number.search(text) else 0.0


# Asked for every tier step of a question.
@lru_cache(maxsize=16)
def stated_names(question: str) -> tuple[StatedName, ...]:
    """Return the names with digits that a question states."""
    if not any(map(str.isdigit, question)):
        return ()
    tokens = compiled(_TOKEN).findall(fold(question[:MAX_QUESTION_CHARS]))
    names = (_name(tokens, place) for place, token in enumerate(tokens) if any(map(str.isdigit, token)))
    return tuple(dict.fromkeys(name for name in names if name is not None))[:MAX_NAMES]


def name_strengths(names: Sequence[StatedName], text: str) -> tuple[float, ...]:
    """Return how certain it is that a text contains each name."""
    folded = fold(text)
    return tuple(name.strength(folded) for name in names)


def memory_text(memory: Memory) -> str:
    """Return what of a memory is searched for names: the same as for words."""
    labels = "\n".join((memory.title or "", *memory.tags, *memory.keywords))
    return f"{labels[:MAX_LABEL_CHARS]}\n{memory.text[:MAX_CHARS]}"


def named_gain(strengths: Sequence[float], scale: float) -> Contribution | None:
    """Return what a record gains by the names that it contains, relative to the best score without names."""
    best = max(strengths, default=0.0)
    if not best:
        return None
    mean = sum(strengths) / len(strengths)
    return Contribution(NAMED, None, best, scale * (best + ALL_NAMES_GAIN * mean))


def add_named(
    ranked: Sequence[Ranked], records: Mapping[MemoryId, Memory], names: Sequence[StatedName]
) -> list[Ranked]:
    """Add what each candidate gains by the names that the question states, and sort best first."""
    if not names:
        return list(ranked)
    scale = max((one.score for one in ranked), default=0.0)
    gains = {one.id: named_gain(name_strengths(names, memory_text(records[one.id])), scale) for one in ranked}
    return best_first(
        [
            replace(one, contributions=(*one.contributions, gain)) if (gain := gains[one.id]) is not None else one
            for one in ranked
        ]
    )


def name_distinction(contributions: Iterable[Sequence[Contribution]]) -> float:
    """Return how far a stated name sets records apart, from 0 to 1: less, the more candidates contain it."""
    strengths = [strength for parts in contributions if (strength := strength_of(parts))]
    return max(strengths) / len(strengths) if strengths else 0.0


def strength_of(contributions: Sequence[Contribution]) -> float:
    """Return how certain it is that a candidate contains a stated name."""
    return next((part.raw for part in contributions if part.name == NAMED), 0.0)


def _name(tokens: Sequence[str], place: int) -> StatedName | None:
    token = tokens[place]
    number = compiled(_NUMBER).fullmatch(token)
    if number is None:
        return StatedName(_key_pattern(token), None)
    pattern = _number_pattern(number.group(1))
    is_marked = place > 0 and tokens[place - 1] in _HASH_SIGNS
    head = _head(tokens, place)
    written = [rf"[#№]\s?{pattern}"] if is_marked else []
    if head:
        written.append(rf"{_head_pattern(head)}\W{{0,3}}(?:(?:{_NUMBERING})\W{{1,3}})?{pattern}")
    alone = re.compile(pattern) if is_marked or _is_distinctive(number.group(1)) else None
    if not written and alone is None:
        return None
    return StatedName(re.compile("|".join(written)) if written else None, alone)


def _head(tokens: Sequence[str], place: int) -> str:
    """Return the word that a number follows and numbers; empty if it is a count or part of a period."""
    for before in range(place - 1, -1, -1):
        token = tokens[before]
        if token in _NUMBERING_WORDS or token in _HASH_SIGNS or compiled(_NUMBER).fullmatch(token):
            continue
        if token in _CONJUNCTIONS and before and compiled(_NUMBER).fullmatch(tokens[before - 1]):
            continue
        if re.match(f"[{UNSPACED}]", token):
            return _ORDINAL_SIGN if token.endswith(_ORDINAL_SIGN) else token[-2:]
        is_year = compiled(_YEAR).fullmatch(tokens[place]) is not None
        is_period = token in MONTHS and (is_year or (before > 0 and tokens[before - 1] in _BOUNDS))
        return "" if len(token) == 1 or is_period or token in STOP_WORDS or token in _COUNTING_WORDS else token
    return ""


def _head_pattern(head: str) -> str:
    if re.match(f"[{UNSPACED}]", head):
        return re.escape(head)
    stem = head[: max(MIN_STEM_CHARS, len(head) - MAX_ENDING_CHARS)]
    return rf"\b{re.escape(stem)}[^\W\d_]{{0,{len(head) - len(stem) + MAX_ENDING_CHARS}}}"


def _number_pattern(number: str) -> str:
    return rf"{_BEGINS_WHERE_A_NUMBER_BEGINS}v?{re.escape(number)}{_ENDS_WHERE_A_NUMBER_ENDS}"


def _key_pattern(key: str) -> re.Pattern[str]:
    """Return the pattern of a key: the sign between letters and digits may be another one, or missing."""
    parts = compiled(_PART).findall(key)
    written = []
    for place, part in enumerate(parts):
        if part[0] not in "-_./:":
            is_border = place > 0 and parts[place - 1][0] not in "-_./:"
            written.append(("[-_ .]?" if is_border else "") + re.escape(part))
        else:
            around = parts[place - 1], parts[place + 1]
            written.append(re.escape(part) if all(one.isdigit() for one in around) else "[-_ ./:]?")
    return re.compile(f"{_BEGINS_WHERE_A_NUMBER_BEGINS}{''.join(written)}{_ENDS_WHERE_A_NUMBER_ENDS}")


def _is_distinctive(number: str) -> bool:
    """Return whether a number names something even without the word before it, unlike a count."""
    if not number.isdigit():
        return True
    is_year = compiled(_YEAR).fullmatch(number) is not None
    return len(number) >= MIN_DISTINCTIVE_DIGITS and not number.endswith("00") and not is_year
