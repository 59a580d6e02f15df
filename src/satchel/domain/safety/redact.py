"""Mask the secrets in a text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.encoded_text import encoded_texts
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES
from satchel.domain.safety.surroundings import around

MASK = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
# Masking may expose another secret next to the mask, so it is repeated.
MAX_ROUNDS = 8
# Minimum length of a secret whose other occurrences are masked too, and maximum number of such secrets.
MIN_REPEATED = 8
MAX_REPEATED = 20

Place = tuple[int, int]
Span = tuple[int, int, str]
# A word in lower case and the sign after it; an escape before a word is no part of it.
_WORDS = r"[a-z0-9]+[_.-]?"
_ESCAPED_WORDS = r"\\(?:[nrt]|u[0-9a-f]{4})|%[0-9a-f]{2}|\x1b\[[0-9;]{1,5}m|([a-z0-9]+[_.-]?)"
# Few texts have so many letters and digits in a row.
_LONG_RUN = 12
# Keywords are looked up by their first letters, if these are the beginning of a word and the sign after it.
_HEAD = 3
_WORD_HEAD = r"[A-Za-z0-9]{3}|[A-Za-z0-9]{2}[_.-]"
# Characters that are not seen, and a line that continues on the next: a secret may be split by them.
_SPLITS = r"\\\r?\n[ \t]*|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+"


Rules = dict[tuple[str, bool], list[int]]


class _Index(NamedTuple):
    """Rules by keyword and whether the keyword is exact, by how the keywords are looked up."""

    starts: dict[str, Rules]
    """Keywords that begin a word, by their first letters: the words of a text tell which of them may be in it."""
    signs: dict[str, Rules]
    """Keywords that begin with a sign, by that sign."""
    inside: Rules
    foreign: Rules
    """Keywords that only a text with other than ASCII characters has."""
    runs: Rules
    """Keywords of rules that need a long run."""


@cache
def _index() -> _Index:
    index = _Index({}, {}, {}, {}, {})
    for number, rule in enumerate(RULES):
        for word in rule.keywords:
            if rule.run >= _LONG_RUN:
                group = index.runs
            elif not word.isascii():
                group = index.foreign
            elif not word[:1].isalnum():
                group = index.signs.setdefault(word[:1], {})
            elif rule.inside or not compiled(_WORD_HEAD).match(word):
                group = index.inside
            else:
                group = index.starts.setdefault(word[:_HEAD].lower(), {})
            group.setdefault((word, rule.exact or word != word.lower()), []).append(number)
    return index


class Redacted(NamedTuple):
    """A text with its secrets masked."""

    text: str
    found: tuple[tuple[str, int], ...] = ()
    """The kinds that were masked and the number of each, sorted by name."""


def candidate_rules(text: str) -> tuple[SecretRule, ...]:
    """Return the rules that may match a text: those with a keyword in it."""
    index, lowered = _index(), text.lower()
    has_escapes = any(sign in text for sign in "\\%\x1b")
    # One by one: a list of all words would take many times the memory of a long text.
    words = {
        found[1 if has_escapes else 0] or ""
        for found in compiled(_ESCAPED_WORDS if has_escapes else _WORDS).finditer(lowered)
    }
    longest = max(map(len, words), default=0)
    groups = [index.inside, *(group for sign, group in index.signs.items() if sign in text)]
    groups += [index.starts[head] for head in index.starts.keys() & {word[:_HEAD] for word in words}]
    groups += [] if text.isascii() else [index.foreign]
    groups += [index.runs] if longest >= _LONG_RUN else []
    found: set[int] = set()
    for group in groups:
        for (word, exact), numbers in group.items():
            if word in (text if exact else lowered):
                found.update(numbers)
    # In table order: where two rules match, the earlier one names the kind.
    return tuple(rule for rule in map(RULES.__getitem__, sorted(found)) if rule.run <= longest)


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
    if text.isascii() and "\\\n" not in text and "\\\r" not in text:
        return text, (), []
    kept: list[int] = []
    seams: list[Place] = []
    end = 0
    for split in compiled(_SPLITS).finditer(text):
        kept += range(end, split.start())
        seams.append((len(kept), len(kept)))
        end = split.end()
    kept += range(end, len(text))
    return "".join([text[place] for place in kept]) if seams else text, kept, seams


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
    for rule in candidate_rules(text) if rules is None else _with_keyword(text, rules):
        _take(taken, _matches(rule, text))
    _take(taken, _encoded_secrets(text))
    return _with_repetitions(text, taken)


def _masks(text: str) -> list[Span]:
    return [(found.start(), found.end(), "") for found in MASK.finditer(text)]


def _take(taken: list[Span], found: Iterable[Span]) -> None:
    """Add the spans that overlap none of those taken."""
    occupied = _Occupied(taken)
    taken += [span for span in found if occupied.is_free(span)]
    taken.sort()


def _encoded_secrets(text: str) -> Iterator[Span]:
    for start, end, inner in encoded_texts(text):
        if any(True for rule in candidate_rules(inner) for _ in _matches(rule, inner)):
            yield start, end, "encoded-secret"


def _with_keyword(text: str, rules: Sequence[SecretRule]) -> list[SecretRule]:
    lowered = text.lower()
    return [
        rule
        for rule in rules
        if any(word in (text if rule.exact or word != word.lower() else lowered) for word in rule.keywords)
    ]


def _with_repetitions(text: str, taken: list[Span]) -> list[Span]:
    """Add all other occurrences of each secret: they often lack the name that identified the first."""
    values = dict.fromkeys(
        (text[start:end], kind) for start, end, kind in taken if kind and end - start >= MIN_REPEATED
    )
    for value, kind in tuple(values)[:MAX_REPEATED]:
        _take(taken, [(match.start(), match.end(), kind) for match in re.finditer(re.escape(value), text)])
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
