"""Preview: the beginning of a text on one line, with secrets masked."""

from satchel.domain.safety.redact import mask
from satchel.domain.shorten import shorten

MAX_CHARS = 80


def preview(text: str) -> str:
    """Return the beginning of a text. It is masked before it is cut: half a secret would not be recognised."""
    return shorten(" ".join(mask(text).split()), MAX_CHARS)
