"""LongMemEval: sessions of a user and an assistant. The sessions of all questions of a file form one corpus."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.datasets.dataset import Dataset, Lane, Level, Question, Unit
from bench.datasets.reading import corpus, moment, not_of_format, shaped

NAME = "longmemeval"
# Questions without an answer: asked, not scored.
UNANSWERABLE = "_abs"
_DATES = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")


class LongMemEvalTurn(Struct):
    """The fields of a turn that are used. `has_answer` is a label and only makes the gold."""

    role: str
    content: str
    has_answer: bool | None = None


class LongMemEvalQuestion(Struct):
    """The fields of a question that are used."""

    question_id: str
    question_type: str
    question: str
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[LongMemEvalTurn]]
    answer_session_ids: list[str]
    answer: str | int | float | None = None

    @property
    def scored(self) -> bool:
        """Whether it has an answer."""
        return not self.question_id.endswith(UNANSWERABLE)


def read(data: bytes, level: Level) -> Dataset:
    """Return the sessions of a file as one corpus."""
    asked = shaped(data, list[LongMemEvalQuestion], NAME)
    for one in asked:
        if not len(one.haystack_dates) == len(one.haystack_session_ids) == len(one.haystack_sessions):
            raise not_of_format(NAME, f"{one.question_id} does not have one id and one date for each session")
    units = list(_pool(asked))
    held = {unit.session for unit in units}
    questions = [
        Question(
            one.question_id,
            one.question,
            one.question_type,
            _gold(one, level, held),
            _at(one.question_date),
            "" if one.answer is None else str(one.answer),
        )
        for one in asked
    ]
    return Dataset(NAME, level, Lane.EPISODES, (corpus("the pool", units, questions),))


def _pool(asked: Sequence[LongMemEvalQuestion]) -> Iterator[Unit]:
    known: set[str] = set()
    for one in asked:
        for id, date, turns in zip(one.haystack_session_ids, one.haystack_dates, one.haystack_sessions, strict=True):
            if id not in known:
                known.add(id)
                yield from (
                    Unit(f"{id}#{place}", turn.content, id, role=turn.role, at=_at(date))
                    for place, turn in enumerate(turns)
                )


def _gold(one: LongMemEvalQuestion, level: Level, held: set[str]) -> tuple[str, ...]:
    if not one.scored:
        return ()
    if level is Level.SESSION:
        return tuple(id for id in dict.fromkeys(one.answer_session_ids) if id in held)
    sessions = zip(one.haystack_session_ids, one.haystack_sessions, strict=True)
    return tuple(f"{id}#{place}" for id, turns in sessions for place, turn in enumerate(turns) if turn.has_answer)


def _at(date: str) -> int | None:
    return moment(date, *_DATES)
