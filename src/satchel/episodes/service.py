"""Episodes: turns of conversations, stored word for word: add, search, list, forget, prune."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from msgspec.structs import replace

from satchel.core.erasure import ErasedRecords, clear_places, prepare_erasure_proof, survives_elsewhere
from satchel.core.operations import AllScopes, Channel, DryRun, Param, Quarantined, Scope, operation
from satchel.core.references import full_id, passage_ids
from satchel.core.service import Service, page_mark, page_size
from satchel.domain.arguments import check_range
from satchel.domain.canonical import digest
from satchel.domain.envelope import Ok
from satchel.domain.episode import (
    KINDS,
    EpisodeList,
    EpisodesAdded,
    EpisodesEmbedded,
    EpisodesFound,
    EpisodeShown,
    EpisodesPruned,
    SessionLine,
    SessionList,
)
from satchel.domain.erasure import Forgotten
from satchel.domain.imports import ImportTerms, TurnItem, Writer
from satchel.domain.inspection import order_warnings
from satchel.domain.moment import DAY_MS, iso, parse_time
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, all_passages
from satchel.domain.receipt_sections import EpisodesAsked
from satchel.domain.record import MemoryId, SourceKind
from satchel.domain.scope import not_within
from satchel.domain.text import replace_undecodable
from satchel.episodes import admit as episodes
from satchel.episodes.intake import TURNS_PER_BATCH, TurnIntake
from satchel.episodes.items import TurnItemWriter
from satchel.episodes.search import LEVELS, EpisodeSearch
from satchel.episodes.search_receipt import considered, decided, search_warnings, vector_status
from satchel.errors import InvalidRequest, NotFound
from satchel.indexing import passage_index
from satchel.ports import Progress
from satchel.recall import relevance
from satchel.recall.episodes import EPISODE_WEIGHTS
from satchel.recall.passages import without_tail
from satchel.recall.request import Mode, parse_evidence_question

MAX_LIMIT = 500
MAX_NEIGHBOURS = 20
_LANE = EvidenceLane.EPISODES

_Session = Annotated[str | None, Param("only turns of this session")]
_After = Annotated[str | None, Param("continue after the previous page: its 'next'")]


class Episodes(Service):
    """Stores turns of conversations word for word, with secrets masked, and finds them again."""

    weights = EPISODE_WEIGHTS
    """The weights of a search. A benchmark sets others."""

    # Add

    @operation(
        "episodes add",
        writes=True,
        idempotent=True,
        long=True,
        examples=(
            'satchel episodes add "We ship on Fridays." --session standup --speaker Ann',
            "cat turns.jsonl | satchel episodes add --lines -",
        ),
    )
    def add(
        self,
        turns: Annotated[
            Sequence[Mapping[str, Any]], Param("many turns, as a list of objects: text, session, speaker, role, at, id")
        ] = (),
        *,
        text: Annotated[str | None, Param("one turn", positional=True, stdin=True)] = None,
        lines: Annotated[
            str | None, Param("many turns, one JSON object per line: text, session, speaker, role, at, id", stdin=True)
        ] = None,
        session: Annotated[str | None, Param("session of turns that do not name one")] = None,
        speaker: Annotated[str | None, Param("name of the speaker")] = None,
        role: Annotated[str | None, Param("user, assistant, tool or system")] = None,
        at: Annotated[str | int | None, Param("when it was said; now if omitted")] = None,
        kind: Annotated[str | None, Param("type of turn, if the role does not tell", choices=KINDS)] = None,
        id: Annotated[str | None, Param("its id in the source")] = None,
        scope: Scope = None,
        source_kind: Channel = SourceKind.OPERATOR,
        progress: Progress | None = None,
    ) -> Ok[EpisodesAdded]:
        """Store turns of a conversation, word for word.

        Secrets are masked before anything is written; turns marked private are skipped. A turn with an id, or with a
        time, is stored once however often it is added. Storing a turn makes no memory of it.
        """
        with self._run("episodes add", writes=True) as run:
            now = self._clock.now()
            defaults = {"session": session, "speaker": speaker, "role": role, "at": at, "kind": kind}
            single = [] if text is None else [{"text": text, "id": id}]
            given = [*single, *episodes.parse_json_lines(lines or ""), *turns]
            if not given:
                raise InvalidRequest(
                    "no turn was given", code="missing_param", hint="give a text, or turns as JSON lines"
                )
            intake = TurnIntake(self._parts)
            parsed = episodes.parse_turns(_with_defaults(given, defaults), intake.rules(scope, source_kind, now))
            added, known, ids, refused = intake.keep(parsed, now, progress)
            waiting, _ = self._ledger.passages.vectors.backlog(None)
            sessions = tuple(dict.fromkeys(turn.session for turn in parsed.turns))
            result = EpisodesAdded(
                added=added,
                known=known,
                private=parsed.private,
                shortened=parsed.shortened,
                masked=dict(sorted((parsed.masked or {}).items())),
                sessions=sessions[:MAX_LIMIT],
                ids=ids,
                refused=(*parsed.refused, *refused),
                waiting=waiting,
            )
            refused_count = parsed.refused_count + len(refused)
            run.asked = {"turns": len(given), "scope": scope}
            run.decided = {
                "added": added,
                "known": known,
                "private": parsed.private,
                "shortened": parsed.shortened,
                "masked": result.masked,
                "sessions": len(sessions),
                "refused": refused_count,
                "quarantined": parsed.quarantined,
                "embeddings_waiting": waiting,
            }
            run.warn(*order_warnings(parsed.quarantined))
            if refused_count:
                run.warn(f"turns_refused: {refused_count} turns could not be kept; the others were")
            receipt = run.receipt()
            self._ledger.passages.put([], [], receipt)
            return run.committed(result, receipt)

    def item_writer(self, terms: ImportTerms) -> Writer[TurnItem]:
        """Return what stores turns that were read from another program's file."""
        writer = TurnItemWriter(self._parts)
        return lambda items: writer.take(items, terms)

    # Search

    @operation(
        "episodes search",
        served=True,
        examples=(
            'satchel episodes search "what did Ann say about the release" --neighbours 2',
            'satchel episodes search "where did we go last March" --now 2026-05-01 --level session',
        ),
    )
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = Mode.HYBRID,
        limit: Annotated[int, Param(f"how many to return, 1 to {MAX_LIMIT}")] = 10,
        level: Annotated[str, Param("turns, or the best turn of each session", choices=LEVELS)] = "turn",
        now: Annotated[
            str | int | None, Param("date that 'yesterday' or 'last March' refers to; today if omitted")
        ] = None,
        session: _Session = None,
        kinds: Annotated[Sequence[str], Param("only turns of this type", flag="kind", choices=KINDS)] = (),
        since: Annotated[str | int | None, Param("only what was said at this date or later")] = None,
        until: Annotated[str | int | None, Param("only what was said before this date")] = None,
        neighbours: Annotated[int, Param(f"how many turns around each hit to show, 0 to {MAX_NEIGHBOURS}")] = 0,
    ) -> Ok[EpisodesFound]:
        """Find what was said.

        A short answer is found by the question before it, and a turn by its date and its speaker.
        """
        with self._run("episodes search") as run:
            question = parse_evidence_question(query, mode, limit, MAX_LIMIT)
            if level not in LEVELS:
                raise InvalidRequest(
                    f"unknown level {level[:40]!r}", code="out_of_range", hint=f"one of: {', '.join(LEVELS)}"
                )
            check_range(neighbours, "neighbours", 0, MAX_NEIGHBOURS)
            within = self._reach(scope, all_scopes)
            asked_at = _moment(now, "now", self._clock.now())
            view = PassageView(
                _LANE,
                within,
                groups=() if session is None else (replace_undecodable(session),),
                kinds=tuple(replace_undecodable(kind) for kind in kinds),
                since=_moment(since, "since", self._clock.now()),
                until=_moment(until, "until", self._clock.now()),
            )
            reference = self._clock.now() if asked_at is None else asked_at
            matches = self._search.find(question, level, view, reference, self.weights)
            hits = without_tail(matches.hits, self._policies.recall.min_relevance, rated=matches.rated)
            if neighbours:
                hits = self._search.with_neighbours(hits, view, neighbours)
            result = EpisodesFound(
                query=question.text,
                mode=question.mode,
                level=level,
                scope=within.name,
                relevance=relevance.answer_relevance(hit.relevance for hit in hits),
                vector_status=vector_status(question.mode, matches),
                hits=tuple(hits),
            )
            run.asked = EpisodesAsked(
                query_digest=digest(question.text),
                query_chars=len(question.text),
                scope=within.name,
                mode=question.mode,
                limit=question.limit,
                level=level,
                now=None if asked_at is None else iso(asked_at),
            )
            run.considered = considered(matches)
            run.decided = decided(matches, hits, result.relevance)
            run.warn(*search_warnings(matches, question.clamped))
            return run.keep_if_enabled(result)

    @cached_property
    def _search(self) -> EpisodeSearch:
        return EpisodeSearch(self._parts)

    # List and show

    @operation("episodes list", examples=("satchel episodes list --session standup",))
    def list(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        session: _Session = None,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20,
        after: _After = None,
        quarantined: Quarantined = True,
    ) -> Ok[EpisodeList]:
        """List turns, newest first."""
        with self._run("episodes list") as run:
            view = self._listing_view(scope, all_scopes, quarantined)
            view = view if session is None else replace(view, groups=(replace_undecodable(session),))
            page = self._ledger.passages.page(view, page_size(limit) + 1, page_mark(after))
            shown = tuple(episodes.episode(one) for one in page[:limit])
            following = f"{shown[-1].at or 0}:{shown[-1].id}" if len(page) > limit else None
            run.asked = {"scope": view.reach.name, "limit": limit, "session": session is not None}
            return run.done(EpisodeList(shown, following), returned=len(shown))

    @operation("episodes sessions", examples=("satchel episodes sessions",))
    def sessions(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20,
        after: _After = None,
    ) -> Ok[SessionList]:
        """List sessions, latest first."""
        with self._run("episodes sessions") as run:
            within = self._reach(scope, all_scopes)
            page = self._ledger.passages.groups(PassageView(_LANE, within), page_size(limit) + 1, page_mark(after))
            shown = tuple(
                SessionLine(one.group, one.scope, one.passages, one.first_at, one.last_at) for one in page[:limit]
            )
            following = f"{shown[-1].last_at or 0}:{shown[-1].session}" if len(page) > limit else None
            run.asked = {"scope": within.name, "limit": limit}
            return run.done(SessionList(shown, following), returned=len(shown))

    @operation("episodes show", examples=("satchel episodes show ID --neighbours 2",))
    def show(
        self,
        id: Annotated[str, Param("id of the turn", positional=True)],
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        neighbours: Annotated[int, Param(f"how many turns on each side, 0 to {MAX_NEIGHBOURS}")] = 2,
        quarantined: Quarantined = True,
    ) -> Ok[EpisodeShown]:
        """Show one whole turn, and the turns around it."""
        with self._run("episodes show") as run:
            check_range(neighbours, "neighbours", 0, MAX_NEIGHBOURS)
            view = self._listing_view(scope, all_scopes, quarantined)
            passage = self._known(id, view)
            near = self._search.neighbours([passage.id], view, neighbours).get(passage.id, []) if neighbours else []
            shown = EpisodeShown(
                episodes.episode(passage),
                tuple(one for one in near if one.position < passage.position),
                tuple(one for one in near if one.position > passage.position),
            )
            run.asked = {"id": passage.id, "scope": view.reach.name, "neighbours": neighbours}
            return run.done(shown, returned=1 + len(near))

    def _listing_view(self, scope: str | None, all_scopes: bool, quarantined: bool) -> PassageView:
        within = self._reach(scope, all_scopes)
        return all_passages(_LANE, within) if quarantined else PassageView(_LANE, within)

    # Embed, forget and prune

    @operation(
        "episodes embed",
        writes=True,
        idempotent=True,
        operator_only=True,
        long=True,
        examples=("satchel episodes embed",),
    )
    def embed(
        self,
        *,
        seconds: Annotated[float | None, Param("stop after this many seconds; the rest stays pending")] = None,
        progress: Progress | None = None,
    ) -> Ok[EpisodesEmbedded]:
        """Embed the turns that have no vector yet, and update the index.

        A search does this for new turns within a small time limit. Turns without a vector are found by their words.
        """
        with self._run("episodes embed", {"seconds": seconds}, writes=True) as run:
            if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds <= 86_400):
                raise InvalidRequest("seconds must be a number above 0", code="out_of_range", hint="such as 60")
            filled = passage_index.build(self._indexed_passages, progress, max_seconds=seconds)
            waiting, _ = self._ledger.passages.vectors.backlog(None)
            result = EpisodesEmbedded(filled.made, dict(filled.skipped), waiting)
            return run.keep(result, made=filled.made, skipped=dict(filled.skipped), waiting=waiting)

    @operation(
        "episodes forget",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        examples=(
            "satchel episodes forget ID --verify",
            "satchel episodes forget --session standup",
        ),
    )
    def forget(
        self,
        id: Annotated[str | None, Param("id of the turn", positional=True)] = None,
        *,
        session: Annotated[str | None, Param("forget every turn of this session instead")] = None,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        verify: Annotated[bool, Param("search every file for the text, before and after")] = False,
    ) -> Ok[Forgotten]:
        """Erase a turn or a whole session everywhere."""
        with self._run("episodes forget", writes=True) as run:
            view = all_passages(_LANE, self._reach(scope, all_scopes))
            if (id is None) == (session is None):
                raise InvalidRequest(
                    "forget needs an id or a session", code="missing_param", hint="give one of the two"
                )
            turns = [self._known(id, view)] if id is not None else self._session(str(session), view)
            ids = [one.id for one in turns]
            run.asked = {"id": id, "session": session is not None, "scope": view.reach.name, "verify": verify}
            receipt = run.receipt(action="deleted", episodes=len(ids), ids=ids[:50])
            is_elsewhere = survives_elsewhere(self._ledger, ErasedRecords(passages=ids))
            proof = prepare_erasure_proof(
                "\n".join(one.text for one in turns), is_elsewhere, self._parts.files, verify=verify
            )
            self._ledger.passages.erase(ids, view, receipt)
            places = {
                "index": lambda: passage_index.purge_index(self._indexed_passages),
                "ledger": self._ledger.memories.scrub,
            }
            target = MemoryId(ids[0] if id is not None else replace_undecodable(str(session)))
            forgotten = clear_places(target, proof, places)
            return run.committed(replace(forgotten, observations=len(ids)), receipt)

    @operation(
        "episodes prune",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        examples=("satchel episodes prune --dry-run",),
    )
    def prune(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        dry_run: DryRun = False,
    ) -> Ok[EpisodesPruned]:
        """Delete turns past the retention time of their type.

        Counted from the day a turn was added; the settings 'episodes' set the days for each type.
        """
        with self._run("episodes prune", writes=not dry_run) as run:
            within, days, now = self._reach(scope, all_scopes), self._policies.episodes.days, self._clock.now()
            by_kind: dict[str, int] = {}
            for kind, retention in sorted(days.items()):
                view = replace(all_passages(_LANE, within), kinds=(kind,))
                if dropped := self._drop_older(view, now - retention * DAY_MS, dry_run):
                    by_kind[kind] = dropped
            result = EpisodesPruned(sum(by_kind.values()), by_kind, dict(days), dry_run)
            run.asked = {"scope": within.name, "dry_run": dry_run}
            run.decided = {"dropped": result.dropped, "by_kind": result.by_kind, "days": result.days}
            if dry_run or not by_kind:
                return run.done(result)
            receipt = run.receipt()
            self._ledger.passages.put([], [], receipt)
            passage_index.purge_index(self._indexed_passages)
            self._ledger.memories.scrub()
            return run.committed(result, receipt)

    def _drop_older(self, view: PassageView, before: int, dry_run: bool) -> int:
        """Delete the turns that were added before a moment, batch by batch; return their number."""
        dropped, after = 0, ""
        while old := self._ledger.passages.added_before(before, view, TURNS_PER_BATCH, after):
            if not dry_run:
                self._ledger.passages.put([], old)
            dropped, after = dropped + len(old), old[-1]
        return dropped

    def _known(self, id: str, view: PassageView) -> Passage:
        meant = PassageId(full_id(id, passage_ids(self._ledger, view)))
        found = self._ledger.passages.fetch([meant], view)
        if meant not in found:
            raise not_within(f"episode {id[:80]!r}", view.reach)
        return found[meant]

    def _session(self, session: str, view: PassageView) -> Sequence[Passage]:
        found = self._ledger.passages.group(replace_undecodable(session), view)
        if not found:
            raise NotFound(
                f"no session {session[:80]!r} in {view.reach}", hint="'satchel episodes sessions' lists them"
            )
        return found


def _with_defaults(turns: Sequence[Any], defaults: Mapping[str, Any]) -> list[Any]:
    """Fill in the fields that turns leave out. Anything that is not an object is left for the parser to refuse."""
    given = {name: value for name, value in defaults.items() if value is not None}
    return [{**given, **turn} if isinstance(turn, Mapping) else turn for turn in turns]


def _moment(value: str | int | None, field: str, now: int) -> int | None:
    return value if value is None or type(value) is int else parse_time(str(value), field, now)
