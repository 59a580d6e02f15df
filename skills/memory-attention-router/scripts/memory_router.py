#!/usr/bin/env python3
"""Attention routing as a skill: passes every command on to the installed `satchel`, over its own store.

--db or MAR_DB_PATH name another database. `init` takes over a database of the skill that this one replaces, if there is one in
the workspace: .openclaw-memory-router.sqlite3. The file is read, never changed. Every answer is one JSON object on standard
output; every failure is {"ok": false, "error": "..."} with exit status 1.
"""

import contextlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

EARLIER = ".openclaw-memory-router.sqlite3"
MISSING = "satchel is not installed: install the package satchel-memory, or put the command satchel on the PATH"
USAGE = "no command given: init, add, route, reflect, refresh, list, inspect or packets"
PLAIN = "memory_type abstraction_level role_scope session_id task_id title summary importance confidence success_score recency_ts valid_from_ts valid_to_ts"
PARSED = {
    "details_json": "details",
    "keywords_json": "keywords",
    "tags_json": "tags",
    "source_refs_json": "source_refs",
}


def main(arguments):
    """Run one command."""
    if not arguments:
        return fail(USAGE)
    # The answer is for an agent, which is shown neither people nor private paths.
    os.environ["SATCHEL_SKILL"] = "memory-attention-router"
    # Whatever is created is for its owner's eyes only.
    os.umask(0o077)
    earlier = earlier_database() if arguments == ["init"] and not os.environ.get("MAR_DB_PATH") else None
    if earlier is None:
        return run(arguments)
    code, ready = ask(arguments)
    reason = problem(earlier)
    if code == 0 and reason:
        ready["not_imported"] = {"from": str(earlier), "reason": reason}
    elif code == 0:
        try:
            ready["imported"] = take_over(earlier)
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            return fail(f"{earlier} could not be read: {error}")
    sys.stdout.write(json.dumps(ready, ensure_ascii=False) + "\n")
    return code


def run(arguments):
    """Run a command of `satchel attention`, which prints its answer."""
    command = ["attention", "--json", *arguments]
    try:
        from satchel.interfaces.cli.main import main as satchel
    except ImportError:
        installed = shutil.which("satchel")
        if installed is None:
            return fail(MISSING)
        return subprocess.run([installed, *command], check=False).returncode
    return satchel(command)


def ask(arguments):
    """Run a command and return its exit status and its answer."""
    printed = io.StringIO()
    installed = None
    try:
        import satchel  # noqa: F401
    except ImportError:
        installed = shutil.which("satchel")
    if installed:
        done = subprocess.run(
            [installed, "attention", "--json", *arguments], capture_output=True, text=True, check=False
        )
        return done.returncode, json.loads(done.stdout)
    with contextlib.redirect_stdout(printed):
        code = run(arguments)
    return code, json.loads(printed.getvalue())


def earlier_database():
    """Return the file of the earlier skill in the workspace, if there is one."""
    skill = Path(__file__).absolute().parent.parent
    path = (skill.parent.parent if skill.parent.name == "skills" else skill) / EARLIER
    return path if path.is_file() else None


def problem(path):
    """Return why a file cannot be taken over: it is not a database of the earlier skill."""
    try:
        with contextlib.closing(reading(path)) as database:
            names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            columns = {row[1] for row in database.execute("PRAGMA table_info(memories)")}
    except sqlite3.Error as error:
        return f"it cannot be read: {error}"
    expected = {"memories", "memory_edges"} <= names and {"memory_type", "details_json"} <= columns
    return None if expected else "it is not a database of the earlier skill"


def reading(path):
    """Open a database for reading only."""
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    return database


def take_over(path):
    """Add the active memories of an earlier database, with their ids and edges, and say what was done."""
    with contextlib.closing(reading(path)) as database:
        rows = [dict(row) for row in database.execute("SELECT * FROM memories ORDER BY created_at, id")]
        edges = [dict(row) for row in database.execute("SELECT * FROM memory_edges")]
    active = {row["id"]: row for row in rows if row.get("is_active", 1)}
    done = {"from": str(path), "memories": 0, "known": 0, "retired": len(rows) - len(active), "refused": []}
    for row, own in ordered(active, edges):
        code, answer = ask(["add", "--input-json", json.dumps(memory(row, own))])
        if code == 0:
            done["known" if answer.get("duplicate") else "memories"] += 1
        elif "exists" in str(answer.get("error")) or "taken" in str(answer.get("error")):
            done["known"] += 1
        else:
            done["refused"].append({"id": row["id"], "error": answer.get("error")})
    return done


def ordered(active, edges):
    """Yield every memory after those that its edges lead to, with these edges; in a circle, some edges are left out."""
    waiting, added = dict(active), set()
    while waiting:
        free = [
            id
            for id in waiting
            if all(one["to_memory_id"] not in waiting for one in edges if one["from_memory_id"] == id)
        ]
        for id in free or [next(iter(waiting))]:
            own = [one for one in edges if one["from_memory_id"] == id and one["to_memory_id"] in added]
            yield waiting.pop(id), own
            added.add(id)


def memory(row, edges):
    """Return a row as `add` takes it."""
    given = {name: row[name] for name in PLAIN.split() if row.get(name) is not None}
    given |= {name: json.loads(row[column]) for column, name in PARSED.items() if row.get(column)}
    leads = [{name: one[name] for name in ("to_memory_id", "edge_type", "weight")} for one in edges]
    return {**given, "id": row["id"], "edges": leads}


def fail(message):
    """Report a failure the way every command does."""
    sys.stdout.write(json.dumps({"ok": False, "error": message}) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
