"""Validate a draft and turn it into a memory."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.arguments import as_tuple, check_unit_interval, one_of
from satchel.domain.media import check_media
from satchel.domain.moment import parse_moment
from satchel.domain.record import Kind, Memory, MemoryId, SourceKind, State, Trust, label_for
from satchel.domain.text import MAX_TEXT_CHARS, check_optional_text, check_text
from satchel.domain.trust import check_removal, grant_trust
from satchel.errors import Conflict, InvalidRequest, Refused

MAX_LIST_ITEMS = 50


class Draft(Struct, frozen=True, gc=False):
    """A memory as the caller describes it: plain strings, of which only the scope is validated."""

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
    media: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None


def admit(draft: Draft, *, id: MemoryId, now: int) -> Memory:
    """Validate a draft and return it as a memory. Raises InvalidRequest or Refused."""
    channel = one_of(SourceKind, draft.source_kind, "source kind")
    asked_trust = None if draft.trust is None else one_of(Trust, draft.trust, "trust")
    valid_from, valid_to = _validity(draft)
    return Memory(
        id=id,
        text=check_text(draft.text, "the text", limit=MAX_TEXT_CHARS),
        scope=draft.scope,
        kind=one_of(Kind, draft.kind, "kind"),
        importance=None if draft.importance is None else check_unit_interval(draft.importance, "importance"),
        label=label_for(draft.importance),
        trust=grant_trust(channel, asked_trust),
        source_kind=channel,
        source_ref=check_optional_text(draft.source_ref, "the source reference"),
        title=check_optional_text(draft.title, "the title"),
        session=check_optional_text(draft.session, "the session"),
        task=check_optional_text(draft.task, "the task"),
        language=check_optional_text(draft.language, "the language"),
        tags=_checked_list(draft.tags, "tag"),
        keywords=_checked_list(draft.keywords, "keyword"),
        media_refs=check_media(draft.media),
        valid_from=valid_from,
        valid_to=valid_to,
        created_at=now,
        updated_at=now,
    )


def inherit(memory: Memory, old: Memory) -> Memory:
    """Return a memory with the fields of an old one that the request did not set."""
    return replace(
        memory,
        role_scope=old.role_scope,
        abstraction=old.abstraction,
        confidence=old.confidence,
        success=old.success,
        media_refs=memory.media_refs or old.media_refs,
    )


def parse_kinds(names: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of these names, or raise InvalidRequest for the first unknown one."""
    return tuple(dict.fromkeys(one_of(Kind, name, "kind") for name in as_tuple(names)))


REPLACED = "replaced by a newer memory"
EDITED = "edited"
"""Why a memory was retired that `edit` replaced: the new one is another version of it."""


def supersede(old: Memory, new: Memory, reason: str = REPLACED) -> Memory:
    """Return the old memory as retired and replaced by the new one."""
    if old.scope != new.scope:
        raise Refused("a memory is replaced within its own scope", code="scope_mismatch", hint="use the same --scope")
    check_removal(
        old.id,
        old.trust,
        new.trust,
        "replace",
        by=f"a memory that is {new.trust}",
        hint="let the operator replace it, or store the new memory beside it",
    )
    if old.state is State.RETIRED:
        raise Conflict(
            f"memory {old.id} is already retired",
            code="already_retired",
            hint=f"replace {old.replaced_by} instead" if old.replaced_by else "store the new memory on its own",
        )
    return replace(old, state=State.RETIRED, replaced_by=new.id, reason=reason, updated_at=new.updated_at)


def _checked_list(items: tuple[str, ...], field: str) -> tuple[str, ...]:
    if not items:
        return ()
    if len(items) > MAX_LIST_ITEMS:
        raise InvalidRequest(f"{len(items)} {field}s given, {MAX_LIST_ITEMS} are allowed", code="too_many")
    return tuple(dict.fromkeys(check_text(item, f"a {field}") for item in items))


def _validity(draft: Draft) -> tuple[int | None, int | None]:
    begin = None if draft.valid_from is None else parse_moment(draft.valid_from, "valid-from")
    end = None if draft.valid_to is None else parse_moment(draft.valid_to, "valid-to")
    if begin is not None and end is not None and end <= begin:
        raise InvalidRequest("valid-to must come after valid-from", code="invalid_date")
    return begin, end
