"""Ctrl-C, from the outside: every command ends soon, with exit code 130 and without a traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from satchel.app import Satchel
from tests.tables import each_case

# A background job may have inherited an ignored SIGINT.
BEGIN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from satchel.__main__ import start; "
START = BEGIN + "print('ready', flush=True); start()"
PATIENCE = 60
MAX_SECONDS = 5.0


def _interrupt(words: tuple[str, ...], seconds: float, program: str = START) -> tuple[int, str, str, float]:
    """Run a command, press Ctrl-C, and return its exit code, its output, its errors, and how long it took to end."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", program, *words]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        try:
            assert running.stdout.readline() == "ready\n"
            time.sleep(seconds)
            pressed = time.monotonic()
            running.send_signal(signal.SIGINT)
            # Standard input stays open, as that of a terminal.
            code = running.wait(PATIENCE)
            return code, running.stdout.read(), running.stderr.read(), time.monotonic() - pressed
        finally:
            running.kill()


@each_case(
    "words, seconds",
    [
        (("turn", "before"), 0.6),
        (("turn", "after"), 0.6),
        (("turn", "before", "--scope", "auto"), 1.5),
        (("hook", "claude-code", "Stop"), 0.6),
        (("store", "-"), 1.5),
        (("recall", "which day do we ship?"), 0.02),
        (("doctor",), 0.1),
    ],
)
def test_a_command_ends_without_a_word(home: Path, words: tuple[str, ...], seconds: float) -> None:
    # A command that creates the store says so.
    Satchel.open(home).close()
    code, said, complained, took = _interrupt((*words, "--home", str(home)), seconds)

    assert (code, said, complained) == (130, "", "")
    assert took < MAX_SECONDS


def test_an_interrupted_hook_did_not_fail(home: Path) -> None:
    Satchel.open(home).close()
    _interrupt(("hook", "claude-code", "Stop", "--home", str(home)), 0.6)

    with Satchel.open(home) as memory:
        assert "hooks" not in [finding.check for finding in memory.maintenance.doctor().result.findings]


@pytest.mark.usefixtures("home")
def test_a_background_thread_that_waits_forever_does_not_keep_the_process() -> None:
    waiting = (
        "import threading; from satchel.threads import run_in_background; run_in_background(threading.Event().wait); "
    )
    code, _, complained, took = _interrupt(("store", "-"), 1.5, BEGIN + waiting + "print('ready', flush=True); start()")

    assert (code, complained) == (130, "")
    assert took < MAX_SECONDS


def test_an_interrupt_that_a_library_swallows_ends_the_command(home: Path) -> None:
    Satchel.open(home).close()
    swallowing = (
        "import os, sys; from satchel.interfaces.cli import main\n"
        "read_arguments = main.read_arguments\n"
        "def interrupted(*given):\n"
        "    try: os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt: return read_arguments(*given)\n"
        "main.read_arguments = interrupted\n"
        "start()"
    )
    command = [sys.executable, "-c", BEGIN + swallowing, "stats", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_extension_modules_are_imported_without_an_interrupt() -> None:
    program = (
        "import os, signal; from satchel import interrupts\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "interrupts.end_on_interrupt(); interrupts.raise_on_interrupt()\n"
        "try:\n"
        "    with interrupts.Deferred():\n"
        "        os.kill(os.getpid(), signal.SIGINT); print('imported')\n"
        "    print('not raised')\n"
        "except KeyboardInterrupt: print('raised')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)

    assert done.stdout.split() == ["imported", "raised"]
