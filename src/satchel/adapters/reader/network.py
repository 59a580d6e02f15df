"""The reader's network: the layers of a sentence encoder over a question and messages as one sequence, and a score per message."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from satchel.adapters.embedders import bundled
from satchel.adapters.reader.layout import Layout, lay_out
from satchel.adapters.reader.trunk import Tensors, Trunk, hidden, linear, load_trunk
from satchel.adapters.reader.words import Floats
from satchel.domain.embedding import READER_MODEL
from satchel.errors import Unavailable

FOLDER = bundled.FOLDER.with_name(READER_MODEL)
# The columns of the scores of a message, as training orders them.
DECISION, REASON, REPLACED, _STALE, SETTLES, _, _, _, UNDECIDED, ACTS_ON, _ = range(11)
# A few words ("fine with me") rarely state a decision. From this many tokens on, length says nothing. These four were chosen on the
# tuned halves of the decision and route benchmarks.
LENGTH_FACTOR, ENOUGH_TOKENS = 3.0, 10
# From this log-odds on, a message may only carry out what the one before it decided, unless that one is this much less likely.
MIN_ACTS_ON, MUCH_LIKELIER = -2.5, 3.0


class Scores(Struct, frozen=True):
    """What the network says about a discussion, as log-odds."""

    decision: Floats
    """By message, that it made the decision that the question asks about."""
    chosen: int
    """The place of the message that made the decision, if any did."""
    reason: Floats
    replaced: Floats
    """By message, that it was replaced, rather than that nothing was."""
    none: float
    """That no message made the decision."""
    settles: Floats
    undecided: Floats


class ReaderNetwork(Struct, frozen=True):
    """The loaded network."""

    trunk: Trunk

    def score(self, question: str, messages: Sequence[str], texts: Sequence[str] | None = None) -> Scores:
        """Read messages with a question, which may be empty. `texts` are the messages without the names of who said them."""
        encode, (begin, end) = self.trunk.encode, self.trunk.tokens.ids("")
        said = [encode(one) for one in messages]
        lengths = [len(one) for one in (said if texts is None else map(encode, texts))]
        return self.score_tokens(lay_out(encode(question), said, begin, end), lengths)

    def score_tokens(self, layout: Layout, lengths: Sequence[int]) -> Scores:
        """Read a sequence of tokens; `lengths` says how many of a message are its text."""
        return score_states(self.trunk.tensors, *self.trunk.states(layout), lengths)


def score_states(tensors: Tensors, question: Floats, messages: Floats, lengths: Sequence[int]) -> Scores:
    """Return the scores of messages from their states and the lengths of their texts in tokens."""
    said, asked = hidden(tensors, messages), hidden(tensors, question)
    heads = linear(tensors, "heads", said)
    chosen = choose(heads, lengths)
    deciding = said[chosen]
    linked = linear(tensors, "linked", said).reshape(len(said), 2, -1)
    linking = linear(tensors, "linking", deciding).reshape(2, -1)
    # What a message is for the decision: a reason, or what it replaced.
    links = (linked * linking).sum(axis=-1) / math.sqrt(linking.shape[-1])
    first_choice = float(linear(tensors, "first_choice", deciding)[0])
    return Scores(
        decision=heads[:, DECISION],
        chosen=chosen,
        reason=heads[:, REASON] + links[:, 0],
        replaced=heads[:, REPLACED] + links[:, 1] - first_choice,
        none=float(linear(tensors, "none", asked)[0]),
        settles=heads[:, SETTLES],
        undecided=heads[:, UNDECIDED],
    )


def choose(heads: Floats, lengths: Sequence[int]) -> int:
    """Return the place of the message that made the decision: the likeliest, or the one that it carries out."""
    odds = heads[:, DECISION] + LENGTH_FACTOR * np.log1p(np.minimum(lengths, ENOUGH_TOKENS))
    likeliest = int(odds.argmax())
    may_act = likeliest > 0 and heads[likeliest, ACTS_ON] > MIN_ACTS_ON
    return likeliest - 1 if may_act and odds[likeliest - 1] >= odds[likeliest] - MUCH_LIKELIER else likeliest


@cache
def load_network(folder: Path = FOLDER) -> ReaderNetwork:
    """Load the network that comes with the package, and check every byte of it."""
    return ReaderNetwork(load_trunk(READER_MODEL, folder, _broken))


def _broken(reason: str) -> Unavailable:
    message = f"the model that reads discussions is broken: {reason}"
    return Unavailable(message, code="reader_broken", hint=bundled.REINSTALL_HINT)
