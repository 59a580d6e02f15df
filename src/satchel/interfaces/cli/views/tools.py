"""The memory tools, as an agent is shown what they answer."""

from collections.abc import Callable
from typing import Any

from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.slot.tools import ToolResult


def _told(result: ToolResult[Any]) -> Lines:
    yield from ((line, "") for line in result.text.splitlines())


VIEWS: dict[str, Callable[..., Lines]] = {
    "tool": _told,
}
