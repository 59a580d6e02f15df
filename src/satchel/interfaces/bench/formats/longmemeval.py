"""LongMemEval: sessions of a user and an assistant. All sessions of a file's questions are one pool."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from satchel.interfaces.bench.formats.reading import corpus, moment, not_of_format, shaped
from satchel.interfaces.bench.sets import BenchmarkSet, Lane, Level, Question, Unit

NAME = "longmemeval"
# Questions that have no answer: asked, not scored.
UNANSWERABLE = "_abs"
_DATES = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")


class Said(Struct):
    """What is read of a turn. Whether it holds an answer is a label, and goes no further than the gold."""

    role: str
    content: str
    has_answer: bool | None = None


class Asked(Struct):
    """What is read of a question and its sessions."""

    question_id: str
    question_type: str
    question: str
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[Said]]
    answer_session_ids: list[str]

    @property
    def scored(self) -> bool:
        """Whether it has an answer to be found."""
        return not self.question_id.endswith(UNANSWERABLE)


def read(data: bytes, level: Level) -> BenchmarkSet:
    """Return the pool of a file."""
    asked = shaped(data, list[Asked], NAME)
    for one in asked:
        if not len(one.haystack_dates) == len(one.haystack_session_ids) == len(one.haystack_sessions):
            raise not_of_format(NAME, f"{one.question_id} has not one id and one date for each session")
    units = list(_pool(asked))
    held = {unit.session for unit in units}
    questions = [
        Question(one.question_id, one.question, one.question_type, _gold(one, level, held), _at(one.question_date))
        for one in asked
    ]
    return BenchmarkSet(NAME, level, Lane.EPISODES, (corpus("the pool", units, questions),))


def _pool(asked: Sequence[Asked]) -> Iterator[Unit]:
    known: set[str] = set()
    for one in asked:
        for id, date, turns in zip(one.haystack_session_ids, one.haystack_dates, one.haystack_sessions, strict=True):
            if id not in known:
                known.add(id)
                yield from (
                    Unit(f"{id}#{place}", turn.content, id, role=turn.role, at=_at(date))
                    for place, turn in enumerate(turns)
                )


def _gold(one: Asked, level: Level, held: set[str]) -> tuple[str, ...]:
    if not one.scored:
        return ()
    if level is Level.SESSION:
        return tuple(id for id in dict.fromkeys(one.answer_session_ids) if id in held)
    sessions = zip(one.haystack_session_ids, one.haystack_sessions, strict=True)
    return tuple(f"{id}#{place}" for id, turns in sessions for place, turn in enumerate(turns) if turn.has_answer)


def _at(date: str) -> int | None:
    return moment(date, *_DATES)
