"""One run of an operation: its start time, its receipt, and whether the receipt is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from satchel.core.audience import hides_paths, read_by_agent
from satchel.domain.access import named_actor
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.masking import masked
from satchel.domain.receipt import Receipt
from satchel.errors import NotFound, ReadOnlyMode, SatchelError
from satchel.ports.damage import DamagedRecord, collect_into, damage_warning, damaged_error, report

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.domain.record import MemoryId

T = TypeVar("T")

Section = Struct | Mapping[str, Json]
"""A section of a receipt: a typed one that `explain` reads back, or plain facts."""


class OperationRun:
    """Opens an operation, collects what its receipt says, and answers with it.

    Every run ends in exactly one answer: `done` (receipt not kept), `keep` (receipt kept on its own) or `committed`
    (receipt written in the transaction of the change). Secrets are masked in the answer, in errors and in the receipt; home
    folders too, if an agent asks.
    """

    def __init__(
        self,
        parts: Parts,
        operation: str,
        asked: Section,
        *,
        writes: bool = False,
        redact: bool = True,
        for_prompt: bool = False,
    ) -> None:
        """With `redact` off, the result is not masked: the operator asked for its secrets, or they are masked already.

        An answer `for_prompt` is read by an agent, whoever asks.
        """
        if writes:
            require_writable(parts)
        self._parts = parts
        self._redact = redact
        self._audience = read_by_agent(for_prompt)
        self._started = parts.clock.ticks()
        self.operation = operation
        self.asked: Section = asked
        self.considered: Section = {}
        self.decided: Section = {}
        self.warnings: list[str] = []
        self.damaged: list[DamagedRecord] = []
        """Damaged records that the stores left out."""
        self._outer: list[DamagedRecord] | None = None
        self._answered = False

    def __enter__(self) -> Self:
        self._outer = collect_into(self.damaged)
        self._audience.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        collect_into(self._outer)
        try:
            self._close(error)
        finally:
            self._audience.__exit__(None, None, None)

    def _close(self, error: BaseException | None) -> None:
        # An operation that runs inside another one has left them out of both answers.
        for record in self.damaged:
            report(record)
        if isinstance(error, NotFound) and self.damaged:
            # It may be there, but cannot be read: that is not the same as nothing.
            raise damaged_error(self.damaged) from error
        if isinstance(error, SatchelError):
            self._mask_error(error)
        if error is None and not self._answered:
            raise RuntimeError(f"operation {self.operation!r} ended without an answer")

    def warn(self, *warnings: str) -> None:
        """Add warnings, each a code and a sentence; empty ones are dropped."""
        self.warnings += [one for one in warnings if one]

    def receipt(self, **decided: Json) -> Receipt:
        """Return the receipt so far, to be written in the transaction of a change."""
        warnings = (*self.warnings, *filter(None, [damage_warning(self.damaged)]))
        # The chain can never be changed, so no secret may get into it.
        asked, considered, chosen, more, said = masked(
            (self.asked, self.considered, self.decided, decided, warnings), paths=hides_paths(self._parts)
        )
        return Receipt(
            self.operation,
            facts_of(asked),
            facts_of(considered),
            {**facts_of(chosen), **more},
            said,
            self._parts.clock.now(),
            self.elapsed_ms(),
            actor=named_actor(self._parts.actor),
        )

    def elapsed_ms(self) -> float:
        """Return how long the run has taken so far."""
        return round((self._parts.clock.ticks() - self._started) * 1000, 3)

    def done(self, result: T, **decided: Json) -> Ok[T]:
        """Answer without keeping the receipt."""
        return self._answer(result, self.receipt(**decided))

    def keep(self, result: T, used: Sequence[MemoryId] = (), **decided: Json) -> Ok[T]:
        """Answer and keep the receipt, with the memories it used. If the ledger is busy, the answer says it was not kept."""
        receipt = self.receipt(**decided)
        return self._answer(result, replace(receipt, kept=self._parts.ledger.receipts.keep(receipt, used)))

    def keep_if_enabled(self, result: T, used: Sequence[MemoryId] = (), **decided: Json) -> Ok[T]:
        """Answer, keeping the receipt unless the operator switched lifecycle receipts off."""
        if not self._parts.policies.receipts.enabled:
            return self.done(result, **decided)
        return self.keep(result, used, **decided)

    def committed(self, result: T, receipt: Receipt, *, kept: bool = True) -> Ok[T]:
        """Answer with a receipt that was handed to the ledger, and say whether the ledger holds it."""
        return self._answer(result, replace(receipt, kept=kept, duration_ms=self.elapsed_ms()))

    def _answer(self, result: T, receipt: Receipt) -> Ok[T]:
        self._answered = True
        return Ok(masked(result, secrets=self._redact, paths=hides_paths(self._parts)), receipt)

    def _mask_error(self, error: SatchelError) -> None:
        error.message, error.hint = masked((error.message, error.hint), paths=hides_paths(self._parts))
        error.args = (error.message,)


def require_writable(parts: Parts) -> None:
    """Raise if the operator switched writing off."""
    if parts.read_only:
        raise ReadOnlyMode("read_only is set: nothing may be written", hint="see 'satchel config explain read_only'")


def facts_of(section: Section) -> dict[str, Json]:
    """Return a section as plain JSON."""
    if not isinstance(section, Struct):
        return dict(section)
    facts: dict[str, Any] = msgspec.to_builtins(section)
    return facts
