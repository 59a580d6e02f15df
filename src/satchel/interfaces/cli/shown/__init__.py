"""Every result in words: one module for each area, one function for each type."""

from collections.abc import Callable
from typing import Any

from satchel.domain.answers import Recalled
from satchel.interfaces.cli.shown import care, memories, sidecar, transfer
from satchel.interfaces.cli.shown.lines import Lines
from satchel.interfaces.encode import encoded

_SHOWN: dict[type, Callable[[Any], Lines]] = {**memories.SHOWN, **transfer.SHOWN, **care.SHOWN, **sidecar.SHOWN}


def lines(result: Any, explain: bool) -> Lines:
    """Yield a result line by line; with `explain`, how it came about."""
    if isinstance(result, Recalled):
        yield from memories.recalled(result, explain)
    elif isinstance(result, tuple):
        yield from care.receipt_list(result)
    else:
        shown = _SHOWN.get(type(result))
        yield from shown(result) if shown else _plain(result)


def _plain(result: Any) -> Lines:
    for name, value in dict(encoded(result)).items():  # type: ignore[arg-type]
        yield f"{name.replace('_', ' ')}: {value}", ""
