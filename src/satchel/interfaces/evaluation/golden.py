"""A golden set: questions whose answers are known, and the memories they are asked of, read from the rows of a file."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import astuple, replace

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.scope import scope_name
from satchel.domain.text import MAX_TEXT_CHARS, checked
from satchel.domain.words import MAX_QUESTION_CHARS
from satchel.errors import InvalidRequest

# More than a set anybody wrote, and little enough to be stored and asked while one waits.
MAX_ROWS = 100_000
MAX_EXPECTED = 50

SAMPLE_FIELDS = frozenset({"key", "text", "scope", "kind", "importance", "title"})
CASE_FIELDS = frozenset({"id", "query", "scope", "expect", "family", "language"})

# Cases that name no family or language are counted together.
UNNAMED = "other"

Rows = Iterable[tuple[str, Mapping[str, Json]]]
"""Each row of a file, with the place a person finds it by."""


class Sample(Struct, frozen=True):
    """A memory of the set, by the key that cases know it by."""

    key: str
    text: str
    scope: str
    kind: str
    importance: float | None
    title: str | None
    place: str


class Case(Struct, frozen=True):
    """A question, where it is asked, and what answers it."""

    id: str
    query: str
    scope: str
    expect: tuple[str, ...]
    """Keys of samples; in a set without any, ids or exact texts of memories. Any one of them is an answer."""
    family: str
    language: str
    place: str


class GoldenSet(Struct, frozen=True):
    """Cases, and the memories they are asked of; none of these means: the store one has."""

    samples: tuple[Sample, ...]
    cases: tuple[Case, ...]

    @property
    def digest(self) -> str:
        """The name of exactly this set, wherever its rows stand."""
        unplaced = [[replace(one, place="") for one in part] for part in (self.samples, self.cases)]
        return digest(canonical([[astuple(one) for one in part] for part in unplaced]))


def golden_set(rows: Rows, *, default_scope: str) -> GoldenSet:
    """Read a set, or raise InvalidRequest that names the first place where it is none."""
    samples: dict[str, Sample] = {}
    cases: dict[str, Case] = {}
    for number, (place, row) in enumerate(rows, start=1):
        if number > MAX_ROWS:
            raise _wrong(place, f"a golden set has at most {MAX_ROWS:,} rows")
        if "query" in row:
            case = _case(row, place, default_scope)
            _add(cases, case.id, case, place, "id")
        elif "text" in row:
            sample = _sample(row, place, default_scope)
            _add(samples, sample.key, sample, place, "key")
        else:
            raise _wrong(place, "it has neither a text, as a memory, nor a query, as a case")
    if not cases:
        raise _wrong("the golden set", "it has no cases")
    if samples:
        for case in cases.values():
            _check_expected(case, samples)
    return GoldenSet(tuple(samples.values()), tuple(cases.values()))


def _wrong(place: str, problem: str) -> InvalidRequest:
    return InvalidRequest(
        f"{place}: {problem}",
        code="invalid_golden_set",
        hint="a memory has a key and a text, a case has an id, a query and what to expect; see docs/evaluation.md",
    )


def _add(known: dict[str, Sample] | dict[str, Case], name: str, one: Sample | Case, place: str, field: str) -> None:
    if name in known:
        raise _wrong(place, f"the {field} {name[:80]!r} stands at {known[name].place} already")
    known[name] = one  # type: ignore[assignment]


def _sample(row: Mapping[str, Json], place: str, default_scope: str) -> Sample:
    _check_fields(row, SAMPLE_FIELDS, place)
    importance = row.get("importance")
    if importance is not None and (isinstance(importance, bool) or not isinstance(importance, (int, float))):
        raise _wrong(place, "the importance must be a number from 0 to 1")
    return Sample(
        key=_text(row, "key", place),
        text=_text(row, "text", place, limit=MAX_TEXT_CHARS),
        scope=_scope(row, place, default_scope),
        kind=_text(row, "kind", place, default="other"),
        importance=importance,
        title=_text(row, "title", place) if row.get("title") is not None else None,
        place=place,
    )


def _case(row: Mapping[str, Json], place: str, default_scope: str) -> Case:
    _check_fields(row, CASE_FIELDS, place)
    return Case(
        id=_text(row, "id", place),
        query=_text(row, "query", place, limit=MAX_QUESTION_CHARS),
        scope=_scope(row, place, default_scope),
        expect=_expected(row.get("expect"), place),
        family=_text(row, "family", place, default=UNNAMED),
        language=_text(row, "language", place, default=UNNAMED),
        place=place,
    )


def _check_fields(row: Mapping[str, Json], known: frozenset[str], place: str) -> None:
    """Refuse a field nobody knows: a misspelt one would change what is measured, and say nothing."""
    if unknown := sorted(set(row) - known):
        raise _wrong(place, f"unknown field {unknown[0][:80]!r}, known are {', '.join(sorted(known))}")


def _text(
    row: Mapping[str, Json], field: str, place: str, *, default: str | None = None, limit: int | None = None
) -> str:
    value = row.get(field, default)
    if value is None:
        raise _wrong(place, f"it has no {field}")
    return _checked(value, f"the {field}", place, limit)


def _checked(value: Json, field: str, place: str, limit: int | None = None) -> str:
    if not isinstance(value, str):
        raise _wrong(place, f"{field} must be text")
    try:
        return checked(value, field) if limit is None else checked(value, field, limit=limit)
    except InvalidRequest as error:
        raise _wrong(place, error.message) from None


def _scope(row: Mapping[str, Json], place: str, default_scope: str) -> str:
    scope = _text(row, "scope", place, default=default_scope)
    try:
        return scope_name(scope)
    except InvalidRequest as error:
        raise _wrong(place, error.message) from None


def _expected(value: Json, place: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not 1 <= len(value) <= MAX_EXPECTED:
        raise _wrong(place, f"'expect' must be a list of 1 to {MAX_EXPECTED} texts")
    return tuple(_checked(one, "what to expect", place, MAX_TEXT_CHARS) for one in value)


def _check_expected(case: Case, samples: Mapping[str, Sample]) -> None:
    for key in case.expect:
        if key not in samples:
            raise _wrong(case.place, f"no memory of the set has the key {key[:80]!r}")
        if samples[key].scope != case.scope:
            raise _wrong(
                case.place, f"{key[:80]!r} is in scope '{samples[key].scope}', the case asks in '{case.scope}'"
            )
