"""Glimpse: how a text begins, on one line and without its secrets."""

from satchel.domain.safety.redact import redacted
from satchel.domain.shorten import shortened

MAX_CHARS = 80


def masked(text: str) -> str:
    """Return a text without its secrets."""
    return redacted(text).text


def beginning(text: str) -> str:
    """Return how a text begins. It is masked before it is cut: half a secret is not recognised."""
    return shortened(" ".join(masked(text).split()), MAX_CHARS)
