"""The operations as MCP tools. Only `server` and `wire` load the SDK."""
