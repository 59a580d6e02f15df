"""Runs Python in another process, which can drop its privileges after importing the store."""

import json
import subprocess
import sys
from typing import Any

_PRELUDE = """
import json, os, resource, sys
from pathlib import Path
import concurrent.futures.thread
import filelock, lance, platformdirs
from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel import Satchel
from satchel.config import load
from satchel.errors import SatchelError

def as_nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

def code_of(call):
    try:
        call()
    except SatchelError as error:
        return error.code
    return "done"

def opened(home, **given):
    return Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0}, **given))

def answer(value):
    sys.stdout.write(json.dumps(value))
    sys.stdout.flush()

place = Path(sys.argv[1])
"""


def run(script: str, place: object) -> Any:
    """Run a script with `place` in a child process, and return its answer."""
    done = subprocess.run(
        [sys.executable, "-c", _PRELUDE + script, str(place)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
