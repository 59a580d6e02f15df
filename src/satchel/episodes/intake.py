"""Write turns into the ledger in batches, at their position in the session."""

from collections.abc import Sequence

from satchel.core.service import Service
from satchel.domain.arguments import one_of
from satchel.domain.authored import remove_injected, remove_tags
from satchel.domain.episode import RefusedTurn
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, all_passages
from satchel.domain.record import SourceKind
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import EVERYWHERE, Reach, check_scope, resolve_scope
from satchel.domain.trust import CEILING, lowest_trust
from satchel.episodes import admit as episodes
from satchel.errors import InvalidRequest
from satchel.ports import Progress
from satchel.recall.analyze import remove_names

TURNS_PER_BATCH = 1_000
MAX_SPEAKERS = 200
_LANE = EvidenceLane.EPISODES


class TurnIntake(Service):
    """Stores validated turns."""

    def rules(self, scope: str | None, source_kind: str, now: int) -> episodes.TurnRules:
        """Return the rules for turns of a channel: scope, masking and trust."""
        policy = self._policies.scope
        fixed = None if scope is None else check_scope(scope, policy)

        def place(named: str | None, text: str) -> tuple[str, str]:
            placement = resolve_scope(fixed or named, text, policy)
            if placement.invalid:
                raise InvalidRequest("the scope of a turn is not valid", code="invalid_scope")
            return placement.scope, text if fixed or named else remove_tags(text)

        def mask(text: str) -> tuple[str, Sequence[tuple[str, int]]]:
            done = redacted(text)
            return done.text, done.found

        return episodes.TurnRules(
            policy=self._policies.episodes,
            now=now,
            place=place,
            mask=mask,
            clean=remove_injected,
            trust=CEILING[one_of(SourceKind, source_kind, "source")],
            lower=lambda one, other: lowest_trust((one, other)),
            is_order=lambda text: bool(agent_orders(text)),
        )

    def keep(
        self, found: episodes.ParsedTurns, now: int, progress: Progress | None
    ) -> tuple[int, int, tuple[PassageId, ...], list[RefusedTurn]]:
        """Store turns in durable batches; return the counts of new and known turns, all ids, and the refused turns."""
        passages = self._ledger.passages
        named = self.with_ids(found.turns, now)
        names = self._names(found.turns)
        added, ids, refused = 0, list[PassageId](), list[RefusedTurn]()
        for start in range(0, len(named), TURNS_PER_BATCH):
            batch = named[start : start + TURNS_PER_BATCH]
            known = passages.fetch([id for _, id in batch], all_passages(_LANE, EVERYWHERE))
            gone = passages.forgotten([id for _, id in batch])
            places = self._positions([turn for turn, _ in batch])
            fresh: dict[PassageId, Passage] = {}
            for turn, id in batch:
                if id in gone:
                    refused.append(RefusedTurn(turn.number, "forgotten", "this turn was forgotten"))
                    continue
                ids.append(id)
                if id not in known and id not in fresh:
                    key = (turn.scope, turn.session)
                    places[key] = places.get(key, -1) + 1
                    fresh[id] = episodes.passage(turn, id, places[key], now, remove_names(turn.text, names[turn.scope]))
            passages.put(list(fresh.values()), [])
            added += len(fresh)
            if progress:
                progress(min(start + TURNS_PER_BATCH, len(named)), len(named), "adding")
        return added, len(ids) - added, tuple(ids), refused

    def with_ids(
        self, turns: Sequence[episodes.IncomingTurn], now: int
    ) -> list[tuple[episodes.IncomingTurn, PassageId]]:
        """Return turns with their ids. One that came from another scope, or was forgotten there, keeps its id."""
        seeds = {scope: self._ledger.scopes.seeds(scope) for scope in {turn.scope for turn in turns}}
        own = [(turn, episodes.turn_id(turn, seeds[turn.scope].own, now)) for turn in turns]
        earlier = [(episodes.turn_id(turn, seed, now), id) for turn, id in own for seed in seeds[turn.scope].inherited]
        passages, ids = self._ledger.passages, [other for other, _ in earlier]
        kept = {*passages.fetch(ids, all_passages(_LANE, EVERYWHERE)), *passages.forgotten(ids)} if ids else set()
        known = {id: other for other, id in earlier if other in kept}
        return [(turn, known.get(id, id)) for turn, id in own]

    def _positions(self, turns: Sequence[episodes.IncomingTurn]) -> dict[tuple[str, str], int]:
        sessions: dict[str, list[str]] = {}
        for turn in turns:
            sessions.setdefault(turn.scope, []).append(turn.session)
        return {
            (scope, session): last
            for scope, named in sessions.items()
            for session, last in self._ledger.passages.last_positions(_LANE, scope, named).items()
        }

    def _names(self, turns: Sequence[episodes.IncomingTurn]) -> dict[str, list[str]]:
        names: dict[str, set[str]] = {}
        for turn in turns:
            named = names.setdefault(turn.scope, set())
            if speaker := episodes.speaker_name(turn.speaker):
                named.add(speaker)
        return {
            scope: sorted({*named, *self.speakers(Reach((scope,)))})[:MAX_SPEAKERS] for scope, named in names.items()
        }

    def speakers(self, within: Reach) -> list[str]:
        """Return the names of speakers."""
        found = self._ledger.passages.speakers(PassageView(_LANE, within), MAX_SPEAKERS)
        return [name for name in found if episodes.speaker_name(name)]
