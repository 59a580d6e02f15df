"""Choose excerpts of ranked evidence: the sentences most likely to answer a question, for the tokens they cost.

A search ranks whole turns, and the answer is a few words somewhere in one of them. So every sentence has a value: the
chance that its turn answers, which falls with the rank, times the rare words that it adds to those already chosen, more
if it shares words with the question. Sentences are chosen by value per token. The first sentence of a turn also pays for
its citation, and citing one more turn has a value of its own. So the best turns are shown whole, long ones by the
sentences that matter, and low ranks only with what is new.
"""

import heapq
import math
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, pairwise
from typing import Protocol

from msgspec import Struct

from satchel.domain.words import STOP_WORDS, text_terms
from satchel.packing.layers import ELLIPSIS, MAX_READ_CHARS, TokenCounter
from satchel.recall.relevance import word_forms

# The chance that a turn answers falls with its rank by this power. Fitted to rankings of LoCoMo and LongMemEval.
RANK_POWER = 1.3
# Value of citing one more turn, in rare words.
CITED = 5.0
# A sentence with all words of the question counts this much more than one with none of them.
QUESTION_WORDS = 3.0
# A sentence that asks rarely answers: this is the share of its value that it keeps.
ASKING = 0.5
_QUESTION_MARKS = ("?", "？")
# Share of its value that a word keeps each time it is chosen again.
REPEATED = 0.2
# A long turn holds one answer, as a short one does: the value of its words falls by this power of their number.
LENGTH_POWER = 0.5
# Number of rare words of a turn with the full value per word.
TYPICAL_WORDS = 20.0
MIN_WORD_VALUE = 0.05
# Characters read of a text that only tells which words are common.
MAX_COMPARED_CHARS = 2_000
# Longer sentences, and lines without any, are cut between words.
MAX_PIECE_CHARS = 240
MAX_PIECES = 200
# Maximum number of sentences with which an excerpt begins.
MAX_FIRST_PIECES = 12
# What an apostrophe leaves: "don't" is "don" and "t".
_LETTER = re.compile(r"[a-z]")


class Piece(Struct, frozen=True):
    """A sentence of a text: its position, its words, and what it costs."""

    start: int
    end: int
    words: tuple[str, ...]
    """Its content words."""
    tokens: float
    held: tuple[bool, ...]
    """Which of the question's words it holds."""
    asks: bool
    """Whether it is a question itself."""


class Step(Struct, frozen=True):
    """Sentences to add to an excerpt."""

    places: tuple[int, ...]
    tokens: float
    worth: float
    """The value per token."""


class EvidenceExcerpt:
    """The chosen sentences of one text."""

    def __init__(self, text: str, pieces: Sequence[Piece]) -> None:
        self.whole = text
        self.pieces = pieces
        self.chosen: set[int] = set()

    @property
    def words(self) -> frozenset[str]:
        """All its content words."""
        return frozenset(word for one in self.pieces for word in one.words)

    @property
    def text(self) -> str:
        """The chosen sentences, with an ellipsis where others between them are left out."""
        parts, places = list[str](), sorted(self.chosen)
        begin = 0
        for at, place in enumerate(places):
            if at + 1 == len(places) or places[at + 1] != place + 1:
                parts.append(self.whole[self.pieces[places[begin]].start : self.pieces[place].end])
                begin = at + 1
        return f"{ELLIPSIS} ".join(parts)

    @property
    def is_whole(self) -> bool:
        """Whether it leaves nothing out."""
        return len(self.chosen) == len(self.pieces) > 0 and self.pieces[-1].end == len(self.whole)

    def gaps(self, more: Sequence[int] = ()) -> int:
        """Return the number of ellipses, with more sentences."""
        places = sorted({*self.chosen, *more})
        return sum(after - before > 1 for before, after in pairwise(places))


class Account(Protocol):
    """The budget that excerpts are paid from. An excerpt is named by its rank, from 0."""

    @property
    def room(self) -> float:
        """The tokens left."""
        ...

    def frame(self, rank: int) -> float:
        """Return the tokens of an excerpt's citation."""
        ...

    def may_complete(self, rank: int) -> bool:
        """Return whether a text may be shown whole."""
        ...

    def spend(self, rank: int, tokens: float) -> None:
        """Pay for more sentences of an excerpt."""
        ...


