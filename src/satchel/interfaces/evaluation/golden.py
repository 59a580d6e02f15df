"""Parse a golden set: questions with known answers, and the memories to ask."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import astuple, replace

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.scope import check_scope
from satchel.domain.text import MAX_TEXT_CHARS, check_text
from satchel.domain.words import MAX_QUESTION_CHARS
from satchel.errors import InvalidRequest

# Maximum number of memories and cases in a set.
MAX_ROWS = 100_000
# Maximum number of answers of a case.
MAX_EXPECTED = 50

SAMPLE_FIELDS = frozenset({"key", "text", "scope", "kind", "importance", "title"})
CASE_FIELDS = frozenset({"id", "query", "scope", "expect", "family", "language"})

# The group of cases without a family or language.
UNNAMED = "other"

Rows = Iterable[tuple[str, Mapping[str, Json]]]
"""The rows of a file, each with its place, such as 'line 3'."""


class Sample(Struct, frozen=True):
    """A memory of the set, with the key that cases refer to."""

    key: str
    text: str
    scope: str
    kind: str
    importance: float | None
    title: str | None
    place: str


class Case(Struct, frozen=True):
    """A question, its scope, and its answers."""

    id: str
    query: str
    scope: str
    expect: tuple[str, ...]
    """Keys of samples; in a set without samples, ids or exact texts of memories. Any of them is an answer."""
    family: str
    language: str
    place: str


class GoldenSet(Struct, frozen=True):
    """Cases and the memories to ask; without memories the user's own store is asked."""

    samples: tuple[Sample, ...]
    cases: tuple[Case, ...]

    @property
    def digest(self) -> str:
        """A digest of the set, independent of the place of its rows."""
        unplaced = [[replace(one, place="") for one in part] for part in (self.samples, self.cases)]
        return digest(canonical([[astuple(one) for one in part] for part in unplaced]))


def golden_set(rows: Rows, *, default_scope: str) -> GoldenSet:
    """Parse a set, or raise InvalidRequest with the place of the first error."""
    samples: dict[str, Sample] = {}
    cases: dict[str, Case] = {}
    for number, (place, row) in enumerate(rows, start=1):
        if number > MAX_ROWS:
            raise _invalid(place, f"a golden set has at most {MAX_ROWS:,} rows")
        if "query" in row:
            case = _case(row, place, default_scope)
            _add(cases, case.id, case, place, "id")
        elif "text" in row:
            sample = _sample(row, place, default_scope)
            _add(samples, sample.key, sample, place, "key")
        else:
            raise _invalid(place, "it has neither a text (a memory) nor a query (a case)")
    if not cases:
        raise _invalid("the golden set", "it has no cases")
    if samples:
        for case in cases.values():
            _check_expected(case, samples)
    return GoldenSet(tuple(samples.values()), tuple(cases.values()))


def _invalid(place: str, problem: str) -> InvalidRequest:
    return InvalidRequest(
        f"{place}: {problem}",
        code="invalid_golden_set",
        hint="a memory needs a key and a text, a case an id, a query and expect; see docs/evaluation.md",
    )


def _add(known: dict[str, Sample] | dict[str, Case], name: str, one: Sample | Case, place: str, field: str) -> None:
    if name in known:
        raise _invalid(place, f"the {field} {name[:80]!r} is already used at {known[name].place}")
    known[name] = one  # type: ignore[assignment]


def _sample(row: Mapping[str, Json], place: str, default_scope: str) -> Sample:
    _check_fields(row, SAMPLE_FIELDS, place)
    importance = row.get("importance")
    if importance is not None and (isinstance(importance, bool) or not isinstance(importance, (int, float))):
        raise _invalid(place, "the importance must be a number from 0 to 1")
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
    """Refuse unknown fields: a misspelt one would silently change what is measured."""
    if unknown := sorted(set(row) - known):
        raise _invalid(place, f"unknown field {unknown[0][:80]!r}; use one of {', '.join(sorted(known))}")


def _text(
    row: Mapping[str, Json], field: str, place: str, *, default: str | None = None, limit: int | None = None
) -> str:
    value = row.get(field, default)
    if value is None:
        raise _invalid(place, f"it has no {field}")
    return _checked(value, f"the {field}", place, limit)


def _checked(value: Json, field: str, place: str, limit: int | None = None) -> str:
    if not isinstance(value, str):
        raise _invalid(place, f"{field} must be a string")
    try:
        return check_text(value, field) if limit is None else check_text(value, field, limit=limit)
    except InvalidRequest as error:
        raise _invalid(place, error.message) from None


def _scope(row: Mapping[str, Json], place: str, default_scope: str) -> str:
    scope = _text(row, "scope", place, default=default_scope)
    try:
        return check_scope(scope)
    except InvalidRequest as error:
        raise _invalid(place, error.message) from None


def _expected(value: Json, place: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not 1 <= len(value) <= MAX_EXPECTED:
        raise _invalid(place, f"'expect' must be a list of 1 to {MAX_EXPECTED} texts")
    return tuple(_checked(one, "what to expect", place, MAX_TEXT_CHARS) for one in value)


def _check_expected(case: Case, samples: Mapping[str, Sample]) -> None:
    for key in case.expect:
        if key not in samples:
            raise _invalid(case.place, f"no memory of the set has the key {key[:80]!r}")
        if samples[key].scope != case.scope:
            raise _invalid(
                case.place, f"{key[:80]!r} is in scope '{samples[key].scope}', the case asks in '{case.scope}'"
            )
