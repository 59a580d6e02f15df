"""The inputs of the models that say what a message does in a discussion: settle a choice, give a reason, propose, ask.

They are the message's vector, what the cue rules find in it, its word n-grams, and the vectors and cues of the messages before
and after it.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from satchel.conversations import cues
from satchel.domain.conversation import Speaker
from satchel.domain.sentences import unquoted_sentences

Floats = NDArray[np.float32]

ACTS = ("settles", "reason", "reverses", "proposes", "undecided", "acts_on", "asks")
DIMENSIONS = 384
CUE_COUNT = 13
BUCKETS = 4_096
INPUTS = 3 * (DIMENSIONS + CUE_COUNT) + BUCKETS
# Longer messages are read only as far as this.
MAX_CHARS = 2_000
MAX_WORDS = 60
MAX_SENTENCES = 12
# Scale of vectors and n-grams next to the cues, which are 0 or 1, and of the messages before and after.
VECTOR_SCALE = NGRAM_SCALE = 3.0
NEIGHBOUR_SCALE = 0.5
_WORD = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]|[^\s\w]", re.IGNORECASE)


def act_inputs(texts: Sequence[str], roles: Sequence[Speaker], vectors: Floats) -> Floats:
    """Return the inputs of each message of a discussion, as rows."""
    found = np.array([cue_values(text[:MAX_CHARS], role) for text, role in zip(texts, roles, strict=True)], np.float32)
    own = np.hstack([VECTOR_SCALE * vectors, found])
    rows = np.zeros((len(texts), INPUTS), np.float32)
    width = own.shape[1]
    rows[:, :width] = own
    rows[1:, width : 2 * width] = NEIGHBOUR_SCALE * own[:-1]
    rows[:-1, 2 * width : 3 * width] = NEIGHBOUR_SCALE * own[1:]
    for place, text in enumerate(texts):
        buckets = sorted(_ngrams(text[:MAX_CHARS]))
        rows[place, [3 * width + bucket for bucket in buckets]] = NGRAM_SCALE / len(buckets) ** 0.5
    return rows


@lru_cache(maxsize=1_024)
def cue_values(text: str, role: Speaker) -> tuple[float, ...]:
    """Return what the cue rules find in a message, its length, and whether an agent wrote it."""
    found = [_sentence_cues(sentence) for sentence in _sentences(text)]
    merged = [float(any(column)) for column in zip(*found, strict=True)]
    return (*merged, math.log1p(len(text)) / 3, float(role is Speaker.ASSISTANT))


def _sentences(text: str) -> list[str]:
    found = [part for line in text.splitlines() for part in unquoted_sentences(line) if part.strip()]
    return found[:MAX_SENTENCES] or [text]


def _sentence_cues(sentence: str) -> tuple[bool, ...]:
    recognized = cues.find_cue(sentence)
    return (
        recognized is not None,
        recognized is not None and recognized[0].reverses,
        recognized is not None and recognized[0].needs_reason,
        cues.is_undecided(sentence),
        cues.is_question(sentence),
        cues.introduced_reason(sentence) is not None,
        cues.reason_before(sentence) is not None,
        cues.split_reason(sentence)[1] is not None,
        cues.is_evidence(sentence),
        cues.is_effect(sentence),
        cues.asks_why(sentence),
    )


def _ngrams(text: str) -> set[int]:
    words = ["<s>", *(word.lower() for word in _WORD.findall(text)[:MAX_WORDS]), "</s>"]
    return {
        crc32(" ".join(words[start : start + length]).encode(errors="replace")) % BUCKETS
        for length in (1, 2, 3)
        for start in range(len(words) - length + 1)
    }
