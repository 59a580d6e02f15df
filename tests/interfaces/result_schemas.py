"""The JSON Schema of what a tool answers. It is not sent to clients: models would pay for it, and none reads it."""

from satchel.interfaces.operations import Operation
from satchel.interfaces.serialization import ERROR_SCHEMA, RECEIPT_SCHEMA, Schema, object_schema, schema_of

_TEXT: Schema = {"type": "string"}
_TOOL_ERROR: dict[str, Schema] = {"error": _TEXT, "message": _TEXT, "hint": _TEXT}
_SHORT_RECEIPT = object_schema({"digest": _TEXT, "latencyMs": {"type": "number"}})


def output_schema(operation: Operation) -> Schema:
    """Return the schema of an answer: one for success and failure."""
    result = schema_of(operation.result)
    if operation.agents_only:
        receipt = {"receipt": {"anyOf": [result["properties"]["receipt"], _SHORT_RECEIPT]}}
        return object_schema(result["properties"] | _TOOL_ERROR | receipt, required=["receipt"]) | {
            "oneOf": [{"required": result["required"]}, {"required": list(_TOOL_ERROR)}]
        }
    properties = {"ok": {"type": "boolean"}, "result": result, "error": ERROR_SCHEMA, "receipt": RECEIPT_SCHEMA}
    return object_schema(properties, required=["ok", "receipt"]) | {
        "oneOf": [{"required": ["result"]}, {"required": ["error"]}]
    }
