"""Mask the secrets in a text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from satchel.domain.safety.secrets import RULES, SecretRule

MASK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
# Masking may expose another secret next to the mask, so it is repeated.
MAX_ROUNDS = 8
# Minimum length of a secret whose other occurrences are masked too, and maximum number of such secrets.
MIN_REPEATED = 8
MAX_REPEATED = 20

Span = tuple[int, int, str]
_SIGNS = "_-./:~"


def _sign_of(word: str) -> str:
    return next((sign for sign in _SIGNS if sign in word), "")


# Keywords by a punctuation mark in them: a text without the mark skips the whole group.
_BY_SIGN = tuple(
    (sign, tuple((word, index) for index, rule in enumerate(RULES) for word in rule.keywords if sign == _sign_of(word)))
    for sign in ("", *_SIGNS)
)


class Redacted(NamedTuple):
    """A text with its secrets masked."""

    text: str
    found: tuple[tuple[str, int], ...] = ()
    """The kinds that were masked and the number of each, sorted by name."""


def candidate_rules(text: str) -> tuple[SecretRule, ...]:
    """Return the rules that may match a text: those with a keyword in it."""
    lowered = text.lower()
    found = {index for sign, words in _BY_SIGN if sign in lowered for word, index in words if word in lowered}
    # In table order: where two rules match, the earlier one names the kind.
    return tuple(RULES[index] for index in sorted(found))


def mask(text: str) -> str:
    """Return a text with its secrets masked."""
    return redacted(text).text


def redacted(text: str, rules: Sequence[SecretRule] | None = None, *, keep_lines: bool = False) -> Redacted:
    """Mask every secret as [redacted:KIND]; existing masks stay.

    For many short texts, pass the `candidate_rules` of all of them as `rules`. With `keep_lines` a secret of several
    lines keeps its line breaks, so that the line numbers after it stay the same.
    """
    spans = _secrets(text, rules)
    if not spans:
        return Redacted(text)
    counts: Counter[str] = Counter()
    for _ in range(MAX_ROUNDS):
        counts.update(kind for _, _, kind in spans)
        text = _masked(text, spans, keep_lines)
        if not (spans := _secrets(text, rules)):
            break
    return Redacted(text, tuple(sorted(counts.items())))


def _secrets(text: str, rules: Sequence[SecretRule] | None) -> list[Span]:
    """Return the spans to mask, in order; where two rules match, the earlier one names the kind."""
    candidates = candidate_rules(text) if rules is None else _with_keyword(text, rules)
    if not candidates:
        return []
    taken = [(found.start(), found.end(), "") for found in MASK.finditer(text)]
    for rule in candidates:
        occupied = _Occupied(taken)
        taken += [span for span in _matches(rule, text) if occupied.is_free(span)]
        taken.sort()
    return _with_repetitions(text, taken)


def _with_keyword(text: str, rules: Sequence[SecretRule]) -> list[SecretRule]:
    lowered, found = text.lower(), []
    for rule in rules:
        for word in rule.keywords:
            if word in lowered:
                found.append(rule)
                break
    return found


def _with_repetitions(text: str, taken: list[Span]) -> list[Span]:
    """Add all other occurrences of each secret: they often lack the name that identified the first."""
    values = dict.fromkeys(
        (text[start:end], kind) for start, end, kind in taken if kind and end - start >= MIN_REPEATED
    )
    for value, kind in tuple(values)[:MAX_REPEATED]:
        occupied = _Occupied(taken)
        found = ((match.start(), match.end(), kind) for match in re.finditer(re.escape(value), text))
        taken = sorted([*taken, *(span for span in found if occupied.is_free(span))])
    return [span for span in taken if span[2]]


class _Occupied:
    """Spans that are already masked or will be; query them from left to right."""

    def __init__(self, taken: list[Span]) -> None:
        self._taken = list(taken)
        self._next = 0

    def is_free(self, span: Span) -> bool:
        """Return whether no taken span overlaps this one."""
        while self._next < len(self._taken) and self._taken[self._next][1] <= span[0]:
            self._next += 1
        return self._next == len(self._taken) or self._taken[self._next][0] >= span[1]


def _matches(rule: SecretRule, text: str) -> Iterator[Span]:
    for found in _compiled(rule.pattern).finditer(text):
        # The named group with the secret; each form of quoting has its own.
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
    # Compiled on first use: all patterns together take longer than most commands.
    return re.compile(pattern)
