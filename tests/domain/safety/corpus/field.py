"""Generic secrets as people really write them, one by one and without a generator, and harmless texts that resemble them.

⟦…⟧ encloses what must not be shown. Written before anything was known of the rules; half is held out from work on them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.domain.safety.corpus.samples import Sample, is_held

FOLDER = Path(__file__).parent / "field"
SECRET_FILES = ("shell", "config", "code", "prose", "logs", "told", "causes")
LATER_FILES = ("later", "last", "fresh")
"""Written after rules had been made on the others, and before the next ones were: all of them are held out."""

_SECRET = re.compile("⟦([^⟧]+)⟧")


def idiom_samples() -> Iterator[Sample]:
    """Yield samples of idioms that the rules know, written together with them: all must be masked, and none counts as held out."""
    for marked in (FOLDER / "idioms.txt").read_text(encoding="utf-8").rstrip("\n").split("\n%%\n"):
        text = _SECRET.sub(r"\1", marked)
        yield Sample("field-idioms", text, text, tuple(_SECRET.findall(marked)), False)


def field_samples() -> Iterator[Sample]:
    """Yield every sample, those with secrets first."""
    for name in (*SECRET_FILES, *LATER_FILES, "harmless"):
        for marked in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n%%\n"):
            text = _SECRET.sub(r"\1", marked)
            held = name in LATER_FILES or is_held(text)
            yield Sample(f"field-{name}", text, text, tuple(_SECRET.findall(marked)), held)
