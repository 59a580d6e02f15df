"""Background calls: result, exception, and use after a fork."""

import subprocess
import sys
from functools import partial

import pytest

from satchel.core.reach_limit import allowed_scopes, limited_to
from satchel.threads import run_in_background


def test_it_returns_the_result() -> None:
    started = [run_in_background(partial(abs, -number)) for number in range(40)]
    assert [one.result() for one in started] == list(range(40))


def test_it_sees_no_more_than_its_caller() -> None:
    with limited_to(["red"]):
        assert run_in_background(allowed_scopes).result() == ("red",)
    assert run_in_background(allowed_scopes).result() is None


def test_an_exception_is_raised_by_result() -> None:
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 / 0).result()


def test_a_forked_process_has_its_own_threads() -> None:
    script = (
        "import os, signal, sys\nfrom satchel.threads import run_in_background\n"
        "assert run_in_background(lambda: 1).result() == 1\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(60)\n"
        "    os._exit(0 if run_in_background(lambda: 2).result() == 2 else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=False).returncode == 0
