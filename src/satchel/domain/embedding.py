"""Vectors, embedding spaces, the embedders by name, and the clamping of texts to embed."""

import math
import operator
from array import array
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if

# array("f"): compact, and the same bytes that the ledger stores and the index reads.
if TYPE_CHECKING:
    Vector = array[float]
else:  # Python 3.11 cannot subscript an array at run time
    Vector = array

GAP = "\n…\n"

# The local models; each gives its name to its embedding space.
BUNDLED_MODEL = "satchel-encoder-2"
# Networks of the package that read texts together, with the bundled model's word vectors.
READER_MODEL, JUDGE_MODEL = "satchel-reader-1", "satchel-judge-1"
MINILM_MODEL = "all-MiniLM-L6-v2-int8"
# The defaults of earlier versions. Only MiniLM can still be installed.
EARLIER_MODELS = (MINILM_MODEL, "satchel-encoder-1")

DEFAULT_PROVIDER = "satchel"
LOCAL_PROVIDERS = (DEFAULT_PROVIDER, "minilm")
EMBEDDING_PROVIDERS = (*LOCAL_PROVIDERS, "openai", "hashing")
PROVIDERS = (*EMBEDDING_PROVIDERS, "none")
"""Every value of `embedding.provider`; 'none' switches vectors off."""


class Space(Struct, frozen=True):
    """The model and dimensions of a vector. Vectors of different spaces are never compared."""

    name: str
    dimensions: int


def provider_of(space: Space | None) -> str:
    """Return the provider of a store's vectors; the default one for a new store or an unknown space."""
    if space is None:
        return DEFAULT_PROVIDER
    if space.name == MINILM_MODEL:
        return "minilm"
    kind = space.name.partition(":")[0].partition("-")[0]
    return kind if kind in EMBEDDING_PROVIDERS else DEFAULT_PROVIDER


def move_target(configured: str, space: Space | None) -> str | None:
    """Return the provider that a store should move to, given the configured one; None if it stays.

    Vectors of an earlier default move to the bundled model. Other embedders were chosen by the operator, and so is a
    configured one.
    """
    moves = space is not None and space.name in EARLIER_MODELS and configured in ("", DEFAULT_PROVIDER)
    return DEFAULT_PROVIDER if moves else None


NOT_INSTALLED = "not installed"


class ModelStatus(Struct, frozen=True):
    """The state of a local model's folder."""

    installed: bool
    name: str
    folder: str
    bytes: int
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """Failed if there is no usable model."""
        return failed_if(not self.installed)


class LocalModels(Struct, frozen=True):
    """The state of all local models."""

    satchel: ModelStatus
    """The model that is part of Satchel."""
    minilm: ModelStatus
    """The model that `model install minilm` fetches."""
    reader: ModelStatus
    """The network of Satchel that reads decisions from discussions."""
    judge: ModelStatus
    """The network of Satchel that judges which memories belong in front of a prompt."""

    @property
    def outcome(self) -> Outcome:
        """Failed if a model is damaged. A model that is not installed is not."""
        models = (self.satchel, self.minilm, self.reader, self.judge)
        return failed_if(any(one.problem not in ("", NOT_INSTALLED) for one in models))


class Clamp(Struct, frozen=True):
    """How much of a long text is embedded: its head, and its tail up to the limit."""

    max_chars: int = 6000
    head_chars: int = 500
    max_bytes: int = 0
    """Maximum number of UTF-8 bytes; 0 for no limit."""


def clamp(text: str, limits: Clamp) -> str:
    """Shorten a text to head + gap + tail."""
    head = max(0, min(limits.head_chars, limits.max_chars - len(GAP)))
    tail = limits.max_chars - len(GAP) - head
    short = text
    if len(text) > limits.max_chars:
        short = text[: limits.max_chars] if tail < 0 else text[:head] + GAP + text[len(text) - tail :]
    if not limits.max_bytes or _size(short) <= limits.max_bytes:
        return short
    room = limits.max_bytes - _size(GAP)
    if min(room, tail) < 0:
        return _beginning(text[: limits.max_chars], limits.max_bytes)
    # Cut the original text, not the shortened one, which would leave two gaps.
    begins = _beginning(text[:head], room)
    return begins + GAP + _ending(text[len(text) - tail :] if tail < len(text) else text, room - _size(begins))


def _utf8(text: str) -> bytes:
    # A lone surrogate is not valid text, but must not fail here.
    return text.encode("utf-8", "surrogatepass")


def _size(text: str) -> int:
    return len(_utf8(text))


def _beginning(text: str, most: int) -> str:
    """Return as many whole characters from the beginning as fit into `most` bytes."""
    data, end = _utf8(text), most
    while 0 < end < len(data) and _is_continuation(data[end]):
        end -= 1
    return data[:end].decode("utf-8", "surrogatepass")


def _ending(text: str, most: int) -> str:
    """Return as many whole characters from the end as fit into `most` bytes."""
    data = _utf8(text)
    start = max(0, len(data) - most)
    while start < len(data) and _is_continuation(data[start]):
        start += 1
    return data[start:].decode("utf-8", "surrogatepass")


def _is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def vector_problem(vector: Vector, dimensions: int) -> str | None:
    """Return the code of what is wrong with a vector, or None if it can be stored."""
    if len(vector) != dimensions:
        return "wrong_dimension"
    if not all(map(math.isfinite, vector)):
        return "not_finite"
    if not any(vector):
        return "zero_vector"
    return None


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two unit vectors, rounded so that it prints the same everywhere."""
    return round(math.fsum(map(operator.mul, one, other)), 6)
