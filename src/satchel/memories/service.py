"""Memories: store, recall, get, list, forget."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace

from satchel.core.operations import (
    AllScopes,
    Channel,
    Kinds,
    LoweredTrust,
    Media,
    Param,
    Quarantined,
    Redact,
    Scope,
    operation,
)
from satchel.core.service import Service, get_facts, page_mark, page_size
from satchel.domain.admit import Draft, parse_kinds
from satchel.domain.answers import Stored
from satchel.domain.arguments import as_tuple, check_unit_interval
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.history import RecordEvent
from satchel.domain.listing import list_filter
from satchel.domain.media import check_media_filter
from satchel.domain.receipt import question_facts
from satchel.domain.record import Kind, Label, Memory, SourceKind, State, Trust
from satchel.domain.scope import resolve_scope
from satchel.domain.view import View, admin_view, without_quarantined
from satchel.errors import InvalidRequest
from satchel.memories.listing import filter_facts, narrow_view, read_page
from satchel.memories.lookup import find_erasable, find_memory
from satchel.memories.unknown_scope import empty_scope_warning
from satchel.memories.values import MemoryPage, MemoryShown
from satchel.recall.request import MAX_LIMIT, Mode, build_request, parse_question
from satchel.recall.values import Recalled

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.memories.forget import EvidenceEraser
    from satchel.recall.recaller import Recaller


class Memories(Service):
    """Stores memories, finds them again, and erases them. Each operation loads its own work."""

    def __init__(self, parts: "Parts", recaller: "Recaller", evidence: "Callable[[], EvidenceEraser]") -> None:
        super().__init__(parts)
        self._recaller = recaller
        self._evidence_eraser = evidence

    # Store

    @operation(
        "store",
        writes=True,
        operator_only=True,
        served=True,
        examples=(
            'satchel store "We ship on Thursdays" --kind decision --importance 0.9',
            "git log -1 --format=%B | satchel store - --scope repo/api --source-kind tool --source-ref git",
        ),
    )
    def store(
        self,
        text: Annotated[str, Param("the memory", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        kind: Annotated[str, Param("kind of memory", choices=Kind)] = "other",
        importance: Annotated[float | None, Param("from 0 to 1; 0.8 and above must be remembered")] = None,
        trust: LoweredTrust = None,
        source_kind: Channel = "operator",
        source_ref: Annotated[
            str | None, Param("where exactly it came from: a tool, an address, a file", operator_only=True)
        ] = None,
        title: Annotated[str | None, Param("a short title")] = None,
        session: Annotated[str | None, Param("session it belongs to")] = None,
        task: Annotated[str | None, Param("task it belongs to")] = None,
        language: Annotated[str | None, Param("its language, such as en or zh")] = None,
        tags: Annotated[Sequence[str], Param("a tag", flag="tag")] = (),
        keywords: Annotated[Sequence[str], Param("another word to find it by", flag="keyword")] = (),
        media: Annotated[
            Sequence[str],
            Param("path or address of an image, a recording or a file it is about; KIND:REF names its kind"),
        ] = (),
        valid_from: Annotated[str | None, Param("date or time from which it is valid")] = None,
        valid_to: Annotated[str | None, Param("date or time until which it is valid")] = None,
        replaces: Annotated[str | None, Param("id of the memory that this one replaces; it is retired")] = None,
        for_agent: bool = False,
        like: Memory | None = None,
    ) -> Ok[Stored]:
        """Store a memory.

        The memory is on disk when the call returns; the next recall embeds it. If the scope already has a memory in the
        same or nearly the same words, none is added: the answer names the existing one.
        """
        from satchel.memories.storing import store_draft

        with self._run("store", writes=True) as run:
            # A person mistyped the name; the specification of an agent's tool has a default for that.
            placement = resolve_scope(
                scope, text if isinstance(text, str) else "", self._policies.scope, strict=not for_agent
            )
            draft = Draft(
                text=text,
                scope=placement.scope,
                kind=kind,
                importance=importance,
                trust=trust,
                source_kind=source_kind,
                source_ref=source_ref,
                title=title,
                session=session,
                task=task,
                language=language,
                tags=as_tuple(tags),
                keywords=as_tuple(keywords),
                media=as_tuple(media),
                valid_from=valid_from,
                valid_to=valid_to,
            )
            return store_draft(run, draft, placement, self._parts, replaces=replaces, like=like)

    # Recall

    @operation(
        "recall",
        operator_only=True,
        served=True,
        examples=(
            'satchel recall "when do we release?"',
            'satchel recall "release day" --mode lexical --explain',
            'satchel recall "release day" --as-of before-refactor',
            'satchel recall "release day" --all-scopes',
        ),
    )
    def recall(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: Annotated[int | None, Param(f"how many to return, 1 to {MAX_LIMIT}; 5 unless set otherwise")] = None,
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = "hybrid",
        kinds: Kinds = (),
        media: Media = None,
        min_relevance: Annotated[float | None, Param("leave out hits less relevant than this, from 0 to 1")] = None,
        untrusted: Annotated[
            bool, Param("search untrusted memories at once, not only when no trusted one answers")
        ] = False,
        fallback: Annotated[
            bool, Param("look in the fallback scopes too", off="do not look in the fallback scopes")
        ] = True,
        as_of: Annotated[
            str | int | None,
            Param("a tag, sequence number, date or time, or yesterday: answer from the memories as they were then"),
        ] = None,
        redact: Redact = True,
        keep: Annotated[
            bool,
            Param("keep the receipt", off="keep no receipt, and do not count the hits as used", operator_only=True),
        ] = True,
        for_agent: bool = False,
    ) -> Ok[Recalled]:
        """Find the memories that answer a question.

        Searches one scope, unless --all-scopes is given. Without an embedding model it searches by words only, and warns.
        """
        from satchel.memories.recalling import recall_as_of, recall_now
        from satchel.recall.receipt import request_section

        with self._run("recall", redact=redact) as run:
            request = build_request(
                query,
                scope=scope,
                limit=limit,
                mode=mode,
                kinds=parse_kinds(kinds),
                media=check_media_filter(media),
                min_relevance=None if min_relevance is None else check_unit_interval(min_relevance, "min relevance"),
                untrusted=untrusted,
                policies=self._policies,
                now=self._clock.now(),
                fallback=fallback,
                strict_scope=not for_agent,
            )
            if all_scopes:
                request = replace(request, view=replace(request.view, reach=self._reach(scope, all_scopes)))
            asked = request_section(request, untrusted=untrusted, redact=redact)
            if as_of is not None:
                return recall_as_of(run, asked, request, as_of, self._recaller, self._parts, keep=keep)
            return recall_now(run, asked, request, self._recaller, self._parts, keep=keep, for_agent=for_agent)

    # Get and list

    def get(
        self,
        id: str,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        redact: bool = True,
        quarantined: bool = True,
    ) -> Ok[MemoryShown]:
        """Return one memory with its history."""
        within = self._reach(scope, all_scopes)
        with self._run("get", get_facts(id, within, redact=redact), redact=redact) as run:
            memory = find_memory(id, within, self._parts, quarantined=quarantined)
            events = self._ledger.memories.history(memory.id)
            history = tuple(RecordEvent(e.seq, e.operation, e.actor, e.reason, e.receipt, e.at) for e in events)
            used = self._ledger.usage.last_used_at([memory.id]).get(memory.id)
            return run.done(MemoryShown(memory, history, used), found=True)

    @operation(
        "list",
        operator_only=True,
        served=True,
        examples=("satchel list --kind decision --limit 20", "satchel list --trust untrusted --since 2026-11-01"),
    )
    def list(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        kinds: Kinds = (),
        labels: Annotated[Sequence[str], Param("only memories with this label", flag="label", choices=Label)] = (),
        trusts: Annotated[Sequence[str], Param("only memories of this trust", flag="trust", choices=Trust)] = (),
        states: Annotated[Sequence[str], Param("only memories in this state", flag="state", choices=State)] = (),
        since: Annotated[
            str | None, Param("only memories created at or after this date or time, today or yesterday")
        ] = None,
        until: Annotated[
            str | None, Param("only memories created before this date or time, today or yesterday")
        ] = None,
        text: Annotated[str | None, Param("only memories whose text or title contains this")] = None,
        source: Annotated[
            str | None, Param("only memories from this channel, such as web, or whose source contains this")
        ] = None,
        session: Annotated[str | None, Param("only memories of this session")] = None,
        tag: Annotated[str | None, Param("only memories with this tag")] = None,
        media: Media = None,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 50,
        after: Annotated[str | None, Param("continue after the previous page: its 'next'")] = None,
        redact: Redact = True,
        quarantined: Quarantined = True,
    ) -> Ok[MemoryPage]:
        """List memories, newest first.

        Archived and retired ones are listed too, with their state; --state active leaves them out.
        """
        with self._run("list", redact=redact) as run:
            view = self._admin_view(scope, all_scopes, kinds)
            view = narrow_view(view, labels, trusts, states, quarantined=quarantined)
            narrowed = list_filter(since, until, text, source, session, tag, media, now=self._clock.now())
            mark = page_mark(after)
            page = read_page(self._ledger.memories, view, narrowed, page_size(limit), mark)
            run.asked = {
                "scope": view.reach.name,
                "kinds": list(view.kinds),
                "limit": limit,
                "after": mark,
                "redact": redact,
                "quarantined": quarantined,
                **filter_facts(narrowed, labels=as_tuple(labels), trusts=as_tuple(trusts), states=as_tuple(states)),
            }
            if scope is not None and not page.memories:
                run.warn(
                    empty_scope_warning(view.reach.scopes[0] if view.reach.scopes else "", view.reach, self._parts)
                )
            return run.done(page, returned=len(page.memories))

    def count(self, *, scope: str | None = None, kinds: Sequence[str] = ()) -> int:
        """Count the memories of a scope, whatever their state."""
        return self._ledger.memories.count(self._admin_view(scope, False, kinds))

    # Forget

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        verify: bool = False,
        quarantined: bool = True,
        channel: SourceKind = SourceKind.OPERATOR,
        reason: ForgetReason | None = None,
        with_versions: bool = False,
    ) -> Ok[Forgotten]:
        """Erase one memory everywhere, by id, with its earlier versions. A query erases nothing: it lists what it could mean."""
        from satchel.memories.forget import forget_memory

        within = self._reach(scope, all_scopes)
        if id is not None and query is None:
            with self._run("forget", writes=True) as run:
                memory = find_erasable(id, within, self._parts, quarantined=quarantined)
                # A damaged memory is not left out here: it is what is erased.
                run.damaged[:] = [one for one in run.damaged if one.id != memory.id]
                return forget_memory(
                    run,
                    memory,
                    within,
                    self._evidence_eraser(),
                    self._parts,
                    self._indexed_store,
                    verify=verify,
                    channel=channel,
                    reason=reason,
                    with_versions=with_versions,
                )
        if query is not None and id is None:
            view = admin_view(within, self._clock.now())
            return self._candidates(query, view if quarantined else without_quarantined(view))
        raise InvalidRequest("forget needs an id or a query", code="missing_param", hint="give one of the two")

    def _candidates(self, query: str, view: View) -> Ok[Forgotten]:
        from satchel.memories.forget import MAX_CANDIDATES, candidates

        with self._run("forget") as run:
            question = parse_question(query, Mode.LEXICAL, MAX_CANDIDATES)
            named = candidates(self._ledger.memories, question.terms, view)
            run.asked = {**question_facts(question.text), "scope": view.reach.name}
            return run.done(named, action=named.action, ids=[one.id for one in named.candidates])
