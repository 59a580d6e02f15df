"""Detect texts that read as an order to the agent, by a linear score over cues of what such an order does."""
