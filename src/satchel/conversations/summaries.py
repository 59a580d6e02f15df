"""Summarizes conversations with sentences taken verbatim from their messages."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from satchel.domain.conversation import Message, Summary, summary_id
from satchel.domain.record import Trust
from satchel.domain.shorten import shorten
from satchel.domain.trust import lowest_trust
from satchel.domain.words import STOP_WORDS, segment

MESSAGES_PER_LEAF = 8
SUMMARIES_PER_CONDENSED = 4
LINES_PER_SUMMARY = 5
MAX_LINE_CHARS = 240
MAX_SENTENCE_CHARS = 2_000
# Stored in summaries: changing it would change their content.
NOTHING_TO_SUMMARIZE = "(nothing that may be told)"
# Lines with one of these words come first.
_DECISION_WORDS = (
    "decid",
    "decision",
    "because",
    "chose",
    "switch",
    "决定",
    "決定",
    "因为",
    "因為",
    "改用",
    "选择",
    "選擇",
)

SplitSentences = Callable[[str], Iterable[str]]


def leaf_summary(
    scope: str, name: str, messages: Sequence[Message], split: SplitSentences, is_safe: Callable[[str], bool]
) -> Summary:
    """Summarize a run of messages. Quarantined messages and unsafe sentences are left out of the text."""
    usable = [one for one in messages if one.trust is not Trust.QUARANTINED and not one.erased]
    lines = [
        f"{one.role}: {shorten(sentence, MAX_LINE_CHARS)}"
        for one in usable
        for line in one.content.splitlines()
        for sentence in split(line[:MAX_SENTENCE_CHARS])
        if is_safe(sentence)
    ]
    return Summary(
        id=summary_id(scope, name, 0, messages[0].seq),
        kind="leaf",
        depth=0,
        content="\n".join(_best_lines(lines)) or NOTHING_TO_SUMMARIZE,
        earliest_at=min(one.at for one in messages),
        latest_at=max(one.at for one in messages),
        trust=lowest_trust([one.trust for one in usable] or [Trust.UNTRUSTED]),
        messages=tuple(one.ref for one in messages),
        descendants=len(messages),
    )


def condensed_summary(scope: str, name: str, depth: int, place: int, parts: Sequence[Summary]) -> Summary:
    """Summarize summaries."""
    lines = [line for part in parts if part.content != NOTHING_TO_SUMMARIZE for line in part.content.splitlines()]
    return Summary(
        id=summary_id(scope, name, depth, place),
        kind="condensed",
        depth=depth,
        content="\n".join(_best_lines(lines)) or NOTHING_TO_SUMMARIZE,
        earliest_at=min(one.earliest_at for one in parts),
        latest_at=max(one.latest_at for one in parts),
        trust=lowest_trust(one.trust for one in parts),
        sources=tuple(one.id for one in parts),
        descendants=sum(one.descendants for one in parts),
    )


def missing_summaries(
    scope: str,
    name: str,
    known: Sequence[Summary],
    messages_from: Callable[[int, int], Sequence[Message]],
    last: int,
    split: SplitSentences,
    is_safe: Callable[[str], bool],
) -> list[Summary]:
    """Return the summaries that a conversation of `last` messages still needs, lowest level first.

    Each run of MESSAGES_PER_LEAF messages has a leaf, and each run of SUMMARIES_PER_CONDENSED summaries a condensed one.
    The runs depend only on message numbers, not on how the messages were added.
    """
    current = {one.id: one for one in known if not one.stale}
    made: list[Summary] = []
    level: list[Summary] = []
    for first in range(1, last - MESSAGES_PER_LEAF + 2, MESSAGES_PER_LEAF):
        id = summary_id(scope, name, 0, first)
        if id not in current:
            run = messages_from(first, first + MESSAGES_PER_LEAF - 1)
            current[id] = leaf_summary(scope, name, run, split, is_safe)
            made.append(current[id])
        level.append(current[id])
    depth = 1
    while len(level) >= SUMMARIES_PER_CONDENSED:
        above: list[Summary] = []
        for place in range(0, len(level) - SUMMARIES_PER_CONDENSED + 1, SUMMARIES_PER_CONDENSED):
            id = summary_id(scope, name, depth, place)
            if id not in current:
                current[id] = condensed_summary(
                    scope, name, depth, place, level[place : place + SUMMARIES_PER_CONDENSED]
                )
                made.append(current[id])
            above.append(current[id])
        level, depth = above, depth + 1
    return made


def top_summaries(summaries: Sequence[Summary]) -> list[Summary]:
    """Return the summaries that are not part of another one, in order."""
    condensed = {id for one in summaries for id in one.sources}
    return sorted(
        (one for one in summaries if one.id not in condensed), key=lambda one: (one.earliest_at, -one.depth, one.id)
    )


def _best_lines(lines: Sequence[str]) -> list[str]:
    """Return the most informative lines in their order: those that share most words with the others."""
    if len(lines) <= LINES_PER_SUMMARY:
        return list(dict.fromkeys(lines))
    terms = [_terms(line) for line in lines]
    common = Counter(term for line in terms for term in line)
    weights = [_weight(line, words, common) for line, words in zip(lines, terms, strict=True)]
    scored = sorted(range(len(lines)), key=weights.__getitem__, reverse=True)
    chosen: dict[str, int] = {}
    for place in scored:
        if len(chosen) < LINES_PER_SUMMARY:
            chosen.setdefault(lines[place], place)
    return sorted(chosen, key=chosen.__getitem__)


def _weight(line: str, terms: frozenset[str], common: Counter[str]) -> tuple[bool, float]:
    """Return whether a line contains a decision word, and how many words it shares with the others."""
    if not terms:
        return False, 0.0
    plain = line.lower()
    shared = sum(common[term] for term in terms) / math.sqrt(len(terms))
    return any(word in plain for word in _DECISION_WORDS), shared + any(letter.isdigit() for letter in plain)


def _terms(line: str) -> frozenset[str]:
    return frozenset(segment(line.partition(": ")[2]).split()) - STOP_WORDS
