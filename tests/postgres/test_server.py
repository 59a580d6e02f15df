"""The server of these tests ends with them, even if they are killed."""

import os
import subprocess
import sys
import time
from pathlib import Path

# How often something is looked for that happens soon. A failure takes this many waits of a twentieth of a second.
PATIENCE = 1_200


def test_a_killed_process_leaves_no_server_behind() -> None:
    script = (
        "import sys\nfrom tests.postgres.server import PostgresServer\n"
        "print(PostgresServer(settings={'fsync': 'off'}).folder, flush=True)\nsys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script]
    # It ends with this test in any case: nobody writes to its input.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        pid = int((folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        assert is_running(pid)
        process.kill()
        process.wait()
    for _ in range(PATIENCE):
        if not (folder.exists() or is_running(pid)):
            break
        time.sleep(0.05)
    assert (folder.exists(), is_running(pid)) == (False, False)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
