"""Measure an encoder by cosine alone on development data: no words, no rules, the best piece of a text counts."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from training.network import Encoder, Texts, embed
from training.sets import Question, TextSet

PIECE_CHARS = 900


@dataclass(frozen=True)
class Figures:
    """Mean share of the answers among the first 5 and 10, and mean reciprocal rank of the first."""

    questions: int
    recall_5: float
    recall_10: float
    mrr: float

    def __str__(self) -> str:
        return f"{100 * self.recall_5:.1f} / {100 * self.recall_10:.1f} / {self.mrr:.3f}"


def evaluate(encoder: Encoder, texts: Texts, sets: Sequence[TextSet]) -> Figures:
    """Ask every question of every set among the units of its own set."""
    results = [result for one in sets for result in _asked(encoder, texts, one)]
    count = len(results)
    five, ten, reciprocal = (sum(one[place] for one in results) / max(1, count) for place in range(3))
    return Figures(count, five, ten, reciprocal)


def pooled(sets: Sequence[TextSet]) -> TextSet:
    """Return one set with the units and questions of all."""
    units, questions = list[str](), list[Question]()
    for one in sets:
        start = len(units)
        units += one.units
        questions += [Question(asked.text, tuple(start + place for place in asked.answers)) for asked in one.questions]
    return TextSet("pool", tuple(units), tuple(questions))


def read_dev(path: Path) -> dict[str, list[TextSet]]:
    """Read the development sets that `prepare` wrote, by name."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = json.load(file)
    return {
        name: [
            TextSet(
                name,
                tuple(one["units"]),
                tuple(Question(asked["q"], tuple(asked["pos"])) for asked in one["qa"]),
            )
            for one in several
        ]
        for name, several in found.items()
    }


def pieces(text: str) -> list[str]:
    """Return a text in pieces that fit the encoder, cut at white space."""
    found, left = list[str](), text.strip()
    while len(left) > PIECE_CHARS:
        cut = left.rfind(" ", PIECE_CHARS // 2, PIECE_CHARS)
        cut = PIECE_CHARS if cut < 0 else cut
        found.append(left[:cut])
        left = left[cut:].strip()
    return [*found, left] if left or not found else found


def _asked(encoder: Encoder, texts: Texts, one: TextSet) -> list[tuple[float, float, float]]:
    cut = [(place, piece) for place, unit in enumerate(one.units) for piece in pieces(unit)]
    vectors = embed(encoder, texts, [piece for _, piece in cut])
    asked = embed(encoder, texts, [question.text for question in one.questions])
    cosines = asked @ vectors.T
    owners = [place for place, _ in cut]
    return [_scored(row, owners, question) for row, question in zip(cosines, one.questions, strict=True)]


def _scored(row: Tensor, owners: Sequence[int], question: Question) -> tuple[float, float, float]:
    order = list(dict.fromkeys(owners[piece] for piece in row.argsort(descending=True).tolist()))[:50]
    answers = set(question.answers)
    first = next((rank for rank, place in enumerate(order, start=1) if place in answers), 0)
    return (
        len(answers.intersection(order[:5])) / len(answers),
        len(answers.intersection(order[:10])) / len(answers),
        1 / first if first else 0.0,
    )
