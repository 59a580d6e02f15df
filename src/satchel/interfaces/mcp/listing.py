"""What a client can list, as JSON: made without the SDK, for the greeting and for the SDK's server alike."""

from collections.abc import Mapping

from satchel.interfaces import toolbox
from satchel.interfaces.agents import Bounds, offered_tools
from satchel.interfaces.mcp.greeting import Json
from satchel.interfaces.mcp.prompts import list_prompts
from satchel.interfaces.mcp.resources import resource_templates
from satchel.interfaces.operations import Operation


def lists(bounds: Bounds) -> Mapping[str, Json]:
    """Return the results of the methods that list what the bounds decide, by method."""
    return {
        "tools/list": {"tools": tools(bounds)},
        "prompts/list": {"prompts": list_prompts(bounds)},
        # By name none: a host waits for this list before it uses the tools, and the store is not open yet.
        "resources/list": {"resources": []},
        "resources/templates/list": {"resourceTemplates": resource_templates(bounds)},
    }


def tools(bounds: Bounds) -> list[Json]:
    """Return the tools that these bounds allow."""
    return [_tool(name, operation, bounds) for name, operation in offered_tools(bounds).items()]


def _tool(name: str, operation: Operation, bounds: Bounds) -> Json:
    title = name.replace("_", " ").title()
    return {
        "name": name,
        "title": title,
        "description": toolbox.description(operation),
        "inputSchema": toolbox.input_schema(operation, bounds),
        "annotations": {
            "title": title,
            "readOnlyHint": not (operation.writes or operation.touches),
            "destructiveHint": operation.destructive,
            "idempotentHint": operation.idempotent or not operation.writes,
            "openWorldHint": False,
        },
    }
