"""The operations as MCP tools. Only `server`, `reading` and `wire` load the SDK."""
