"""Summing up: which messages a summary is of, and the sentences that tell most of them, word for word."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from satchel.domain.conversation import Message, Summary, summary_id
from satchel.domain.record import Trust
from satchel.domain.shorten import shortened
from satchel.domain.trust import lowest
from satchel.domain.words import STOP_WORDS, segmented

MESSAGES_PER_LEAF = 8
SUMMARIES_PER_CONDENSED = 4
LINES_PER_SUMMARY = 5
MAX_LINE_CHARS = 240
MAX_SENTENCE_CHARS = 2_000
NOTHING_TOLD = "(nothing that may be told)"
_DECISIVE = ("decid", "decision", "because", "chose", "switch", "决定", "決定", "因为", "因為", "改用", "选择", "選擇")

Sentences = Callable[[str], Iterable[str]]


def leaf(
    scope: str, name: str, messages: Sequence[Message], sentences: Sentences, is_telling: Callable[[str], bool]
) -> Summary:
    """Return the summary of a run of messages. What is quarantined, or gives orders, is in its sources and not in it."""
    told = [one for one in messages if one.trust is not Trust.QUARANTINED and not one.erased]
    lines = [
        f"{one.role}: {shortened(said, MAX_LINE_CHARS)}"
        for one in told
        for line in one.content.splitlines()
        for said in sentences(line[:MAX_SENTENCE_CHARS])
        if is_telling(said)
    ]
    return Summary(
        id=summary_id(scope, name, 0, messages[0].seq),
        kind="leaf",
        depth=0,
        content="\n".join(_best(lines)) or NOTHING_TOLD,
        earliest_at=min(one.at for one in messages),
        latest_at=max(one.at for one in messages),
        trust=lowest([one.trust for one in told] or [Trust.UNTRUSTED]),
        messages=tuple(one.ref for one in messages),
        descendants=len(messages),
    )


def condensed(scope: str, name: str, depth: int, place: int, parts: Sequence[Summary]) -> Summary:
    """Return the summary of summaries."""
    lines = [line for part in parts if part.content != NOTHING_TOLD for line in part.content.splitlines()]
    return Summary(
        id=summary_id(scope, name, depth, place),
        kind="condensed",
        depth=depth,
        content="\n".join(_best(lines)) or NOTHING_TOLD,
        earliest_at=min(one.earliest_at for one in parts),
        latest_at=max(one.latest_at for one in parts),
        trust=lowest(one.trust for one in parts),
        sources=tuple(one.id for one in parts),
        descendants=sum(one.descendants for one in parts),
    )


def due(
    scope: str,
    name: str,
    known: Sequence[Summary],
    messages_from: Callable[[int, int], Sequence[Message]],
    last: int,
    sentences: Sentences,
    is_telling: Callable[[str], bool],
) -> list[Summary]:
    """Return the summaries that a conversation of so many messages should have and has not, lowest first.

    Every run of messages has a leaf of its own, every run of summaries a condensed one: what stands where depends on
    the places alone, never on how the messages came in.
    """
    sound = {one.id: one for one in known if not one.stale}
    made: list[Summary] = []
    level: list[Summary] = []
    for first in range(1, last - MESSAGES_PER_LEAF + 2, MESSAGES_PER_LEAF):
        id = summary_id(scope, name, 0, first)
        if id not in sound:
            run = messages_from(first, first + MESSAGES_PER_LEAF - 1)
            sound[id] = leaf(scope, name, run, sentences, is_telling)
            made.append(sound[id])
        level.append(sound[id])
    depth = 1
    while len(level) >= SUMMARIES_PER_CONDENSED:
        above: list[Summary] = []
        for place in range(0, len(level) - SUMMARIES_PER_CONDENSED + 1, SUMMARIES_PER_CONDENSED):
            id = summary_id(scope, name, depth, place)
            if id not in sound:
                sound[id] = condensed(scope, name, depth, place, level[place : place + SUMMARIES_PER_CONDENSED])
                made.append(sound[id])
            above.append(sound[id])
        level, depth = above, depth + 1
    return made


def uppermost(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the summaries that no other one sums up, in order."""
    told = {id for one in summaries for id in one.sources}
    return sorted(
        (one for one in summaries if one.id not in told), key=lambda one: (one.earliest_at, -one.depth, one.id)
    )


def _best(lines: Sequence[str]) -> list[str]:
    """Return the lines that tell most, in their order: those that hold the words which the others repeat."""
    if len(lines) <= LINES_PER_SUMMARY:
        return list(dict.fromkeys(lines))
    terms = [_terms(line) for line in lines]
    common = Counter(term for line in terms for term in line)
    weights = [_weight(line, said, common) for line, said in zip(lines, terms, strict=True)]
    scored = sorted(range(len(lines)), key=weights.__getitem__, reverse=True)
    chosen: dict[str, int] = {}
    for place in scored:
        if len(chosen) < LINES_PER_SUMMARY:
            chosen.setdefault(lines[place], place)
    return sorted(chosen, key=chosen.__getitem__)


def _weight(line: str, terms: frozenset[str], common: Counter[str]) -> tuple[bool, float]:
    """Return whether a line decides or gives a reason, which comes first, and how much it shares with the others."""
    if not terms:
        return False, 0.0
    plain = line.lower()
    shared = sum(common[term] for term in terms) / math.sqrt(len(terms))
    return any(word in plain for word in _DECISIVE), shared + any(letter.isdigit() for letter in plain)


def _terms(line: str) -> frozenset[str]:
    return frozenset(segmented(line.partition(": ")[2]).split()) - STOP_WORDS
