"""What every feature service shares: the parts of the store and a way to run operations on it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.domain.admit import parse_kinds
from satchel.domain.arguments import check_range
from satchel.domain.scope import Reach, resolve_reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View, admin_view
from satchel.errors import InvalidRequest, Unavailable

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.core.run import OperationRun, Section
    from satchel.domain.canonical import Json

MAX_PAGE = 5_000
MAX_SEQ = 2**63 - 1


class Service:
    """Operations on one store. Reads change nothing they read; writes are durable when they return."""

    def __init__(self, parts: Parts) -> None:
        # Not loaded by a command that only reads the table of operations, since a server performs it.
        from satchel.indexing import memory_index, passage_index

        self._parts = parts
        self._ledger = parts.ledger
        self._clock = parts.clock
        self._policies = parts.policies
        self._indexed_store = memory_index.IndexedStore(
            parts.ledger, parts.index, parts.embedder, parts.clamp, parts.clock
        )
        self._indexed_passages = passage_index.IndexedPassages(self._indexed_store, parts.passage_index)

    def _run(
        self,
        operation: str,
        asked: Section | None = None,
        *,
        writes: bool = False,
        redact: bool = True,
        for_prompt: bool = False,
    ) -> OperationRun:
        """Start an operation. With `writes`, it is refused at once if the store is read-only."""
        from satchel.core.run import OperationRun

        return OperationRun(
            self._parts, operation, {} if asked is None else asked, writes=writes, redact=redact, for_prompt=for_prompt
        )

    def _mark_selected(self, ids: Sequence[str]) -> None:
        """Record that memories went into a final bundle, which keeps them from ageing."""
        if ids and not self._ledger.read_only:
            # The answer does not depend on it: a busy ledger must not fail the request.
            with suppress(Unavailable):
                self._ledger.usage.mark_selected(ids, self._clock.now())

    def _reach(self, scope: str | None, everywhere: bool = False) -> Reach:
        return resolve_reach(scope, self._policies.scope, everywhere=everywhere)

    def _admin_view(self, scope: str | None, everywhere: bool, kinds: Sequence[str] = ()) -> View:
        """Return the administrator's view: every record in reach, whatever its state, of some kinds or any."""
        return replace(admin_view(self._reach(scope, everywhere), self._clock.now()), kinds=parse_kinds(kinds))


def get_facts(id: str, within: Reach, *, redact: bool) -> dict[str, Json]:
    """Return what the receipt of a look at one record says that was asked."""
    return {"id": replace_undecodable(id), "scope": within.name, **({} if redact else {"redact": False})}


def page_size(limit: int) -> int:
    """Return a page size, or raise if it is out of range."""
    return check_range(limit, "limit", 1, MAX_PAGE, "such as 20")


def page_mark(after: str | None) -> tuple[int, str] | None:
    """Return the time and id after which a page begins, from the 'next' of the page before."""
    if after is None:
        return None
    at, _, id = after.partition(":")
    if not (at.isascii() and at.isdigit() and len(at) < 16 and id):
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return int(at), replace_undecodable(id)


def receipt_mark(before: int | None) -> int | None:
    """Return the sequence number of the receipt before which a page begins, or raise if it cannot be one."""
    return None if before is None else check_range(before, "before", 0, MAX_SEQ)
