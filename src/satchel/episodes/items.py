"""Store turns that were read from another program's file."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from satchel.core.service import Service
from satchel.domain.episode import KIND_OF_ROLE
from satchel.domain.imports import ImportTerms, Taken, TurnItem
from satchel.domain.passage import EvidenceLane, PassageId, all_passages
from satchel.domain.record import SourceKind, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.episodes.admit import OWN_KIND, ParsedTurns, parse_turns, turn_id
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
        if terms.dry_run:
            new = len(self._unknown(parsed, now))
        else:
            if parsed.turns:
                terms.before_write()
            new, _, _, forgotten = intake.keep(parsed, now, None)
            refused |= {one.number - 1: one.code for one in forgotten}
        return Taken(
            new=new,
            known=len(items) - new - len(refused),
            quarantined=parsed.quarantined,
            masked=(parsed.masked or Counter()).total(),
            refused=tuple(sorted(refused.items())),
            scopes=Counter(turn.scope for turn in parsed.turns) if new else {},
        )

    def _unknown(self, parsed: ParsedTurns, now: int) -> set[PassageId]:
        ids = {turn_id(turn, now) for turn in parsed.turns}
        known = self._ledger.passages.fetch(sorted(ids), all_passages(EvidenceLane.EPISODES, EVERYWHERE))
        return ids - known.keys()


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
