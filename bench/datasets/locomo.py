"""LoCoMo: long chats between two people, with the turns that answer each question. One corpus per conversation."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from bench.datasets.dataset import Corpus, Dataset, Lane, Level, Question, Unit
from bench.datasets.reading import converted, corpus, moment, not_of_format, shaped

NAME = "locomo"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
# Its gold is a turn that only looks like evidence.
APART = ("adversarial",)
_SESSION = re.compile(r"session_(\d+)")
# Written as "D8:6; D9:17", "D:11:26" or "D1:03".
_EVIDENCE = re.compile(r"D:?\s*(\d+)\s*:\s*0*(\d+)")
_DATES = ("%I:%M %p on %d %B, %Y", "%d %B, %Y")


class LocomoTurn(Struct):
    """The fields of a turn that are used."""

    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class LocomoQuestion(Struct):
    """The fields of a question that are used."""

    question: str
    evidence: list[str]
    category: int
    answer: str | int | float | None = None


class Sample(Struct):
    """The fields of a conversation that are used. Summaries and observations, which a model wrote, are ignored."""

    sample_id: str
    conversation: dict[str, Any]
    asked: list[LocomoQuestion] = field(name="qa")


def read(data: bytes, level: Level) -> Dataset:
    """Return the conversations of a file, one corpus each."""
    samples = shaped(data, list[Sample], NAME)
    return Dataset(NAME, level, Lane.EPISODES, tuple(_corpus(one, level) for one in samples), APART)


def _corpus(sample: Sample, level: Level) -> Corpus:
    units = list(_units(sample))
    last = max((one.at for one in units if one.at is not None), default=None)
    questions = [
        Question(
            f"{sample.sample_id}-{place}",
            one.question,
            _category(one),
            _gold(one, units, level),
            last,
            "" if one.answer is None else str(one.answer),
        )
        for place, one in enumerate(sample.asked)
    ]
    return corpus(f"conversation {sample.sample_id}", units, questions)


def _units(sample: Sample) -> Iterator[Unit]:
    said = sample.conversation
    numbers = sorted(int(found[1]) for name in said if (found := _SESSION.fullmatch(name)))
    for number in numbers:
        turns = converted(said[f"session_{number}"], list[LocomoTurn], NAME, f"session {number} of {sample.sample_id}")
        at = moment(str(said.get(f"session_{number}_date_time", "")), *_DATES)
        for turn in turns:
            seen = f" [image: {turn.blip_caption}]" if turn.blip_caption else ""
            yield Unit(turn.dia_id, f"{turn.text}{seen}".strip(), f"D{number}", turn.speaker, at=at)


def _category(one: LocomoQuestion) -> str:
    if one.category not in CATEGORIES:
        raise not_of_format(NAME, f"unknown category {one.category}")
    return CATEGORIES[one.category]


def _gold(one: LocomoQuestion, units: Sequence[Unit], level: Level) -> tuple[str, ...]:
    """Return the evidence that the conversation has; some labels name turns that do not exist."""
    sessions = {unit.id: unit.session for unit in units}
    named = [f"D{session}:{turn}" for text in one.evidence for session, turn in _EVIDENCE.findall(text)]
    there = [id for id in dict.fromkeys(named) if id in sessions]
    return tuple(there) if level is Level.TURN else tuple(dict.fromkeys(sessions[id] for id in there))
