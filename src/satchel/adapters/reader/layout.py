"""Lays a question or a prompt and the texts to be read with it out as one sequence of tokens, which a network reads at once."""

from collections.abc import Sequence

from msgspec import Struct

MAX_TOKENS = 512
MAX_QUESTION_TOKENS = 64
# The most messages that are read at once. Training discussions are hardly longer.
MAX_MESSAGES = 32
# A prompt and the memories that are read with it: what counts in a prompt is at its beginning and its end. Every token takes
# time before a turn.
MAX_PROMPT_TOKENS = 48
MAX_MEMORY_TOKENS = 40
# More memories than this are read in two groups: two short sequences take less time than a long one, even on one core.
GROUP = 4
# Of a text that is too long, this share is kept from its beginning, the rest from its end.
BEGINNING_SHARE = 2 / 3

Tokens = Sequence[int]


class Layout(Struct, frozen=True):
    """A sequence of tokens, and where each text stands in it."""

    ids: list[int]
    spans: list[tuple[int, int]]
    """The first token of each text, and the end of its separator."""


def lay_out(question: Tokens, messages: Sequence[Tokens], begin: int, end: int) -> Layout:
    """Return begin, question, end, and each message followed by end. Long messages are shortened so that all fit."""
    asked = question[:MAX_QUESTION_TOKENS]
    most = longest_part([len(one) for one in messages], MAX_TOKENS - len(asked) - 2 - len(messages))
    return _joined(asked, [shorten(one, most) for one in messages], begin, end)


def lay_out_prompt(prompt: Tokens, memories: Sequence[Tokens], begin: int, end: int) -> Layout:
    """Return begin, prompt, end, and each memory followed by end. Each text is shortened on its own."""
    return _joined(
        shorten(prompt, MAX_PROMPT_TOKENS), [shorten(one, MAX_MEMORY_TOKENS) for one in memories], begin, end
    )


def grouped(memories: int) -> list[range]:
    """Return the places of the memories that are read together: neighbours, since an old and a new value rank alike."""
    first = memories if memories <= GROUP else -(-memories // 2)
    return [places for places in (range(first), range(first, memories)) if places]


def _joined(question: Tokens, texts: Sequence[Tokens], begin: int, end: int) -> Layout:
    ids, spans = [begin, *question, end], list[tuple[int, int]]()
    for one in texts:
        start = len(ids)
        ids += [*one, end]
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
    """Return the beginning and the end of a text that is too long."""
    if len(tokens) <= most:
        return tokens
    beginning = round(most * BEGINNING_SHARE)
    return [*tokens[:beginning], *tokens[len(tokens) - (most - beginning) :]]
