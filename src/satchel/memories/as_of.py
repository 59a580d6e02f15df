"""The past: which moment a tag or a number means, and a recall that answers from the memories as they were then."""

from msgspec.structs import replace

from satchel.core.service import Area
from satchel.domain.answers import Recalled
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.history import Point, sequence_number, tag_name
from satchel.domain.text import readable
from satchel.errors import InvalidRequest, NotFound
from satchel.ports import Index, Ledger
from satchel.recall import account
from satchel.recall.account import considered, decided, warnings
from satchel.recall.as_of import IndexOfThen
from satchel.recall.lanes import Meaning
from satchel.recall.lifecycle import lifecycle
from satchel.recall.request import Request
from satchel.recall.with_fallback import Recollection, recollect


class Past(Area):
    """Looks at the store as it was."""

    def point(self, named: str | int) -> Point:
        """Return the moment that a tag or a sequence number means."""
        text = readable(str(named)).strip()
        seq, tip = sequence_number(text), self._ledger.feed.tip()
        if seq is None:
            tag = self._ledger.history.tag(tag_name(text))
            if tag is None:
                raise NotFound(f"there is no tag {text[:80]!r}", hint="'satchel tag list' shows what there is")
            return Point(tag.seq, tag.at, tag.name)
        if seq > tip:
            raise InvalidRequest(
                f"sequence number {seq} is yet to come", code="out_of_range", hint=f"the newest is {tip}"
            )
        at = self._ledger.history.last_change_at(seq)
        return Point(seq, self._clock.now() if at is None else at)

    def recall(
        self, asked: Request, as_of: str | int, *, untrusted: bool, fallback: bool, started: float
    ) -> Ok[Recalled]:
        """Answer from the memories as they were. No use is counted: nobody relies on what held once."""
        point = self.point(as_of)
        question, placement, policies = asked.question, asked.placement, asked.policies
        view = replace(asked.view, now=point.at)
        ready = self._make_ready(question)
        meaning = self._meaning(ready)
        with self._ledger.as_of(point.seq) as then:
            looking_back = None if meaning is None else _looking_back(meaning, self._parts.index(), then)
            found = recollect(question, placement, view, then, looking_back, policies, fallback=fallback)
        reworded = 0 if meaning is None else self._ledger.history.reworded_since(point.seq, view.reach)
        by_words = f"as_of_words: {reworded} memories were worded otherwise then; they are found by words alone"
        receipt = self._receipt(
            "recall",
            started,
            asked=account.asked(asked) | {"untrusted": untrusted, "as_of": point.seq},
            considered=considered(found)
            | {"tag": point.name, "reworded": reworded, "embedding_space": ready.space.name if ready.space else None},
            decided=decided(found, policies) | self._lifecycle(found),
            warnings=(
                *([ready.warning] if ready.warning else []),
                *([by_words] if reworded else []),
                *warnings(found, policies),
            ),
        )
        answer = replace(account.recalled(found, asked), as_of=point)
        if not policies.receipts.enabled:
            return Ok(answer, receipt)
        return Ok(answer, replace(receipt, kept=self._ledger.receipts.keep(receipt, ())))

    def _lifecycle(self, found: Recollection) -> dict[str, Json]:
        policy = self._policies.receipts
        return {"lifecycle": lifecycle(found, policy) | {"coldLane": {}}} if policy.enabled else {}


def _looking_back(meaning: Meaning, index: Index, then: Ledger) -> Meaning:
    # Words are looked for among the memories of then, which no index holds.
    return Meaning(meaning.vector, meaning.space, IndexOfThen(index, then.memories), current=False)
