"""Redact: mask the secrets in a text, and say which kinds there were."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from satchel.domain.safety.secrets import RULES, Rule

MASK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
# A mask may lay bare what it stood beside; a few rounds settle any text that was not made to last longer.
MAX_ROUNDS = 8
MIN_REPEATED = 8
MAX_REPEATED = 20

Span = tuple[int, int, str]
_SIGNS = "_-./:~"


def _sign_of(word: str) -> str:
    return next((sign for sign in _SIGNS if sign in word), "")


# Keywords by a sign that stands in them: a text without the sign is spared the whole group.
_BY_SIGN = tuple(
    (sign, tuple((word, place) for place, rule in enumerate(RULES) for word in rule.keywords if sign == _sign_of(word)))
    for sign in ("", *_SIGNS)
)


class Redacted(NamedTuple):
    """A text without its secrets."""

    text: str
    found: tuple[tuple[str, int], ...] = ()
    """Which kinds were masked, and how many of each, by name."""


def suspects(text: str) -> tuple[Rule, ...]:
    """Return the rules that could find anything in a text: those of which a keyword stands in it."""
    lowered = text.lower()
    places = {place for sign, words in _BY_SIGN if sign in lowered for word, place in words if word in lowered}
    # In the order of the table: where two rules see the same place, the earlier one names it.
    return tuple(RULES[place] for place in sorted(places))


def mask(text: str) -> str:
    """Return a text with its secrets masked."""
    return redacted(text).text


def redacted(text: str, among: Sequence[Rule] | None = None, *, keep_lines: bool = False) -> Redacted:
    """Mask every secret as [redacted:KIND]. What is masked already, and what holds none, stays as it is.

    Whoever has many short texts asks once for the suspects among all rules, and tries those alone on each. With
    `keep_lines` a secret of several lines leaves as many behind, so that what follows keeps its number.
    """
    spans = _secrets(text, among)
    if not spans:
        return Redacted(text)
    counts: Counter[str] = Counter()
    for _ in range(MAX_ROUNDS):
        counts.update(kind for _, _, kind in spans)
        text = _masked(text, spans, keep_lines)
        if not (spans := _secrets(text, among)):
            break
    return Redacted(text, tuple(sorted(counts.items())))


def _secrets(text: str, among: Sequence[Rule] | None) -> list[Span]:
    """Return the spans to mask, in order; where two rules see the same place, the earlier rule names it."""
    candidates = suspects(text) if among is None else _suspected(text, among)
    if not candidates:
        return []
    taken = [(found.start(), found.end(), "") for found in MASK.finditer(text)]
    for rule in candidates:
        free = _Occupied(taken)
        taken += [span for span in _proposals(rule, text) if free.admits(span)]
        taken.sort()
    return _with_repetitions(text, taken)


def _suspected(text: str, among: Sequence[Rule]) -> list[Rule]:
    lowered, found = text.lower(), []
    for rule in among:
        for word in rule.keywords:
            if word in lowered:
                found.append(rule)
                break
    return found


def _with_repetitions(text: str, taken: list[Span]) -> list[Span]:
    """Add every other place where a secret stands: a line often names it once, and repeats it without a name."""
    values = dict.fromkeys(
        (text[start:end], kind) for start, end, kind in taken if kind and end - start >= MIN_REPEATED
    )
    for value, kind in tuple(values)[:MAX_REPEATED]:
        free = _Occupied(taken)
        found = ((place.start(), place.end(), kind) for place in re.finditer(re.escape(value), text))
        taken = sorted([*taken, *(span for span in found if free.admits(span))])
    return [span for span in taken if span[2]]


class _Occupied:
    """Places that are masked already or spoken for; asked from left to right."""

    def __init__(self, taken: list[Span]) -> None:
        self._taken = list(taken)
        self._next = 0

    def admits(self, span: Span) -> bool:
        """Say whether nothing taken overlaps a span."""
        while self._next < len(self._taken) and self._taken[self._next][1] <= span[0]:
            self._next += 1
        return self._next == len(self._taken) or self._taken[self._next][0] >= span[1]


def _proposals(rule: Rule, text: str) -> Iterator[Span]:
    for found in _compiled(rule.pattern).finditer(text):
        # The group that holds the secret, whichever form of quoting it stands in.
        group = found.lastgroup or 0
        if rule.accepts(found.group(group)):
            yield *found.span(group), rule.kind


def _masked(text: str, spans: list[Span], keep_lines: bool) -> str:
    pieces, end = [], 0
    for start, stop, kind in spans:
        pieces += [text[end:start], f"[redacted:{kind}]", "\n" * text.count("\n", start, stop) if keep_lines else ""]
        end = stop
    return "".join([*pieces, text[end:]])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled when first needed: the table as a whole takes longer than most commands do.
    return re.compile(pattern)
