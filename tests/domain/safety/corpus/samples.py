"""The corpus: seeded samples of every form, half of the forms held out from the work on the rules."""

import hashlib
import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.domain.safety.corpus.harmless import HARMLESS
from tests.domain.safety.corpus.idioms import IDIOMS, SURROUNDINGS
from tests.domain.safety.corpus.known_forms import KNOWN_FORMS
from tests.domain.safety.corpus.values import filled

PER_FORM = 6
PER_HARMLESS_LINE = 14


class Sample(NamedTuple):
    """One text: the form it was made from, its secret parts (none if harmless) and whether the form is held out."""

    group: str
    form: str
    text: str
    secrets: tuple[str, ...]
    held: bool


def samples() -> Iterator[Sample]:
    """Yield every sample, the same in every run."""
    for maker, shape in KNOWN_FORMS:
        yield from _made("known", maker, shape, SURROUNDINGS)
    for _, shape in IDIOMS:
        yield from _made("generic", "", shape, ("{}",))
    for line in HARMLESS:
        yield from _harmless(line)


def _made(group: str, maker: str, shape: str, surroundings: tuple[str, ...]) -> Iterator[Sample]:
    chosen = random.Random(f"{maker}{shape}")
    for _ in range(PER_FORM):
        text, pieces = filled(shape, chosen)
        secret = max(pieces, key=len)
        around = chosen.choice(surroundings)
        yield Sample(group, shape, around.replace("{}", text), _secrets(shape, secret, pieces), is_held(shape))


def _secrets(shape: str, longest: str, pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Return the pieces that must not stay: both halves of a split value, else the longest piece."""
    return pieces if shape.count("\n") and len(set(map(len, pieces))) == 1 and len(pieces) > 1 else (longest,)


def _harmless(line: str) -> Iterator[Sample]:
    chosen = random.Random(line)
    for _ in range(PER_HARMLESS_LINE):
        yield Sample("harmless", line, filled(line, chosen)[0], (), is_held(line))


def is_held(form: str) -> bool:
    """Return whether a form is held out; decided by its hash, so that adding forms moves none."""
    return hashlib.sha256(form.encode()).digest()[0] % 2 == 1
