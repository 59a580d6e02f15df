"""Areas that are loaded when they are first asked for: attention, turns, the lanes of evidence and knowledge, packs, routing."""
