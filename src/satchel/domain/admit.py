"""Admit: decide whether a draft becomes a memory, and exactly which one."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.choices import one_of
from satchel.domain.moment import parse_moment
from satchel.domain.record import Kind, Memory, MemoryId, SourceKind, State, Trust, label_for
from satchel.domain.text import MAX_TEXT_CHARS, checked, checked_or_none
from satchel.domain.trust import granted, outranks
from satchel.errors import Conflict, InvalidRequest, Refused

MAX_LIST_ITEMS = 50

Word = TypeVar("Word", bound=StrEnum)


class Draft(Struct, frozen=True):
    """A memory as a caller asks for it: plain words, nothing checked yet but the scope."""

    text: str
    scope: str
    kind: str = Kind.OTHER
    importance: float | None = None
    trust: str | None = None
    source_kind: str = SourceKind.OPERATOR
    source_ref: str | None = None
    title: str | None = None
    session: str | None = None
    task: str | None = None
    language: str | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None


def admit(draft: Draft, *, id: MemoryId, now: int) -> Memory:
    """Check a draft and return the memory it becomes. Raises InvalidRequest or Refused, changing nothing."""
    channel = one_of(SourceKind, draft.source_kind, "source kind")
    asked_trust = None if draft.trust is None else one_of(Trust, draft.trust, "trust")
    valid_from, valid_to = _validity(draft)
    return Memory(
        id=id,
        text=checked(draft.text, "the text", limit=MAX_TEXT_CHARS),
        scope=draft.scope,
        kind=one_of(Kind, draft.kind, "kind"),
        importance=None if draft.importance is None else share(draft.importance, "importance"),
        label=label_for(draft.importance),
        trust=granted(channel, asked_trust),
        source_kind=channel,
        source_ref=checked_or_none(draft.source_ref, "the source reference"),
        title=checked_or_none(draft.title, "the title"),
        session=checked_or_none(draft.session, "the session"),
        task=checked_or_none(draft.task, "the task"),
        language=checked_or_none(draft.language, "the language"),
        tags=_checked_list(draft.tags, "tag"),
        keywords=_checked_list(draft.keywords, "keyword"),
        valid_from=valid_from,
        valid_to=valid_to,
        created_at=now,
        updated_at=now,
    )


def kinds_named(names: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of these names, or refuse the first that is none."""
    return tuple(dict.fromkeys(one_of(Kind, name, "kind") for name in several(names)))


def several(words: Sequence[str]) -> tuple[str, ...]:
    """Take one word for a list of one: a text would otherwise be taken apart into letters."""
    return (words,) if isinstance(words, str) else tuple(words)


def supersede(old: Memory, new: Memory) -> Memory:
    """Return the old memory as it stands once the new one has replaced it."""
    if old.scope != new.scope:
        raise Refused("a memory is replaced within its own scope", code="scope_mismatch", hint="use the same --scope")
    if outranks(old.trust, new.trust):
        raise Refused(
            f"a {new.trust} memory cannot replace a {old.trust} one",
            code="trust_not_granted",
            hint="let the operator replace it, or store the new memory beside it",
        )
    if old.state is State.RETIRED:
        raise Conflict(
            f"memory {old.id} is already retired",
            code="already_retired",
            hint=f"replace {old.replaced_by} instead" if old.replaced_by else "store the new memory on its own",
        )
    return replace(
        old, state=State.RETIRED, replaced_by=new.id, reason="replaced by a newer memory", updated_at=new.updated_at
    )


def share(value: float, field: str) -> float:
    """Return a number from 0 to 1, or refuse it."""
    if isinstance(value, bool) or not (isinstance(value, (int, float)) and 0.0 <= value <= 1.0):
        raise InvalidRequest(f"{field} {value!r} is not a number from 0 to 1", code="out_of_range", hint="such as 0.8")
    return value


def _checked_list(items: tuple[str, ...], field: str) -> tuple[str, ...]:
    if len(items) > MAX_LIST_ITEMS:
        raise InvalidRequest(f"{len(items)} of {field}, {MAX_LIST_ITEMS} are allowed", code="too_many")
    return tuple(dict.fromkeys(checked(item, f"a {field}") for item in items))


def _validity(draft: Draft) -> tuple[int | None, int | None]:
    begin = None if draft.valid_from is None else parse_moment(draft.valid_from, "valid-from")
    end = None if draft.valid_to is None else parse_moment(draft.valid_to, "valid-to")
    if begin is not None and end is not None and end <= begin:
        raise InvalidRequest("valid-to must come after valid-from", code="invalid_date")
    return begin, end
