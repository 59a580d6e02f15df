"""Describe the HTTP API as an OpenAPI document, made from the operations."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from satchel import __version__
from satchel.interfaces import toolbox
from satchel.interfaces.agents import Bounds, tool_name
from satchel.interfaces.http.access import OPERATOR
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.operations import AREAS, OPERATIONS, Operation, operations_in
from satchel.interfaces.operations.examples import example_calls
from satchel.interfaces.serialization import ERROR_SCHEMA, RECEIPT_SCHEMA, Schema, object_schema, schema_of

Json = dict[str, Any]

_OPERATOR_ONLY: list[Json] = [{"operatorToken": []}]
_ANY_TOKEN: list[Json] = [{"operatorToken": []}, {"programToken": []}]
_TEXT: Schema = {"type": "string"}
_DESCRIPTION = """\
`satchel serve` offers this API on its socket, and on 127.0.0.1 with `--port`. Each operation is `POST /v1/NAME` with one JSON
object of parameters. What agents call (`memory_*` and others) also takes a token that `satchel token create` made, and runs
within its scopes; everything else needs the operator's token. MCP is at `/mcp`, and is not described here."""


@cache
def openapi_document() -> Json:
    """Return the document. It is the same for everybody, and must not be changed."""
    schemas: dict[str, Schema] = {"Error": ERROR_SCHEMA, "Receipt": RECEIPT_SCHEMA, **_FAILURES}
    paths = {f"/v1/{tool_name(one)}": {"post": _operation(one, schemas)} for one in OPERATIONS if not one.terminal_only}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Satchel",
            "version": __version__,
            "summary": "One memory for every agent a person runs.",
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:{port}", "variables": {"port": {"default": "7711"}}}],
        "paths": _server_paths(schemas) | paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {
                "Failed": _failure("The request was refused, or the operation failed.", "Failed"),
                "ToolFailed": _failure("The request was refused, or the tool failed.", "ToolFailed"),
            },
            "securitySchemes": {
                "operatorToken": _bearer("The token in serve.token, new at each start of the server."),
                "programToken": _bearer("A token that `satchel token create` made."),
            },
        },
    }


def _bearer(description: str) -> Json:
    return {"type": "http", "scheme": "bearer", "description": description}


def _operation(operation: Operation, schemas: dict[str, Schema]) -> Json:
    arguments = toolbox.input_schema(operation, Bounds() if operation.agents_only else OPERATOR)
    if operation.takes_host_input:
        arguments["additionalProperties"] = True
    return {
        "operationId": tool_name(operation),
        "tags": [_area_of(operation)],
        "summary": operation.help,
        "description": f"{toolbox.description(operation)} Writes: {'yes' if operation.writes else 'no'}.",
        "security": _OPERATOR_ONLY if operation.operator_only else _ANY_TOKEN,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": arguments, **_examples(operation)}},
        },
        "responses": _responses(
            _answer(operation, schemas), failure="ToolFailed" if operation.agents_only else "Failed"
        ),
    }


def _examples(operation: Operation) -> Json:
    calls = enumerate(example_calls(operation), 1)
    examples = {f"example {number}": {"summary": one.command, "value": one.arguments} for number, one in calls}
    return {"examples": examples} if examples else {}


@cache
def _areas() -> Mapping[str, str]:
    return {one.name: area for area in AREAS for one in operations_in(area)}


def _area_of(operation: Operation) -> str:
    return _areas()[operation.name]


def _answer(operation: Operation, schemas: dict[str, Schema]) -> Schema:
    result = schema_of(operation.result, schemas)
    return object_schema({"content": _CONTENT, "details": result}) if operation.agents_only else _envelope(result)


def _envelope(result: Schema) -> Schema:
    return object_schema({"ok": {"const": True}, "result": result, "receipt": _ref("Receipt")})


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_CONTENT: Schema = {"type": "array", "items": object_schema({"type": {"const": "text"}, "text": _TEXT})}
_FAILURES: dict[str, Schema] = {
    "Failed": object_schema({"ok": {"const": False}, "error": _ref("Error"), "receipt": _ref("Receipt")}),
    "ToolFailed": {
        "description": "A request that was refused before the tool ran answers as every other.",
        "anyOf": [
            object_schema(
                {
                    "content": _CONTENT,
                    "details": object_schema(
                        {
                            "error": _TEXT,
                            "message": _TEXT,
                            "hint": _TEXT,
                            "receipt": object_schema({"digest": _TEXT, "latencyMs": {"type": "number"}}),
                        }
                    ),
                    "isError": {"const": True},
                }
            ),
            _ref("Failed"),
        ],
    },
}


def _failure(description: str, shape: str) -> Json:
    return {"description": description, "content": {"application/json": {"schema": _ref(shape)}}}


def _responses(schema: Schema, kind: str = "application/json", *, failure: str = "Failed") -> Json:
    failed = {"$ref": f"#/components/responses/{failure}"}
    # 503 comes without a body if there are too many connections.
    return {
        "200": {"description": "Done.", "content": {kind: {"schema": schema}}},
        "4XX": failed,
        "500": failed,
        "503": {"description": "Something that it needs is not available: try again later."},
    }


def _server_paths(schemas: dict[str, Schema]) -> Json:
    health = object_schema({"ok": {"const": True}, "version": _TEXT, "uptime_s": {"type": "integer"}})
    status = _responses(_envelope(schema_of(ServerStatus, schemas)))
    nothing = {"required": True, "content": {"application/json": {"schema": object_schema({})}}}
    stop = _about("stop", "stop the server, after it finished what it was doing", _OPERATOR_ONLY, status)
    counts = _responses(_TEXT, "text/plain")
    return {
        "/health": {"get": _about("health", "tell whether the server answers", [], _responses(health))},
        "/metrics": {
            "get": _about("metrics", "count requests, records and queues, for Prometheus", _ANY_TOKEN, counts)
        },
        "/v1/openapi.json": {"get": _about("openapi", "describe this API", _ANY_TOKEN, _responses({"type": "object"}))},
        "/v1/status": {"get": _about("status", "describe the server", _OPERATOR_ONLY, status)},
        "/v1/stop": {"post": stop | {"requestBody": nothing}},
    }


def _about(name: str, summary: str, security: list[Json], responses: Json) -> Json:
    return {"operationId": name, "tags": ["server"], "summary": summary, "security": security, "responses": responses}
