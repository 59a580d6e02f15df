"""Training sets: texts ("units"), questions about them, and which units answer each question."""

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SPEAKER = re.compile(r"([^\W\d_][\w .'’-]{0,30}): ")
ROLES = ("user", "assistant")


@dataclass(frozen=True)
class Question:
    """A question, and the indexes of the units that answer it."""

    text: str
    answers: tuple[int, ...]


@dataclass(frozen=True)
class TextSet:
    """A conversation, a set of notes or a pool of code, with questions about it."""

    kind: str
    units: tuple[str, ...]
    questions: tuple[Question, ...]


def read_sets(path: Path) -> list[TextSet]:
    """Read sets from JSON lines, which may be gzipped."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [_parse(json.loads(line), path) for line in data.decode().splitlines() if line.strip()]


def _parse(row: dict[str, object], path: Path) -> TextSet:
    units = tuple(str(unit) for unit in row["units"])  # type: ignore[attr-defined]
    questions = tuple(Question(one["q"], tuple(one["pos"])) for one in row["qa"])  # type: ignore[attr-defined]
    if not all(0 <= answer < len(units) for one in questions for answer in one.answers):
        raise ValueError(f"{path.name}: an answer is not among the units")
    return TextSet(str(row.get("kind") or path.name.partition(".")[0]), units, questions)


def write_sets(sets: Iterable[TextSet], path: Path) -> None:
    """Write sets as gzipped JSON lines."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for one in sets:
            asked = [{"q": question.text, "pos": question.answers} for question in one.questions]
            file.write(json.dumps({"kind": one.kind, "units": one.units, "qa": asked}, ensure_ascii=False) + "\n")


def split(sets: Sequence[TextSet], held_share: float, seed: int) -> tuple[list[TextSet], list[TextSet]]:
    """Split sets into those to train on and those held out, the same share of every kind."""
    train, held = list[TextSet](), list[TextSet]()
    chooser = random.Random(seed)
    for kind in sorted({one.kind for one in sets}):
        same = [one for one in sets if one.kind == kind]
        chooser.shuffle(same)
        count = round(len(same) * held_share)
        held += same[:count]
        train += same[count:]
    return train, held


def questions_of(sets: Iterable[TextSet]) -> Iterator[tuple[TextSet, Question]]:
    """Yield every question with its set."""
    return ((one, question) for one in sets for question in one.questions)


def without_speakers(one: TextSet) -> TextSet:
    """Return a set as the product embeds it: no speaker before a unit, no names of speakers in units and questions."""
    names = _speakers(one)
    return TextSet(
        one.kind,
        tuple(without_names(_without_prefix(unit), names) for unit in one.units),
        tuple(Question(without_names(asked.text, names), asked.answers) for asked in one.questions),
    )


def _speakers(one: TextSet) -> tuple[str, ...]:
    """Return the names that stand before several units, roles left out."""
    counts = Counter(match[1] for unit in one.units if (match := SPEAKER.match(unit)))
    return tuple(sorted(name for name, count in counts.items() if count > 2 and name not in ROLES))


def _without_prefix(text: str) -> str:
    match = SPEAKER.match(text)
    return text[match.end() :] if match else text


def without_names(text: str, names: Sequence[str]) -> str:
    """Return a text without some names, as the product embeds it."""
    if not names:
        return text
    listed = "|".join(re.escape(name) for name in names)
    left = re.sub(rf"(?<!\w)(?:{listed})(?:['’]s)?(?!\w)", "", text)
    left = re.sub(r"[ \t]{2,}", " ", left).strip(" ,:")
    return left if any(map(str.isalnum, left)) else text
