"""The question: a recall request after its words have been checked."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.amount import amount
from satchel.domain.scope_tags import without_tags
from satchel.domain.text import readable
from satchel.domain.words import MAX_QUESTION_CHARS, question_terms
from satchel.errors import InvalidRequest

MAX_LIMIT = 50
# Lanes look deeper than the answer is long, so that fusion has something to fuse.
POOL_FACTOR = 4
MIN_POOL = 20


class Mode(StrEnum):
    """Which lanes a recall uses."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    VECTOR = "vector"


class Question(Struct, frozen=True):
    """What to look for, and how."""

    text: str
    """What is looked for: the words without scope tags."""
    said: str
    """The words as they were given."""
    terms: tuple[str, ...]
    mode: Mode
    limit: int
    clamped: bool

    @property
    def pool(self) -> int:
        """How many candidates each lane brings."""
        return max(MIN_POOL, self.limit * POOL_FACTOR)


def ask_evidence(text: str, mode: str, limit: int, most: int) -> Question:
    """Check a question that is asked of evidence, which may bring more than memories do."""
    wanted = amount(limit, "limit", 1, most, "such as 10")
    return replace(ask(text, mode, 1), limit=wanted)


def ask(text: str, mode: str, limit: int) -> Question:
    """Check a request and return the question it asks. Over-long text is cut, and the receipt will say so."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidRequest("the query is empty", code="empty_query", hint="say what you are looking for")
    amount(limit, "limit", 1, MAX_LIMIT, "such as 5")
    try:
        chosen = Mode(mode)
    except ValueError:
        raise InvalidRequest(
            f"unknown mode {mode[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(Mode)}"
        ) from None
    said = readable(text[:MAX_QUESTION_CHARS])
    asked = without_tags(said)
    # A question that is nothing but a tag asks for its words.
    asked = asked if asked.strip() else said
    return Question(asked, said, question_terms(asked), chosen, limit, clamped=len(text) > MAX_QUESTION_CHARS)
