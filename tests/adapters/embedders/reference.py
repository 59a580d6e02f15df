"""Reference vectors of the bundled model, which every platform must give within a tolerance.

After new weights: python -m tests.adapters.embedders.reference
"""

import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path

from satchel.adapters.embedders.bundled import bundled_encoder
from satchel.domain.embedding import Vector

FILE = Path(__file__).parents[2] / "data" / "encoder" / "reference.json"
# Least cosine of a text's vector with its reference. Processors round floats differently, and a value next to the edge
# of an int8 step then falls on its other side. Other optimizations of the graph gave .9948 at least, .9993 on average.
LEAST_COSINE = 0.99

TEXTS = (
    "Where did Anna go on vacation?",
    "user: I moved to Lisbon in May and started at the aquarium two weeks later.",
    "assistant: Here are three ways to speed up the build: cache wheels, split the tests, pin the base image.",
    "We decided to keep orders in PostgreSQL; SQLite is for the tests only.",
    "Before a release: run the smoke tests, tag the commit, then deploy.",
    "ERR_4711",
    "def cosine(one, other):\n    return sum(a * b for a, b in zip(one, other, strict=True))",
    "SELECT name FROM spaces WHERE active = 1 ORDER BY id DESC LIMIT 5;",
    "https://example.org/docs/setup?step=2#linux",
    "客厅的地板我们决定用橡木。",
    "会议改到 Thursday 3pm，地点不变",
    "Straße, naïve, Ελλάδα, Ёлка",
    "🎉 shipped!",
    "a",
    "",
    "The harbour was quiet. " * 400,
)


def read() -> Iterator[tuple[str, Vector]]:
    """Yield each text with its reference vector."""
    for text, encoded in zip(TEXTS, json.loads(FILE.read_text(encoding="ascii")), strict=True):
        yield text, array("f", b64decode(encoded))


def write() -> None:
    """Write the vectors that the model gives on this machine."""
    vectors = [b64encode(vector.tobytes()).decode("ascii") for vector in bundled_encoder().embed(TEXTS)]
    FILE.write_text(json.dumps(vectors, indent=0) + "\n", encoding="ascii")


if __name__ == "__main__":
    write()
