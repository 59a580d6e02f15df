"""Find the receipt to explain: the newest answer, or the one that a digest or a record names."""

from collections.abc import Sequence
from itertools import islice

from satchel.core.references import memory_ids, observation_ids, resolve_id
from satchel.core.service import Service
from satchel.domain.safety.redact import mask
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import admin_view, without_quarantined
from satchel.errors import InvalidRequest, NotFound
from satchel.explaining import explain
from satchel.ports import StoredReceipt

# How many receipts of each operation are searched for a record.
RECENT = 100
_CAPTURING = "turn after"


class ReceiptSearch(Service):
    """Finds receipts of answers."""

    def find(self, name: str | None, last: bool, within: Reach | None, elsewhere: bool) -> StoredReceipt:
        """Return the named or the newest receipt. Receipts that an agent may not see do not make a name ambiguous."""
        if last == (name is not None):
            raise InvalidRequest("why needs a receipt, or --last", code="missing_param", hint="give one of the two")
        scope = None if within is None else within.name
        found = self._newest(scope) if name is None else self._named(name, scope)
        allowed = [one for one in found if elsewhere or one.operation in explain.OF_AGENTS]
        if not allowed and name is not None:
            allowed = self._mentioning(name, within, scope, quarantined=elsewhere)
        if not allowed:
            wanted = "of the last answer" if name is None else f"that begins with or mentions {name[:80]!r}"
            raise NotFound(f"no receipt {wanted}", hint="'satchel receipts list' shows their names")
        if len({one.digest for one in allowed}) > 1:
            raise InvalidRequest(
                f"several receipts begin with {(name or '')[:80]!r}", code="ambiguous", hint="give more characters"
            )
        return allowed[0]

    def _named(self, name: str, scope: str | None) -> Sequence[StoredReceipt]:
        return self._ledger.receipts.find(replace_undecodable(name), scope) if name.strip() else []

    def _mentioning(
        self, reference: str, within: Reach | None, scope: str | None, *, quarantined: bool
    ) -> list[StoredReceipt]:
        """Return the newest recent receipt that mentions the record of a reference."""
        view = admin_view(within or EVERYWHERE, self._clock.now())
        view = view if quarantined else without_quarantined(view)
        id = resolve_id(reference, memory_ids(self._ledger, view), observation_ids(self._ledger, view))
        if id is None:
            return []
        recent = [one for name in explain.RECALL_LIKE for one in self._ledger.receipts.recent(RECENT, name, scope)]
        newest_first = sorted(recent, key=lambda one: -one.seq)
        mentioning = (one for one in newest_first if id in explain.mentioned_ids(explain.explain_receipt(one, mask)))
        return [*islice(mentioning, 1)]

    def _newest(self, scope: str | None) -> Sequence[StoredReceipt]:
        """Return the newest receipt of an answer; of what a turn captured only if there is none, since it follows every turn."""
        answering = [name for name in explain.RECALL_LIKE if name != _CAPTURING]
        recent = [one for name in answering for one in self._ledger.receipts.recent(1, name, scope)]
        return sorted(recent, key=lambda one: -one.seq)[:1] or self._ledger.receipts.recent(1, _CAPTURING, scope)
