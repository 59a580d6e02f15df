"""Areas that are loaded when they are first asked for: the lanes of evidence and knowledge, packs and routing."""
