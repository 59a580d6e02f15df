"""Views of tool results."""

from typing import Any

from satchel.interfaces.cli.views.lines import Lines, Views
from satchel.interfaces.slot.tools import ToolResult


def _tool_text(result: ToolResult[Any]) -> Lines:
    yield from ((line, "") for line in result.text.splitlines())


VIEWS: Views = {
    "tool": _tool_text,
}
