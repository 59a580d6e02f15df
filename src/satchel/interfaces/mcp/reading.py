"""Resources and prompts as handlers of the SDK's server."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from satchel.errors import InvalidRequest, NotFound, Refused, SatchelError
from satchel.interfaces import agents, toolbox
from satchel.interfaces.mcp import prompts, resources
from satchel.interfaces.operations import Session

Context = ServerRequestContext[Any]
Work = Callable[[Session, agents.Bounds, str], Any]
# What the client can correct itself.
_OF_THE_CLIENT = (InvalidRequest, NotFound, Refused)


class Run(Protocol):
    """Runs work on a worker, with a session, the bounds of the request and the name of its client."""

    async def __call__(self, context: Context, work: Work, *, long: bool = False, writes: bool = False) -> Any:
        """Return what the work returns."""


def reading_handlers(bounds_of: Callable[[Context], agents.Bounds], run: Run) -> dict[str, Any]:
    """Return the handlers by the names of their parameters of `Server`. They block only a worker."""

    async def on_worker(context: Context, function: Callable[..., Any], *given: Any) -> Any:
        try:
            return await run(context, partial(function, *given))
        except SatchelError as error:
            raise _protocol_error(error) from None

    async def list_resources(
        context: Context, request: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def list_templates(
        context: Context, request: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = resources.resource_templates(bounds_of(context))
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": templates})

    async def read_resource(context: Context, request: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        read = await on_worker(context, resources.read_resource, request.uri)
        return types.ReadResourceResult.model_validate(read)

    async def list_prompts(context: Context, request: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": prompts.list_prompts(bounds_of(context))})

    async def get_prompt(context: Context, request: types.GetPromptRequestParams) -> types.GetPromptResult:
        filled = await on_worker(context, prompts.get_prompt, request.name, request.arguments or {})
        return types.GetPromptResult.model_validate(filled)

    return {
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
        "on_list_prompts": list_prompts,
        "on_get_prompt": get_prompt,
    }


def _protocol_error(error: SatchelError) -> MCPError:
    code = types.INVALID_PARAMS if isinstance(error, _OF_THE_CLIENT) else types.INTERNAL_ERROR
    return MCPError(code, toolbox.text_of(toolbox.agent_failure("read", error)))
