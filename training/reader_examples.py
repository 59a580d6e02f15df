"""Questions of `training/decisions` with the discussions they are asked of, as the reader sees them.

Every question is asked of its own conversation, and of one of the nearest others, which does not answer it.
"""

import json
import random
from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.adapters.reader.acts import ACTS, Floats, act_inputs
from satchel.adapters.reader.features import Nearness, decision_features, nearness
from satchel.adapters.reader.question import asks
from satchel.domain.conversation import Speaker
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.domain.words import content_terms, text_terms
from satchel.ports.reading import DecisionQuestion
from satchel.recall.relevance import term_weights, word_forms

CONVERSATIONS = Path(__file__).parent / "decisions" / "conversations.jsonl"
LABELS: dict[str, frozenset[str]] = {
    **{act: frozenset({act}) for act in ACTS},
    "settles": frozenset({"settles", "reverses"}),
    "undecided": frozenset({"undecided", "rejects", "reports_others"}),
}
PARTS = ("decision", "reasons", "replaced", "stale")
# From how many of the nearest other conversations one is chosen.
NEAREST = 8

Texts = dict[str, Floats]


class Talk:
    """A labelled conversation."""

    def __init__(self, row: dict[str, Any], vectors: Texts) -> None:
        self.row: dict[str, Any] = row
        self.texts: list[str] = [one["content"] for one in row["messages"]]
        self.roles = [Speaker(one.get("role", Speaker.USER)) for one in row["messages"]]
        self.vectors: Floats = np.stack([vectors[text] for text in self.texts])
        self.words = [text_terms(text) for text in self.texts]
        self.scores: Floats = np.zeros((len(self.texts), len(ACTS)), np.float32)

    @cached_property
    def inputs(self) -> Floats:
        """The inputs of the models of acts."""
        return act_inputs(self.texts, self.roles, self.vectors)

    @property
    def acts(self) -> Floats:
        """Which acts each message is labelled with."""
        said = [set(one.get("acts") or ()) for one in self.row["messages"]]
        return np.array([[bool(LABELS[act] & one) for act in ACTS] for one in said], np.float32)


class Example:
    """A question of one conversation, its home, asked of that or another one."""

    def __init__(self, home: int, number: int, talk: Talk, asked: dict[str, Any], question: DecisionQuestion) -> None:
        own = home == number
        known = asked.get("asked_after") if own else None
        self.home, self.talk_number, self.asked = home, number, asked
        self.question, self.vectors, self.acts = question, talk.vectors[:known], talk.acts[:known]
        self.near: Nearness = nearness(question, self.vectors, talk.words[:known])
        self.features: Floats = decision_features(self.near, talk.scores[:known], asks(question.text))
        self.labels: Floats = np.zeros((len(PARTS), len(self.vectors)), np.float32)
        for part, name in enumerate(PARTS if own else ()):
            self.labels[part, [place - 1 for place in asked.get(name) or ()]] = 1
        gives_reason = asked["asks"] in ("why", "why_not") or bool(asked.get("reasons"))
        self.reason_known = bool(own and asked["answerable"] and gives_reason)

    @classmethod
    def of_inputs(cls, question: DecisionQuestion, vectors: Floats, features: Floats) -> Self:
        """Return an example without labels."""
        made = cls.__new__(cls)
        made.question, made.vectors, made.features, made.reason_known = question, vectors, features, False
        made.labels = np.zeros((len(PARTS), len(vectors)), np.float32)
        made.acts = np.zeros((len(vectors), len(ACTS)), np.float32)
        return made


class Store:
    """Labelled conversations that questions are asked of."""

    def __init__(self, rows: Sequence[dict[str, Any]], vectors: Texts) -> None:
        self.talks = [Talk(row, vectors) for row in rows]
        self._vectors, self._held = vectors, dict[str, int]()
        self._words = [words for talk in self.talks for words in talk.words]

    def question(self, text: str) -> DecisionQuestion:
        """Return a question as the reader sees it in this store."""
        terms = tuple(content_terms(text))
        for term in terms:
            if term not in self._held:
                forms = word_forms(term)
                self._held[term] = sum(not words.isdisjoint(forms) for words in self._words)
        weights = term_weights({term: self._held[term] for term in terms}, len(self._words))
        return DecisionQuestion(text, array("f", self._vectors[text].tolist()), terms, weights)

    def own_examples(self) -> list[Example]:
        """Ask every question of its own conversation."""
        return [
            Example(number, number, talk, asked, self.question(asked["ask"]))
            for number, talk in enumerate(self.talks)
            for asked in talk.row["questions"]
        ]

    def other_examples(self, examples: Sequence[Example], seed: int) -> list[Example]:
        """Ask every question of one of the nearest other conversations."""
        chosen, found = random.Random(seed), list[Example]()
        for one in examples:
            near = [number for number in self.nearest(one.question, NEAREST + 1) if number != one.talk_number]
            number = chosen.choice(near[:NEAREST])
            found.append(Example(one.home, number, self.talks[number], one.asked, one.question))
        return found

    def nearest(self, question: DecisionQuestion, count: int, among: Sequence[int] | None = None) -> list[int]:
        """Return the conversations with the nearest messages by meaning."""
        numbers = range(len(self.talks)) if among is None else among
        vector = np.asarray(question.vector, np.float32)
        near = {number: float(np.sort(self.talks[number].vectors @ vector)[-3:].mean()) for number in numbers}
        return sorted(numbers, key=lambda number: (-near[number], number))[:count]


def read_rows(path: Path = CONVERSATIONS) -> list[dict[str, Any]]:
    """Read labelled conversations."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def embed_texts(rows: Sequence[dict[str, Any]], cache: Path | None) -> Texts:
    """Return the vectors of all messages and questions. With a cache file, only of those that it lacks."""
    texts = dict.fromkeys(
        text
        for row in rows
        for text in (*(one["content"] for one in row["messages"]), *(one["ask"] for one in row["questions"]))
    )
    known: Texts = {}
    if cache is not None and cache.exists():
        with np.load(cache, allow_pickle=False) as stored:
            known = dict(zip(stored["texts"].tolist(), stored["vectors"].astype(np.float32), strict=True))
    if missing := [text for text in texts if text not in known]:
        made = OnnxEncoder(BUNDLED_MODEL, FOLDER, "").embed(missing)
        known.update(zip(missing, np.array(made, np.float32), strict=True))
        if cache is not None:
            np.savez(cache, texts=np.array(list(known)), vectors=np.stack(list(known.values())).astype(np.float16))
    return known
