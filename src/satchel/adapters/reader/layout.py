"""Lays a question and the messages of a discussion out as one sequence of tokens, which the reader's network reads at once."""

from collections.abc import Sequence

from msgspec import Struct

MAX_TOKENS = 512
MAX_QUESTION_TOKENS = 64
# The most messages that are read at once. Training discussions are hardly longer.
MAX_MESSAGES = 32
# Of a message that is too long, this share is kept from its beginning, the rest from its end.
BEGINNING_SHARE = 2 / 3

Tokens = Sequence[int]


class Layout(Struct, frozen=True):
    """A sequence of tokens, and where each message stands in it."""

    ids: list[int]
    spans: list[tuple[int, int]]
    """The first token of each message, and the end of its separator."""


def lay_out(question: Tokens, messages: Sequence[Tokens], begin: int, end: int) -> Layout:
    """Return begin, question, end, and each message followed by end. Long messages are shortened so that all fit."""
    ids = [begin, *question[:MAX_QUESTION_TOKENS], end]
    most = longest_part([len(one) for one in messages], MAX_TOKENS - len(ids) - len(messages))
    spans = list[tuple[int, int]]()
    for one in messages:
        start = len(ids)
        ids += [*shorten(one, most), end]
        spans.append((start, len(ids)))
    return Layout(ids, spans)


def longest_part(lengths: Sequence[int], room: int) -> int:
    """Return the largest length such that messages fit in a room if longer ones are shortened to it."""
    left = room
    for place, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - place)
        if length > share:
            return share
        left -= length
    return max(lengths, default=0)


def shorten(tokens: Tokens, most: int) -> Tokens:
    """Return the beginning and the end of a message that is too long."""
    if len(tokens) <= most:
        return tokens
    beginning = round(most * BEGINNING_SHARE)
    return [*tokens[:beginning], *tokens[len(tokens) - (most - beginning) :]]
