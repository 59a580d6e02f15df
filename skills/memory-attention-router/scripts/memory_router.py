#!/usr/bin/env python3
"""Attention routing as a skill: passes every command on to the installed `satchel`, with the skill's own database.

The database is --db, else MAR_DB_PATH, else .openclaw-memory-router.sqlite3: in the workspace when this skill is
installed as <workspace>/skills/memory-attention-router, otherwise in the skill's own folder. Every answer is one JSON
object on standard output; every failure is {"ok": false, "error": "..."} with exit status 1.
"""

import json
import os
import shutil
import sys
from pathlib import Path

DATABASE = ".openclaw-memory-router.sqlite3"
MISSING = "satchel is not installed: install the package satchel-memory, or put the command satchel on the PATH"
USAGE = "no command given: init, add, route, reflect, refresh, list, inspect or packets"


def main(arguments):
    """Run one command."""
    if not arguments:
        return fail(USAGE)
    command = ["attention", "--json", *database(arguments), *arguments]
    try:
        from satchel.interfaces.cli.main import main as satchel
    except ImportError:
        installed = shutil.which("satchel")
        if installed is None:
            return fail(MISSING)
        os.execv(installed, [installed, *command])
    # Whatever is created is for its owner's eyes only.
    os.umask(0o077)
    return satchel(command)


def database(arguments):
    """Return the option that names the default database; nothing where the caller or the environment names one."""
    named = any(word == "--db" or word.startswith("--db=") for word in arguments)
    if named or os.environ.get("MAR_DB_PATH"):
        return []
    skill = Path(__file__).absolute().parent.parent
    root = skill.parent.parent if skill.parent.name == "skills" else skill
    return ["--db", str(root / DATABASE)]


def fail(message):
    """Report a failure the way every command does."""
    sys.stdout.write(json.dumps({"ok": False, "error": message}) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
