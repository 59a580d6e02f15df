"""Starts the laboratory, a warm process with the shim preloaded, and asks it to fault operations."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.faults import shim
from tests.faults.extent import extent

ROOT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm")


class Warm:
    """A laboratory that runs."""

    def __init__(self, process: "subprocess.Popen[str]", errors: Path) -> None:
        self._process = process
        self._errors = errors

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return its answer. Raises AssertionError if it could not be carried out."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, self._errors.read_text(encoding="utf-8")
        answer: dict[str, Any] = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer


@contextmanager
def started() -> Iterator[Warm]:
    """Start a laboratory, whose files are gone at the end."""
    if missing := shim.missing_tool():
        # Without its faults the whole suite must not pass.
        (is_whole,) = extent([False], [True])
        pytest.fail(missing) if is_whole else pytest.skip(missing)
    # Every fault copies a store and syncs it often: in memory if possible.
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="satchel-faults-", dir=place) as name:
        folder = Path(name)
        errors = folder / "errors"
        environment = {
            **os.environ,
            "LD_PRELOAD": str(shim.build(folder)),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            # A forked child has only the thread that forked.
            "OPENBLAS_NUM_THREADS": "1",
        }
        command = [sys.executable, "-W", "ignore", "-m", "tests.faults.laboratory", str(folder)]
        with (
            errors.open("w", encoding="utf-8") as log,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=folder,
                env=environment,
            ) as process,
        ):
            yield Warm(process, errors)
            process.communicate()
    shutil.rmtree(folder, ignore_errors=True)
