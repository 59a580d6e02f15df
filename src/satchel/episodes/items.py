"""Store turns that were read from another program's file."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from satchel.core.service import Service
from satchel.domain.episode import KIND_OF_ROLE
from satchel.domain.imports import ImportTerms, Taken, TurnItem
from satchel.domain.passage import EvidenceLane, all_passages
from satchel.domain.record import SourceKind, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.episodes.admit import OWN_KIND, parse_turns
from satchel.episodes.intake import TurnIntake


class TurnItemWriter(Service):
    """Stores turns, each of them once, by its id in the source."""

    def take(self, items: Sequence[TurnItem], terms: ImportTerms) -> Taken:
        """Store a batch."""
        now, intake = self._clock.now(), TurnIntake(self._parts)
        channel = SourceKind.OPERATOR if terms.trusted else SourceKind.IMPORT
        rules = intake.rules(terms.scope, channel, now)
        parsed = parse_turns([_turn(one) for one in items], rules, max_refused=len(items))
        refused = {one.number - 1: one.code for one in parsed.refused}
        kept = {turn.number - 1 for turn in parsed.turns}
        refused |= {place: "private" for place in range(len(items)) if place not in kept and place not in refused}
        ids = {id: turn for turn, id in intake.with_ids(parsed.turns, now)}
        known = self._ledger.passages.fetch(sorted(ids), all_passages(EvidenceLane.EPISODES, EVERYWHERE))
        gone = self._ledger.passages.forgotten(sorted(ids))
        refused |= {turn.number - 1: "forgotten" for id, turn in ids.items() if id in gone}
        new = [turn for id, turn in ids.items() if id not in known and id not in gone]
        if new and not terms.dry_run:
            terms.before_write()
            intake.keep(parsed, now, None)
        return Taken(
            new=len(new),
            known=len(items) - len(new) - len(refused),
            quarantined=sum(turn.trust is Trust.QUARANTINED for turn in new),
            masked=(parsed.masked or Counter()).total(),
            refused=tuple(sorted(refused.items())),
            scopes=Counter(turn.scope for turn in new),
        )


def _turn(item: TurnItem) -> dict[str, Any]:
    # Only the person's own words can be trusted; what agents and tools say may repeat anything.
    own = KIND_OF_ROLE.get(item.role) == OWN_KIND
    turn = {
        "id": item.key,
        "session": item.session,
        "role": item.role,
        "text": item.text,
        "speaker": item.speaker,
        "at": item.at,
        "scope": item.scope,
        "trust": None if own else Trust.UNTRUSTED.value,
    }
    return {name: value for name, value in turn.items() if value is not None}
