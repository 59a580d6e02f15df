#!/usr/bin/env python3
"""Attention routing as a skill: passes every command on to the installed `satchel`, over its own store.

--db or MAR_DB_PATH name another database. `init` takes over a database of the skill that this one replaces, if there is one in
the workspace: .openclaw-memory-router.sqlite3. The file is read, never changed, and what it says is untrusted. Every answer is
one JSON object on standard output; every failure is {"ok": false, "error": "..."} with exit status 1.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

EARLIER = ".openclaw-memory-router.sqlite3"
MISSING = "satchel is not installed: install the package satchel-memory, or put the command satchel on the PATH"
USAGE = "no command given: init, add, route, reflect, refresh, list, inspect or packets"


def main(arguments):
    """Run one command."""
    if not arguments:
        return fail(USAGE)
    # The answer is for an agent, which is shown neither people nor private paths.
    os.environ["SATCHEL_SKILL"] = "memory-attention-router"
    # Whatever is created is for its owner's eyes only.
    os.umask(0o077)
    if arguments == ["init"] and not os.environ.get("MAR_DB_PATH") and (earlier := earlier_database()):
        arguments = ["init", "--take-over", str(earlier)]
    return run(["attention", "--json", *arguments])


def run(command):
    """Run a command of `satchel`, which prints its answer."""
    try:
        from satchel.__main__ import run as satchel
    except ImportError:
        installed = shutil.which("satchel")
        if installed is None:
            return fail(MISSING)
        return subprocess.run([installed, *command], check=False).returncode
    sys.argv[1:] = command
    return satchel()


def earlier_database():
    """Return the file of the earlier skill in the workspace, if there is one."""
    skill = Path(__file__).absolute().parent.parent
    path = (skill.parent.parent if skill.parent.name == "skills" else skill) / EARLIER
    return path if path.is_file() else None


def fail(message):
    """Report a failure the way every command does."""
    sys.stdout.write(json.dumps({"ok": False, "error": message}) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
