"""Every result in words: one module for each area, one function for each type."""

from collections.abc import Callable
from typing import Any

from satchel.domain.answers import Recalled
from satchel.interfaces.cli.shown import attention, care, configuration, memories, sidecar, transfer
from satchel.interfaces.cli.shown.evaluation import evaluation_lines
from satchel.interfaces.cli.shown.lines import Lines
from satchel.interfaces.encode import encoded
from satchel.observe.evaluate import Evaluation
from satchel.tools import ToolResult

_SHOWN: dict[type, Callable[[Any], Lines]] = {
    **memories.SHOWN,
    **attention.SHOWN,
    **sidecar.SHOWN,
    **transfer.SHOWN,
    **care.SHOWN,
    **configuration.SHOWN,
    Evaluation: evaluation_lines,
    ToolResult: lambda result: ((line, "") for line in result.text.splitlines()),
}


def lines(result: Any, explain: bool) -> Lines:
    """Yield a result line by line; with `explain`, how it came about."""
    shown = _SHOWN.get(type(result))
    if isinstance(result, Recalled):
        yield from memories.recalled(result, explain)
    elif shown is not None:
        yield from shown(result)
    elif isinstance(result, tuple):
        yield from care.receipt_list(result)
    else:
        yield from _plain(result)


def _plain(result: Any) -> Lines:
    for name, value in dict(encoded(result)).items():  # type: ignore[arg-type]
        yield f"{name.replace('_', ' ')}: {value}", ""
