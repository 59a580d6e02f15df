"""Episodes: what was said, word for word. Kept as evidence, found again by words, meaning, speaker and time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec.structs import replace

from satchel.core.erasure import ErasedRecords, clear_places, prepare_erasure_proof, survives_elsewhere
from satchel.core.operations import AllScopes, Channel, DryRun, Param, Quarantined, Scope, operation
from satchel.core.service import Service, page_size
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.episode import (
    KINDS,
    Episode,
    EpisodeHit,
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
from satchel.domain.moment import iso, parse_moment
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, all_passages
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.record import MemoryId, SourceKind
from satchel.domain.text import replace_undecodable
from satchel.episodes import admit as episodes
from satchel.episodes.hits import hit_facts, prepared_facts, search_warnings, session_hits, turn_hits, vector_status
from satchel.episodes.intake import TURNS_PER_BATCH, TurnIntake
from satchel.errors import InvalidRequest, NotFound
from satchel.indexing import passage_index
from satchel.indexing.memory_index import SearchReadiness
from satchel.ports import Progress
from satchel.recall import relevance
from satchel.recall.analyze import QuestionAnalysis, analyze_question
from satchel.recall.episodes import EPISODE_WEIGHTS, episode_priors
from satchel.recall.passages import PassageVectorQuery, search_passages
from satchel.recall.question import Mode, parse_evidence_question

MAX_LIMIT = 500
MAX_NEIGHBOURS = 20
# Sessions are judged by so many of their turns together.
TURNS_FOR_SESSIONS = 200
LEVELS = ("turn", "session")
_LANE = EvidenceLane.EPISODES
_DAY_MS = 86_400_000


_Session = Annotated[str | None, Param("only turns of this session")]
_After = Annotated[str | None, Param("continue after this mark, the 'next' of a page")]


class Episodes(Service):
    """Keeps turns of conversations as they were said, with their secrets masked, and finds them again."""

    count = EPISODE_WEIGHTS
    """What a search counts with. A benchmark asks with one ingredient less."""

    # In

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
        turns: Annotated[Sequence[Mapping[str, Any]], Param("many turns, as a list of such objects")] = (),
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
        self._require_writable()
        started, now = self._clock.ticks(), self._clock.now()
        common = {"session": session, "speaker": speaker, "role": role, "at": at, "kind": kind}
        one = [] if text is None else [{"text": text, "id": id}]
        given = [*one, *episodes.parse_json_lines(lines or ""), *turns]
        if not given:
            raise InvalidRequest("there is no turn", code="missing_param", hint="give a text, or turns as JSON lines")
        filled = [
            {**{name: value for name, value in common.items() if value is not None}, **turn}
            if isinstance(turn, Mapping)
            else turn
            for turn in given
        ]
        intake = TurnIntake(self._parts)
        found = episodes.parse_turns(filled, intake.rules(scope, source_kind, now))
        added, known, ids, refused = intake.keep(found, now, progress)
        waiting, _ = self._ledger.passages.vectors.backlog(None)
        sessions = tuple(dict.fromkeys(turn.session for turn in found.turns))
        result = EpisodesAdded(
            added=added,
            known=known,
            private=found.private,
            shortened=found.shortened,
            masked=dict(sorted((found.masked or {}).items())),
            sessions=sessions[:MAX_LIMIT],
            ids=ids,
            refused=(*found.refused, *refused),
            waiting=waiting,
        )
        receipt = self._receipt(
            "episodes add",
            started,
            asked={"turns": len(given), "scope": scope},
            decided={
                "added": added,
                "known": known,
                "private": found.private,
                "shortened": found.shortened,
                "masked": result.masked,
                "sessions": len(sessions),
                "refused": found.refused_count + len(refused),
                "embeddings_waiting": waiting,
            },
            warnings=_refusal_warnings(found.refused_count + len(refused)),
        )
        self._ledger.passages.put([], [], receipt)
        return Ok(result, self._kept(receipt, started))

    # Out

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
        started = self._clock.ticks()
        question = parse_evidence_question(query, mode, limit, MAX_LIMIT)
        _require(level in LEVELS, f"unknown level {level[:40]!r}", f"one of: {', '.join(LEVELS)}")
        _require(type(neighbours) is int and 0 <= neighbours <= MAX_NEIGHBOURS, "neighbours out of range", "0 to 20")
        within = self._reach(scope, all_scopes)
        asked_at = _moment(now, "now")
        seen_from = self._clock.now() if asked_at is None else asked_at
        view = PassageView(
            _LANE,
            within,
            groups=() if session is None else (replace_undecodable(session),),
            kinds=tuple(replace_undecodable(kind) for kind in kinds),
            since=_moment(since, "since"),
            until=_moment(until, "until"),
        )
        prepared = analyze_question(
            question.text, seen_from, TurnIntake(self._parts).speakers(within), stop_phrases=self.count.stop_phrases
        )
        ready = self._ready(prepared, question.mode)
        meaning = (
            PassageVectorQuery(ready.vector, ready.space, self._parts.passage_index())
            if ready.vector is not None and ready.space is not None
            else None
        )
        wanted = question.limit if level == "turn" else max(TURNS_FOR_SESSIONS, question.limit)
        found = search_passages(
            prepared.terms,
            question.mode,
            view,
            wanted,
            self._ledger.passages,
            meaning,
            episode_priors(prepared, self.count),
            spread=self.count.spread if prepared.seeks_several else 0.0,
            weights=self.count,
        )
        hits = turn_hits(found.hits) if level == "turn" else session_hits(found.hits, question.limit)
        hits = self._with_neighbours(hits, view, neighbours) if neighbours else hits
        result = EpisodesFound(
            query=question.text,
            mode=question.mode,
            level=level,
            scope=within.name,
            relevance=relevance.answer_relevance(hit.relevance for hit in hits),
            vector_status=vector_status(question.mode, ready.warning, found, meaning),
            hits=tuple(hits),
        )
        receipt = self._receipt(
            "episodes search",
            started,
            asked={
                **question_facts(question.text),
                "scope": within.name,
                "mode": question.mode,
                "limit": question.limit,
                "level": level,
                "now": None if asked_at is None else iso(asked_at),
            },
            considered={**found.lanes, "strays": found.mismatches, "embeddings_waiting": ready.waiting},
            decided={
                "prepared": prepared_facts(prepared),
                "lexical_share": round(found.lexical_share, 4),
                "relevance": result.relevance,
                "hits": [hit_facts(hit) for hit in hits],
                "below_limit": list(found.below_limit),
            },
            warnings=search_warnings(ready.warning, found, ready.waiting, question.clamped),
        )
        if not self._policies.receipts.enabled:
            return Ok(result, receipt)
        return Ok(result, replace(receipt, kept=self._ledger.receipts.keep(receipt, ())))

    def _ready(self, prepared: QuestionAnalysis, mode: Mode) -> SearchReadiness:
        if mode is Mode.LEXICAL:
            return SearchReadiness(waiting=self._ledger.passages.vectors.backlog(None)[0])
        return passage_index.catch_up(self._evidence, prepared.text, self._policies.recall.catch_up_ms / 1000)

    def _with_neighbours(self, hits: Sequence[EpisodeHit], view: PassageView, window: int) -> list[EpisodeHit]:
        # What stands beside a hit may be of any kind and time, as long as it may be seen.
        view = PassageView(_LANE, view.reach)
        pairs = self._ledger.passages.neighbours([hit.id for hit in hits], view, window)
        around = self._ledger.passages.fetch(list({pair.neighbour for pair in pairs}), view)
        near: dict[PassageId, list[Episode]] = {}
        for pair in pairs:
            if pair.neighbour in around:
                near.setdefault(pair.id, []).append(episodes.episode(around[pair.neighbour]))
        return [
            replace(
                hit,
                before=tuple(one for one in near.get(hit.id, ()) if one.position < hit.position),
                after=tuple(one for one in near.get(hit.id, ()) if one.position > hit.position),
            )
            for hit in hits
        ]

    @operation("episodes list")
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
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        view = all_passages(_LANE, within) if quarantined else PassageView(_LANE, within)
        view = view if session is None else replace(view, groups=(replace_undecodable(session),))
        page = self._ledger.passages.page(view, page_size(limit) + 1, _mark(after))
        shown = tuple(episodes.episode(one) for one in page[:limit])
        following = f"{shown[-1].at or 0}:{shown[-1].id}" if len(page) > limit else None
        asked: dict[str, Json] = {"scope": within.name, "limit": limit, "session": session is not None}
        return Ok(
            EpisodeList(shown, following),
            self._receipt("episodes list", started, asked=asked, decided={"returned": len(shown)}),
        )

    @operation("episodes sessions")
    def sessions(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20,
        after: _After = None,
    ) -> Ok[SessionList]:
        """List sessions, latest first."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        page = self._ledger.passages.groups(PassageView(_LANE, within), page_size(limit) + 1, _mark(after))
        shown = tuple(
            SessionLine(one.group, one.scope, one.passages, one.first_at, one.last_at) for one in page[:limit]
        )
        following = f"{shown[-1].last_at or 0}:{shown[-1].session}" if len(page) > limit else None
        asked: dict[str, Json] = {"scope": within.name, "limit": limit}
        receipt = self._receipt("episodes sessions", started, asked=asked, decided={"returned": len(shown)})
        return Ok(SessionList(shown, following), receipt)

    @operation("episodes show")
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
        started = self._clock.ticks()
        _require(type(neighbours) is int and 0 <= neighbours <= MAX_NEIGHBOURS, "neighbours out of range", "0 to 20")
        within = self._reach(scope, all_scopes)
        view = all_passages(_LANE, within) if quarantined else PassageView(_LANE, within)
        passage = self._known(id, view)
        pairs = self._ledger.passages.neighbours([passage.id], view, neighbours) if neighbours else []
        around = self._ledger.passages.fetch([pair.neighbour for pair in pairs], view)
        near = sorted(around.values(), key=lambda one: one.position)
        shown = EpisodeShown(
            episodes.episode(passage),
            tuple(episodes.episode(one) for one in near if one.position < passage.position),
            tuple(episodes.episode(one) for one in near if one.position > passage.position),
        )
        asked: dict[str, Json] = {"id": passage.id, "scope": within.name, "neighbours": neighbours}
        return Ok(shown, self._receipt("episodes show", started, asked=asked, decided={"returned": 1 + len(near)}))

    # Care

    @operation("episodes embed", writes=True, idempotent=True, operator_only=True, long=True)
    def embed(
        self,
        *,
        seconds: Annotated[float | None, Param("stop after this many seconds; the rest stays pending")] = None,
        progress: Progress | None = None,
    ) -> Ok[EpisodesEmbedded]:
        """Embed the turns that have no vector yet, and update the index.

        A search does this for new turns within a small time limit. Turns without a vector are found by their words.
        """
        self._require_writable()
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds <= 86_400):
            raise InvalidRequest("seconds is a number above 0", code="out_of_range", hint="such as 60")
        started = self._clock.ticks()
        filled = passage_index.build(self._evidence, progress, max_seconds=seconds)
        waiting, _ = self._ledger.passages.vectors.backlog(None)
        result = EpisodesEmbedded(filled.made, dict(filled.skipped), waiting)
        facts: dict[str, Json] = {"made": filled.made, "skipped": dict(filled.skipped), "waiting": waiting}
        receipt = self._receipt("episodes embed", started, asked={"seconds": seconds}, decided=facts)
        return Ok(result, replace(receipt, kept=self._ledger.receipts.keep(receipt, ())))

    @operation("episodes forget", writes=True, destructive=True, idempotent=True, operator_only=True)
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
        self._require_writable()
        started = self._clock.ticks()
        view = all_passages(_LANE, self._reach(scope, all_scopes))
        if (id is None) == (session is None):
            raise InvalidRequest("forget needs an id or a session", code="missing_param", hint="give one of the two")
        doomed = [self._known(id, view)] if id is not None else self._session(str(session), view)
        ids = [one.id for one in doomed]
        asked: dict[str, Json] = {"id": id, "session": session is not None, "scope": view.reach.name, "verify": verify}
        receipt = self._receipt(
            "episodes forget",
            started,
            asked=asked,
            decided={"action": "deleted", "episodes": len(ids), "ids": ids[:50]},
        )
        is_elsewhere = survives_elsewhere(self._ledger, ErasedRecords(passages=ids))
        proof = prepare_erasure_proof(
            "\n".join(one.text for one in doomed), is_elsewhere, self._parts.files, verify=verify
        )
        self._erase(doomed, view, receipt)
        places = {"index": lambda: passage_index.purge_index(self._evidence), "ledger": self._ledger.memories.scrub}
        target = MemoryId(ids[0] if id is not None else replace_undecodable(str(session)))
        forgotten = clear_places(target, proof, places)
        return Ok(replace(forgotten, observations=len(ids)), self._kept(receipt, started))

    def _erase(self, doomed: Sequence[Passage], view: PassageView, receipt: Receipt) -> None:
        self._ledger.passages.erase([one.id for one in doomed], view, receipt)

    @operation("episodes prune", writes=True, destructive=True, idempotent=True, operator_only=True)
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
        if not dry_run:
            self._require_writable()
        started, now = self._clock.ticks(), self._clock.now()
        within, days = self._reach(scope, all_scopes), self._policies.episodes.days
        counts: Counter[str] = Counter()
        for kind, kept in sorted(days.items()):
            view = replace(all_passages(_LANE, within), kinds=(kind,))
            for old in self._outlived(view, now - kept * _DAY_MS, dry_run):
                counts[kind] += len(old)
        result = EpisodesPruned(counts.total(), dict(sorted(counts.items())), dict(days), dry_run)
        receipt = self._receipt(
            "episodes prune",
            started,
            asked={"scope": within.name, "dry_run": dry_run},
            decided={"dropped": result.dropped, "by_kind": result.by_kind, "days": result.days},
        )
        if counts and not dry_run:
            self._ledger.passages.put([], [], receipt)
            passage_index.purge_index(self._evidence)
            self._ledger.memories.scrub()
            return Ok(result, self._kept(receipt, started))
        return Ok(result, receipt)

    def _outlived(self, view: PassageView, before: int, dry_run: bool) -> Iterator[Sequence[PassageId]]:
        """Yield the turns added before a moment, batch by batch, after dropping each batch."""
        after = ""
        while old := self._ledger.passages.added_before(before, view, TURNS_PER_BATCH, after):
            if not dry_run:
                self._ledger.passages.put([], old)
            after = old[-1]
            yield old

    # How the operations above get at things

    def _known(self, id: str, view: PassageView) -> Passage:
        asked = PassageId(replace_undecodable(id))
        found = self._ledger.passages.fetch([asked], view)
        if asked not in found:
            raise NotFound(
                f"no episode {id[:80]!r} in {view.reach}", hint="name its scope with --scope, or use --all-scopes"
            )
        return found[asked]

    def _session(self, session: str, view: PassageView) -> Sequence[Passage]:
        found = self._ledger.passages.group(replace_undecodable(session), view)
        if not found:
            raise NotFound(
                f"no session {session[:80]!r} in {view.reach}", hint="'satchel episodes sessions' lists them"
            )
        return found


def _require(holds: bool, message: str, hint: str) -> None:
    if not holds:
        raise InvalidRequest(message, code="out_of_range", hint=hint)


def _moment(value: str | int | None, field: str) -> int | None:
    if value is None:
        return None
    if type(value) is int:
        return value
    return parse_moment(str(value), field)


def _mark(after: str | None) -> tuple[int, str] | None:
    if after is None:
        return None
    at, _, id = after.partition(":")
    if not (at.isascii() and at.isdigit() and len(at) < 16 and id):
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return int(at), replace_undecodable(id)


def _refusal_warnings(refused: int) -> tuple[str, ...]:
    return (f"turns_refused: {refused} turns could not be kept; the others were",) if refused else ()
