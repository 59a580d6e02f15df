#!/usr/bin/env python3
"""Dispatch routing as a skill: passes a query on to the installed `satchel route`, with the rules beside SKILL.md.

Prints one JSON object on standard output: the router's envelope, or {"ok": false, ...} when the request was wrong.
"""

import json
import os
import shutil
import sys
from pathlib import Path

RULES = "router-config.json"
MISSING = "satchel is not installed: install the package satchel-memory, or put the command satchel on the PATH"


def main(arguments):
    """Route one query."""
    # The answer is for an agent, which is shown neither people nor private paths.
    os.environ["SATCHEL_SKILL"] = "memory-router"
    rules = Path(__file__).absolute().parent.parent / RULES
    if rules.exists():
        os.environ.setdefault("SATCHEL_ROUTING_RULES", str(rules))
    command = [*(arguments[:1] if arguments[:1] == ["backends"] else ["route"]), "--json"]
    command += arguments[1:] if arguments[:1] == ["backends"] else arguments
    try:
        from satchel.interfaces.cli.main import main as satchel
    except ImportError:
        installed = shutil.which("satchel")
        if installed is None:
            sys.stdout.write(json.dumps({"ok": False, "error": {"code": "missing", "message": MISSING}}) + "\n")
            return 1
        os.execv(installed, [installed, *command])
    # Whatever is created is for its owner's eyes only.
    os.umask(0o077)
    return satchel(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
