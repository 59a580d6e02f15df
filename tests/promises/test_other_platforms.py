"""Without what only Linux and macOS have, every module can be imported, and what is not supported says so."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

# A process that has only what Python has on Windows. Its lock of bytes is made of POSIX's, so that it really excludes.
LIKE_WINDOWS = """
import _socket, asyncio, io, json, multiprocessing, os, shutil, socket, subprocess, sys, tempfile, types
from contextlib import redirect_stdout
import anyio._core._sockets, anyio._backends._asyncio, filelock, uvicorn, mcp.server.stdio

def locking(handle, mode, count):
    os.lockf(handle, os.F_LOCK if mode == 1 else os.F_TLOCK, count)

sys.modules.update(dict.fromkeys(("fcntl", "termios", "tty", "resource", "pwd", "grp", "pty")))
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_LOCK=1, LK_NBLCK=2)
for name in (
    "O_CLOEXEC O_NONBLOCK O_NOFOLLOW O_DIRECTORY fork killpg setsid getuid geteuid getgid pread pwrite"
).split():
    delattr(os, name)
os.supports_dir_fd = set()
del socket.AF_UNIX, _socket.AF_UNIX

from satchel.errors import SatchelError

def code(call):
    try:
        call()
    except SatchelError as error:
        return error.code
    return "done"
"""


def run(home: Path, script: str) -> Any:
    """Run a script as on Windows, and return its answer."""
    done = subprocess.run(
        [sys.executable, "-c", LIKE_WINDOWS + script, str(home)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_every_module_can_be_imported(home: Path) -> None:
    imported = run(
        home,
        """
import importlib, pkgutil, satchel
names = [one.name for one in pkgutil.walk_packages(satchel.__path__, "satchel.") if not one.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(len(names))
""",
    )
    assert imported > 300


def test_a_store_works_and_the_rest_says_that_it_is_not_supported(home: Path) -> None:
    answered = run(
        home,
        """
from pathlib import Path
from satchel import Satchel
from satchel.config import load
from satchel.interfaces.hooks import capture
from satchel.interfaces.cli import walk
from satchel.interfaces.cli.main import main
from satchel.interfaces.http.server import serve

home = sys.argv[1]
captured = capture.run(capture.parse_arguments(["capture", "--home", home, '{"text": "the build failed"}']))
with redirect_stdout(io.StringIO()):
    main(["--home", home, "config", "set", "recall.limit", "7"])
with Satchel.open(settings=load(home=home, embedding={"provider": "hashing"}, recall={"catch_up_ms": 20_000})) as memory:
    memory.store("the walrus sleeps")
    observed = memory.observations.ingest()
    found = memory.recall("walrus")
    print(json.dumps({
        "captured": [captured, observed.result.inserted],
        "found": [hit.memory.text for hit in found.result.hits],
        "warnings": found.receipt.warnings,
        "exported": memory.transfer.export(home + "-out.jsonl").result.count,
        "doctor": sorted({one.status for one in memory.maintenance.doctor().result.findings}),
        "documents": code(lambda: memory.documents.ingest(home)),
        "serve": code(lambda: serve(Path(home), None, None, lambda status: None)),
        "keys": code(lambda: walk.pressed_keys().__enter__()),
        "limit": load(home=home).recall.limit,
    }))
""",
    )
    assert answered == {
        "captured": [0, 1],
        "found": ["the walrus sleeps"],
        "warnings": [],
        "exported": 1,
        "doctor": ["ok"],
        "documents": "unsupported_platform",
        "serve": "unsupported_platform",
        "keys": "unsupported_platform",
        "limit": 7,
    }


def test_a_lock_of_windows_excludes_other_processes(home: Path) -> None:
    home.mkdir()
    answered = run(
        home,
        """
from satchel import os_calls
path = os.path.join(sys.argv[1], "lock")
handle = os.open(path, os_calls.READ_WRITE, 0o600)
os_calls.write_at(handle, b"content", 0)
os_calls.lock(handle)
# Locks of bytes belong to a process, so another one has to try.
script = "import os, sys; h = os.open(sys.argv[1], os.O_RDWR); os.lseek(h, 1 << 30, 0); os.lockf(h, os.F_TLOCK, 1)"
def refused():
    return subprocess.run([sys.executable, "-c", script, path], capture_output=True).returncode != 0
while_locked = refused()
content = os_calls.read_at(handle, 7, 0).decode()
os.close(handle)
print(json.dumps([while_locked, content, refused()]))
""",
    )
    assert answered == [True, "content", False]


def test_the_store_is_in_the_data_folder_of_macos(tmp_path: Path) -> None:
    script = "import sys; sys.platform = 'darwin'; from satchel.locations import home_folder; print(home_folder(None))"
    done = subprocess.run(
        [sys.executable, "-c", script], env={"HOME": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path / "Library" / "Application Support" / "satchel")