class Chooser:
    """Chooses sentences from texts, best ranked first, one step after the other."""

    def __init__(self, texts: Sequence[str], others: Sequence[str], terms: Sequence[str], count: TokenCounter) -> None:
        self.excerpts = [_excerpt(text, terms, count) for text in texts]
        # The other texts only tell which words are common.
        found = [one.words for one in self.excerpts] + [text_terms(text[:MAX_COMPARED_CHARS]) for text in others]
        holding = Counter(word for words in found for word in words)
        self._values = {word: _rarity(number, len(found)) for word, number in holding.items()}
        weights = [self._values.get(term, 1.0) for term in terms]
        weights = [weight / math.fsum(weights) for weight in weights]
        self._factors = [self._sentence_factors(rank, one, weights) for rank, one in enumerate(self.excerpts)]
        # The words of the question are known already.
        self._repeat(terms)

    def run(self, account: Account) -> None:
        """Add the best sentences to their excerpts until no more fit."""
        steps = ((self._best(rank, account), rank) for rank in range(len(self.excerpts)))
        queue = [(-step.worth, rank) for step, rank in steps if step]
        heapq.heapify(queue)
        while queue:
            _, rank = heapq.heappop(queue)
            step = self._best(rank, account)
            if step is None:
                continue
            # Other steps may have made this one worth less.
            if not queue or -step.worth <= queue[0][0]:
                self._take(rank, step)
                account.spend(rank, step.tokens)
            heapq.heappush(queue, (-step.worth, rank))

    def _take(self, rank: int, step: Step) -> None:
        excerpt = self.excerpts[rank]
        excerpt.chosen.update(step.places)
        for place in step.places:
            self._repeat(excerpt.pieces[place].words)

    def _repeat(self, words: Iterable[str]) -> None:
        for word in words:
            if word in self._values:
                self._values[word] *= REPEATED

    def _best(self, rank: int, account: Account) -> Step | None:
        """Return the best step of an excerpt: its first sentences, or one more."""
        excerpt = self.excerpts[rank]
        left = [place for place in range(len(excerpt.pieces)) if place not in excerpt.chosen]
        if not left or (len(left) == 1 and not account.may_complete(rank)):
            return None
        factors, value = self._factors[rank], self._values.__getitem__
        values = {place: factors[place] * sum(map(value, excerpt.pieces[place].words)) for place in left}
        left.sort(key=lambda place: (-values[place] / max(1, excerpt.pieces[place].tokens), place))
        steps = self._further(excerpt, left, values) if excerpt.chosen else self._first(rank, left, values, account)
        return max((one for one in steps if one.tokens <= account.room), key=lambda one: one.worth, default=None)

    def _further(self, excerpt: EvidenceExcerpt, left: Sequence[int], values: Mapping[int, float]) -> Iterator[Step]:
        gaps = excerpt.gaps()
        for place in left:
            tokens = max(1, excerpt.pieces[place].tokens + excerpt.gaps([place]) - gaps)
            yield Step((place,), tokens, values[place] / tokens)

    def _first(self, rank: int, left: Sequence[int], values: Mapping[int, float], account: Account) -> Iterator[Step]:
        excerpt, frame = self.excerpts[rank], account.frame(rank)
        # A citation is worth something only with the sentence that matters most, not with the shortest one.
        best = max(left, key=lambda place: (values[place], -place))
        left = [best, *(place for place in left if place != best)]
        most = len(left) if account.may_complete(rank) else len(left) - 1
        tokens, value = frame, _chance(rank) * CITED
        for number in range(1, min(most, MAX_FIRST_PIECES) + 1):
            place = left[number - 1]
            tokens, value = tokens + excerpt.pieces[place].tokens, value + values[place]
            paid = tokens + excerpt.gaps(left[:number])
            yield Step(tuple(left[:number]), paid, value / paid)

    def _sentence_factors(self, rank: int, excerpt: EvidenceExcerpt, weights: Sequence[float]) -> list[float]:
        """Return the value of one word of each sentence: the chance that the text answers, less for a long text."""
        matches = [1 + QUESTION_WORDS * sum(compress(weights, one.held)) for one in excerpt.pieces]
        words = [sum(self._values[word] for word in one.words) for one in excerpt.pieces]
        total = math.fsum(map(operator.mul, matches, words))
        factor = _chance(rank) * math.pow(TYPICAL_WORDS / max(total, 1.0), LENGTH_POWER)
        return [
            factor * match * (ASKING if one.asks else 1.0) for one, match in zip(excerpt.pieces, matches, strict=True)
        ]


def _chance(rank: int) -> float:
    return math.pow(rank + 2, -RANK_POWER)


def _excerpt(text: str, terms: Sequence[str], count: TokenCounter) -> EvidenceExcerpt:
    whole, line_ends = _flat(text)
    pieces = []
    for start, end in _spans(whole, line_ends):
        sentence = whole[start:end]
        words = text_terms(sentence)
        held = tuple(not words.isdisjoint(word_forms(term)) for term in terms)
        content = tuple(sorted(filter(_is_content, words)))
        pieces.append(Piece(start, end, content, count(sentence), held, sentence.endswith(_QUESTION_MARKS)))
    return EvidenceExcerpt(whole, pieces)


def _rarity(holding: int, texts: int) -> float:
    """Return the value of a word by how many of the texts hold it: near 1 if one does, near 0 if all do."""
    return max(MIN_WORD_VALUE, math.log((texts + 1) / (holding + 0.5)) / math.log(texts + 1))


def _is_content(word: str) -> bool:
    return word not in STOP_WORDS and not _LETTER.fullmatch(word)


def _flat(text: str) -> tuple[str, frozenset[int]]:
    """Return a text on one line, and where its lines ended."""
    lines = [" ".join(line.split()) for line in text[:MAX_READ_CHARS].splitlines()]
    lines = [line for line in lines if line]
    ends, at = set[int](), 0
    for line in lines:
        at += len(line)
        ends.add(at)
        at += 1
    return " ".join(lines), frozenset(ends)


@cache
def _ends() -> re.Pattern[str]:
    # A full stop ends a sentence only before a space, as in 3.11. Chinese punctuation needs none.
    return re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")


def _spans(text: str, line_ends: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence, and of the parts of very long ones."""
    ends = sorted(line_ends | {one.start() for one in _ends().finditer(text)})
    start = made = 0
    for end in ends:
        while start < end:
            while text[start].isspace():
                start += 1
            stop = end if end - start <= MAX_PIECE_CHARS else _cut(text, start)
            yield start, stop
            made += 1
            if made == MAX_PIECES:
                return
            start = stop


def _cut(text: str, start: int) -> int:
    """Return where a long sentence is cut: after a comma or between words, if possible."""
    middle, most = start + MAX_PIECE_CHARS // 2, start + MAX_PIECE_CHARS
    for mark in (", ", "，", " "):
        if (found := text.rfind(mark, middle, most)) > 0:
            return found + (0 if mark == " " else 1)
    return most
