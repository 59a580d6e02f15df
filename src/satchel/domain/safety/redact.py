"""Mask the secrets in a text."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.encoded_text import encoded_texts
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.prefilter import candidate_rules
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES
from satchel.domain.safety.surroundings import Block, around, blocks

MASK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
# Masking may expose another secret next to the mask, so it is repeated.
MAX_ROUNDS = 8
# Minimum length of a secret whose other occurrences are masked too, and maximum number of such secrets.
MIN_REPEATED = 8
MAX_REPEATED = 20

_FAR_RULES = tuple(rule for rule in RULES if rule.far)
Span = tuple[int, int, str]
# Characters that are not seen, and a line that continues on the next: a secret may be split by them.
_SPLITS = r"\\\r?\n[ \t]*|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+"


class Redacted(NamedTuple):
    """A text with its secrets masked."""

    text: str
    found: tuple[tuple[str, int], ...] = ()
    """The kinds that were masked and the number of each, sorted by name."""


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
        text, masks = _masked(text, spans, keep_lines)
        if not (spans := _secrets_near(text, masks, rules)):
            break
    return Redacted(text, tuple(sorted(counts.items())))


def _secrets(text: str, rules: Sequence[SecretRule] | None) -> list[Span]:
    """Return the spans to mask, in order, also of secrets that are split."""
    spans = _visible_secrets(text, rules)
    joined, places, seams = _joined(text)
    if not seams:
        return spans
    split = [
        (places[start], places[stop - 1] + 1, kind)
        for first, last in around(joined, seams)
        for start, stop, kind in _shifted(_visible_secrets(joined[first:last], rules), first)
    ]
    return _merged(sorted([*spans, *split]))


def _secrets_near(text: str, masks: Sequence[Place], rules: Sequence[SecretRule] | None) -> list[Span]:
    """Return the spans to mask of the secrets that new masks have exposed."""
    found = [span for start, end in around(text, masks) for span in _shifted(_secrets(text[start:end], rules), start)]
    return _with_repetitions(text, sorted([*_masks(text), *found])) if found else []


def _shifted(spans: Iterable[Span], by: int) -> Iterator[Span]:
    return ((start + by, stop + by, kind) for start, stop, kind in spans)


def _joined(text: str) -> tuple[str, Sequence[int], list[Place]]:
    """Return a text without the marks that may split a secret, where each of its characters stands in the text, and the seams."""
    may_be_split = not text.isascii() or "\\\n" in text or "\\\r" in text
    if not may_be_split or not compiled(_SPLITS).search(text):
        return text, (), []
    kept: list[int] = []
    seams: list[Place] = []
    end = 0
    for split in compiled(_SPLITS).finditer(text):
        kept += range(end, split.start())
        seams.append((len(kept), len(kept)))
        end = split.end()
    kept += range(end, len(text))
    return "".join([text[place] for place in kept]), kept, seams


def _merged(spans: list[Span]) -> list[Span]:
    """Join spans that overlap; the longer one names the kind."""
    merged: list[Span] = []
    for start, stop, kind in spans:
        if merged and start < merged[-1][1]:
            first, last, named = merged[-1]
            merged[-1] = (first, max(last, stop), named if last - first >= stop - start else kind)
        else:
            merged.append((start, stop, kind))
    return merged


def _visible_secrets(text: str, rules: Sequence[SecretRule] | None) -> list[Span]:
    """Return the spans to mask, in order; where two rules match, the earlier one names the kind."""
    taken = _masks(text)
    parts = list(blocks(text))
    if len(parts) > 1:
        _take_from_blocks(taken, text, parts, rules)
    else:
        _take_from(taken, text, rules)
    return _with_repetitions(text, taken) if taken else taken


def _take_from_blocks(taken: list[Span], text: str, parts: Sequence[Block], rules: Sequence[SecretRule] | None) -> None:
    """Add what the rules find in each block of a long text."""
    # What is longer than a block is found in the whole text, and before the rest, which lies within it.
    for rule in _with_keyword(text, _FAR_RULES):
        _take(taken, _matches(rule, text))
    # A text of the same lines again and again, such as a log, has the same blocks again and again.
    known: dict[tuple[str, tuple[Span, ...]], list[Span]] = {}
    for block in parts:
        first, last = bisect_left(taken, (block.start,)), bisect_left(taken, (block.end,))
        inside = list(_shifted(taken[first:last], -block.start))
        asked = (text[block.start : block.end], tuple(inside))
        if asked not in known:
            _take_from(inside, asked[0], rules)
            known[asked] = inside
        _take(taken, [span for span in _shifted(known[asked], block.start) if block.first <= span[0] < block.last])


def _take_from(taken: list[Span], text: str, rules: Sequence[SecretRule] | None) -> None:
    """Add what the rules find in a text."""
    for rule in candidate_rules(text) if rules is None else _with_keyword(text, rules):
        _take(taken, _matches(rule, text))
    _take(taken, _encoded_secrets(text))


def _masks(text: str) -> list[Span]:
    return [(found.start(), found.end(), "") for found in MASK.finditer(text)]


def _take(taken: list[Span], found: Iterable[Span]) -> None:
    """Add the spans that overlap none of those taken."""
    # Most rules find nothing in most texts.
    if spans := list(found):
        occupied = _Occupied(taken)
        taken += [span for span in spans if occupied.is_free(span)]
        taken.sort()


def _encoded_secrets(text: str) -> Iterator[Span]:
    for start, end, inner in encoded_texts(text):
        if any(True for rule in candidate_rules(inner) for _ in _matches(rule, inner)):
            yield start, end, "encoded-secret"


def _with_keyword(text: str, rules: Sequence[SecretRule]) -> list[SecretRule]:
    lowered, found = text.lower(), list[SecretRule]()
    for rule in rules:
        as_written, in_any_case = _keywords(rule.keywords, rule.exact)
        if any(map(text.__contains__, as_written)) or any(map(lowered.__contains__, in_any_case)):
            found.append(rule)
    return found


@cache
def _keywords(words: tuple[str, ...], exact: bool) -> tuple[list[str], list[str]]:
    """Return the keywords that are looked for as they are written, and those in any case."""
    as_written = [word for word in words if exact or word != word.lower()]
    return as_written, [word for word in words if word not in as_written]


def _with_repetitions(text: str, taken: list[Span]) -> list[Span]:
    """Add all other occurrences of each secret: they often lack the name that identified the first."""
    values = dict.fromkeys(
        (text[start:end], kind) for start, end, kind in taken if kind and end - start >= MIN_REPEATED
    )
    for value, kind in tuple(values)[:MAX_REPEATED]:
        _take(taken, [(*match.span(), kind) for match in re.finditer(_repetition(value), text)])
    return [span for span in taken if span[2]]


def _repetition(value: str) -> str:
    """Return a pattern for a secret: one without a digit may be a word, and is not looked for within longer words."""
    return re.escape(value) if any(map(str.isdigit, value)) else rf"(?<!\w){re.escape(value)}(?!\w)"


class _Occupied:
    """Spans that are already masked or will be; query them from left to right."""

    def __init__(self, taken: Sequence[Span]) -> None:
        self._taken = taken
        self._next = 0

    def is_free(self, span: Span) -> bool:
        """Return whether no taken span overlaps this one."""
        while self._next < len(self._taken) and self._taken[self._next][1] <= span[0]:
            self._next += 1
        return self._next == len(self._taken) or self._taken[self._next][0] >= span[1]


def _matches(rule: SecretRule, text: str) -> Iterator[Span]:
    matches = rule.regex().finditer(text)
    if rule.values:
        # Two words may announce the same value.
        yield from _merged(sorted({(*place, rule.kind) for found in matches for place in rule.values(text, found)}))
        return
    for found in matches:
        # The named group with the secret; each form of quoting has its own.
        group = found.lastgroup or 0
        if rule.accepts(found.group(group)):
            yield *found.span(group), rule.kind


def _masked(text: str, spans: list[Span], keep_lines: bool) -> tuple[str, list[Place]]:
    """Return a text with masks instead of spans, and where the masks are."""
    pieces: list[str] = []
    masks: list[Place] = []
    end = size = 0
    for start, stop, kind in spans:
        mask = f"[redacted:{kind}]" + ("\n" * text.count("\n", start, stop) if keep_lines else "")
        size += start - end + len(mask)
        masks.append((size - len(mask), size))
        pieces += [text[end:start], mask]
        end = stop
    return "".join([*pieces, text[end:]]), masks
