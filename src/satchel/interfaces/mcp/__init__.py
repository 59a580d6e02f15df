"""The edge for agents: the table of operations as MCP tools. Only `server` and `wire` load the SDK."""
