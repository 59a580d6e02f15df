"""What a call beside another promises: its result or its error, and threads that are there after a fork as well."""

import subprocess
import sys
from functools import partial

import pytest

from satchel.threads import beside


def test_it_returns_what_came_of_the_call() -> None:
    started = [beside(partial(abs, -number)) for number in range(40)]
    assert [one.result() for one in started] == list(range(40))


def test_what_went_wrong_reaches_whoever_waits() -> None:
    with pytest.raises(ZeroDivisionError):
        beside(lambda: 1 / 0).result()


def test_a_forked_process_has_threads_of_its_own() -> None:
    script = (
        "import os, signal, sys\nfrom satchel.threads import beside\n"
        "assert beside(lambda: 1).result() == 1\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(60)\n"
        "    os._exit(0 if beside(lambda: 2).result() == 2 else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=False).returncode == 0
