"""Questions to the router over small fictional projects: their files, memories and conversations.

The data are our own (`bench/data/routes`, one folder per project). A question names the sources that may stand first and the
statuses that a person would give the answer. Rules are developed on the half `tuned`; the half `held` is only reported. Every
time is relative to NOW, so that questions about today and last week have an answer.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.decisions import Message
from satchel.app import Satchel
from satchel.domain.record import Kind
from satchel.domain.routing import RouteItem
from satchel.errors import Unavailable

DATA = Path(__file__).parent / "data" / "routes"
NOW = datetime(2026, 3, 18, 15, 0, tzinfo=UTC)
FILE_MARK = ">>> "
SETS: Mapping[str, tuple[str, ...]] = {"first": ("mendwell",), "second": ("tide", "lab")}
"""The projects of each set. The second set was written when the rules had been developed on the first."""
Half = Literal["tuned", "held"]
HALVES: tuple[Half, ...] = ("tuned", "held")
Rule = Literal["exact_symbol", "relationship", "decision_recall", "concept", "recent", "file_path", "default"]
Status = Literal["success", "partial", "empty"]
Line = TypeVar("Line")


class RouteQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and what a right answer is."""

    ask: str
    rule: Rule
    """The rule that the question is written for; an answer may be right by another one."""
    half: Half
    first: tuple[str, ...]
    """The first result comes from one of these: `file:PATH`, `memory:KEY`, `talk:ID#NUMBER`, or `between:A+B` for a
    relation that names both. Empty where the project knows nothing."""
    status: tuple[Status, ...]
    """The statuses that a person would accept."""
    contains: str | None = None
    """What the first result has to contain."""
    added: bool = False
    """Whether it was written after the rules had been developed on the other questions."""


class RouteMemory(Struct, frozen=True, forbid_unknown_fields=True):
    """A memory of the project."""

    key: str
    text: str
    kind: Kind
    by: Literal["operator", "agent"]
    at: str


class Talk(Struct, frozen=True, forbid_unknown_fields=True):
    """A conversation of the project."""

    id: str
    messages: tuple[Message, ...]


class Project(Struct, frozen=True):
    """Everything that the questions are asked about."""

    files: dict[str, str]
    memories: dict[str, RouteMemory]
    talks: dict[str, Talk]


class SetClock:
    """Implements ports.Clock: the date stands still until it is set, durations are real."""

    def __init__(self, at: datetime = NOW) -> None:
        self.at = at

    def now(self) -> int:
        return int(self.at.timestamp() * 1000)

    def ticks(self) -> float:
        return time.monotonic()


def read_questions(half: Half, project: str) -> list[RouteQuestion]:
    """Read the questions of a half about a project."""
    return [one for one in _lines(DATA / project / "questions.jsonl", RouteQuestion) if one.half == half]


def half_by_hash(ask: str) -> Half:
    """Return the half of a question in the second set, so that nobody chooses it."""
    return "held" if hashlib.sha256(ask.encode()).digest()[0] % 2 else "tuned"


def read_project(project: str) -> Project:
    """Read the files, memories and conversations of a project."""
    folder = DATA / project
    return Project(
        files=_files((folder / "files.txt").read_text(encoding="utf-8")),
        memories={one.key: one for one in _lines(folder / "memories.jsonl", RouteMemory)},
        talks={one.id: one for one in _lines(folder / "talks.jsonl", Talk)},
    )


def fill(memory: Satchel, project: Project, folder: Path) -> Satchel:
    """Fill a store with the project, everything at its own time; return it with the clock at NOW."""
    clock = SetClock()
    dated = Satchel(replace(memory.parts, clock=clock))
    for path, text in project.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    dated.documents.ingest(str(folder))
    dated.graph.extract(str(folder))
    for one in project.memories.values():
        clock.at = datetime.fromisoformat(one.at)
        dated.store(one.text, kind=one.kind, source_kind="operator" if one.by == "operator" else "tool")
    for talk in project.talks.values():
        for message in talk.messages:
            clock.at = datetime.fromisoformat(message.at)
            dated.conversations.add(
                message.content, conversation=talk.id, role=message.role, by=message.by, at=message.at
            )
    clock.at = NOW
    with suppress(Unavailable):  # without a model there are no vectors to make
        dated.maintenance.index_build()
    return dated


def right_first(question: RouteQuestion, results: tuple[RouteItem, ...], project: Project) -> bool:
    """Whether the first result answers the question; always where there is nothing to find."""
    if not question.first:
        return True
    if not results or _folded(question.contains or "") not in _folded(results[0].content):
        return False
    return any(_comes_from(results[0], source, project) for source in question.first)


def source_problems(question: RouteQuestion, project: Project) -> Iterator[str]:
    """Say which sources of a question do not exist, or do not contain what the question wants."""
    texts = [text for source in question.first for text in _texts(source, project)]
    if not all(texts):
        yield f"{question.ask}: a source does not exist"
    elif texts and _folded(question.contains or "") not in _folded("\n".join(texts)):
        yield f"{question.ask}: no source contains {question.contains!r}"
    if not question.first and "success" in question.status:
        yield f"{question.ask}: nothing to find is not a success"


def _comes_from(item: RouteItem, source: str, project: Project) -> bool:
    kind, _, name = source.partition(":")
    if kind == "file":
        return (item.path or "").endswith(name)
    content = _folded(item.content)
    if kind == "between":
        return all(_folded(one) in content for one in name.split("+"))
    return any(_folded(text) in content or content in _folded(text) for text in _texts(source, project))


def _texts(source: str, project: Project) -> Iterator[str]:
    """Return the text behind a source, empty where there is none; of a relation, where each of its names occurs."""
    kind, _, name = source.partition(":")
    if kind == "file":
        yield project.files.get(name, "")
    elif kind == "memory":
        yield project.memories[name].text if name in project.memories else ""
    elif kind == "talk":
        talk, _, number = name.partition("#")
        known = project.talks.get(talk)
        yield next((one.content for one in known.messages if str(one.number) == number), "") if known else ""
    else:
        yield from (next((text for text in project.files.values() if one in text), "") for one in name.split("+"))


def _files(text: str) -> dict[str, str]:
    parts = f"\n{text}".split(f"\n{FILE_MARK}")[1:]
    return {path: f"{body.strip()}\n" for path, _, body in (part.partition("\n") for part in parts)}


def _lines(path: Path, kind: type[Line]) -> list[Line]:
    decoder = msgspec.json.Decoder(kind)
    return [decoder.decode(line) for line in path.read_bytes().splitlines() if line.strip()]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
