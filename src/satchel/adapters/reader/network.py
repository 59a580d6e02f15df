"""The reader's network: the layers of a sentence encoder over a question and messages as one sequence, and a score per message."""

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from satchel.adapters.embedders import bundled
from satchel.adapters.reader.layout import Layout, lay_out
from satchel.adapters.reader.trunk import Tensors, Trunk, hidden, linear, load_trunk
from satchel.adapters.reader.words import Floats
from satchel.errors import Unavailable

MODEL = "satchel-reader-1"
FOLDER = bundled.FOLDER.parent / MODEL
# The columns of the scores of a message, as training orders them.
DECISION, REASON, REPLACED, _STALE, SETTLES, _, _, _, UNDECIDED, _, _ = range(11)


class Scores(Struct, frozen=True):
    """What the network says about a discussion, as log-odds."""

    decision: Floats
    """By message, that it made the decision that the question asks about."""
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

    def score(self, question: str, messages: Sequence[str]) -> Scores:
        """Read messages with a question, which may be empty."""
        encode, (begin, end) = self.trunk.encode, self.trunk.tokens.ids("")
        return self.score_tokens(lay_out(encode(question), [encode(one) for one in messages], begin, end))

    def score_tokens(self, layout: Layout) -> Scores:
        """Read a sequence of tokens."""
        return score_states(self.trunk.tensors, *self.trunk.states(layout))


def score_states(tensors: Tensors, question: Floats, messages: Floats) -> Scores:
    """Return the scores of messages from their states."""
    said, asked = hidden(tensors, messages), hidden(tensors, question)
    heads = linear(tensors, "heads", said)
    deciding = said[int(heads[:, DECISION].argmax())]
    linked = linear(tensors, "linked", said).reshape(len(said), 2, -1)
    linking = linear(tensors, "linking", deciding).reshape(2, -1)
    # What a message is for the decision: a reason, or what it replaced.
    links = (linked * linking).sum(axis=-1) / math.sqrt(linking.shape[-1])
    first_choice = float(linear(tensors, "first_choice", deciding)[0])
    return Scores(
        decision=heads[:, DECISION],
        reason=heads[:, REASON] + links[:, 0],
        replaced=heads[:, REPLACED] + links[:, 1] - first_choice,
        none=float(linear(tensors, "none", asked)[0]),
        settles=heads[:, SETTLES],
        undecided=heads[:, UNDECIDED],
    )


@cache
def load_network(folder: Path = FOLDER) -> ReaderNetwork:
    """Load the network that comes with the package, and check every byte of it."""
    return ReaderNetwork(load_trunk(MODEL, folder, _broken))


def _broken(reason: str) -> Unavailable:
    message = f"the model that reads discussions is broken: {reason}"
    return Unavailable(message, code="reader_broken", hint=bundled.REINSTALL_HINT)
