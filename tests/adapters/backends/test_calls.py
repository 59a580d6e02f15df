"""Calls to backends: deadlines, errors, killed programs and cooldowns."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from satchel.adapters.backends.calls import InMemoryCooldowns, TimedCaller
from satchel.adapters.backends.process import run
from satchel.domain.routing import BackendQuery, BackendReply, RouteStatus
from satchel.errors import BackendFailed, InvalidRequest
from satchel.ports.backend import BackendAnswered, BackendErrored, BackendTimedOut
from tests.tables import each_case

ASKED = BackendQuery("auth", None, 20, 0.0)


class Backend:
    """A backend that does what a test says."""

    name = "qmd"

    def __init__(self, do: object) -> None:
        self._do = do

    def ask(self, asked: BackendQuery) -> BackendReply:
        return self._do()  # type: ignore[operator,no-any-return]


def call(do: object, seconds: float = 5.0) -> object:
    return TimedCaller().start(Backend(do), ASKED, seconds)()


def test_an_answer_comes_with_the_time_it_took() -> None:
    empty = BackendReply("auth", (), 0, RouteStatus.EMPTY, "qmd", 0.0)
    answer = call(lambda: empty)

    assert isinstance(answer, BackendAnswered)
    assert (answer.reply, answer.seconds >= 0) == (empty, True)


def test_a_hung_backend_is_given_up_and_its_late_answer_dropped() -> None:
    release, left = threading.Event(), threading.Event()

    def hang() -> object:
        release.wait(30)
        left.set()
        return "late"

    answer = call(hang, 0.05)
    release.set()

    assert isinstance(answer, BackendTimedOut)
    assert answer.seconds >= 0.05
    assert left.wait(5)


def test_a_backend_that_keeps_to_its_deadline_itself_times_out_like_any_other() -> None:
    def give_up() -> object:
        raise BackendFailed("qmd did not end in time", code="QUERY_TIMEOUT")

    assert isinstance(call(give_up), BackendTimedOut)


def test_any_exception_of_a_backend_is_an_error_outcome() -> None:
    def boom(error: BaseException) -> object:
        def fail() -> None:
            raise error

        return call(fail)

    gone = boom(BackendFailed("gone", code="BACKEND_UNAVAILABLE"))
    assert isinstance(gone, BackendErrored)
    assert (gone.code, gone.message) == ("BACKEND_UNAVAILABLE", "gone")
    for error in (InvalidRequest("no"), ZeroDivisionError("x"), SystemExit(3), KeyboardInterrupt(), MemoryError()):
        answer = boom(error)
        assert isinstance(answer, BackendErrored)
        assert answer.code == "BACKEND_ERROR"


def test_two_calls_run_at_once() -> None:
    meeting = threading.Barrier(2, timeout=10)
    caller = TimedCaller()
    waits = [caller.start(Backend(meeting.wait), ASKED, 10) for _ in range(2)]

    assert all(isinstance(wait(), BackendAnswered) for wait in waits)


def test_a_program_and_its_children_are_killed_at_the_deadline(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = (
        f"import os, subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(child)!r}, 'w').write(str(p.pid)); time.sleep(600)"
    )
    deadline = time.monotonic() + 2.0
    with pytest.raises(BackendFailed) as caught:
        run([sys.executable, "-c", script], deadline)

    assert caught.value.code == "QUERY_TIMEOUT"
    assert _ends(int(child.read_text(encoding="ascii")))


def _ends(pid: int) -> bool:
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and ") Z " in Path(f"/proc/{pid}/stat").read_text(encoding="ascii"):
            return True  # nobody has looked at how it ended yet
        time.sleep(0.01)
    return False


def test_a_program_with_too_much_output_is_killed() -> None:
    endless = "import sys\nwhile True: sys.stdout.write('x' * 100_000)"
    with pytest.raises(BackendFailed) as caught:
        run([sys.executable, "-c", endless], time.monotonic() + 30)

    assert caught.value.code == "BACKEND_ERROR"


def test_a_program_that_floods_its_error_output_still_answers() -> None:
    script = "import sys; sys.stderr.write('x' * 5_000_000); sys.stdout.write('fine')"
    done = run([sys.executable, "-c", script], time.monotonic() + 30)

    assert (done.code, done.output) == (0, b"fine")
    assert len(done.message) < 200_000


@each_case("command", [["/does/not/exist"], ["/"], ["a\0b"]])
def test_a_missing_program_is_unavailable(command: list[str]) -> None:
    with pytest.raises(BackendFailed) as caught:
        run(command, time.monotonic() + 5)

    assert caught.value.code == "BACKEND_UNAVAILABLE"


def test_the_cooldown_of_a_step_doubles_and_ends_with_a_success() -> None:
    cooldowns = InMemoryCooldowns()
    cooldowns.failed("qmd:search", 0)
    assert cooldowns.cooling_down(59) == {"qmd:search"}
    assert cooldowns.cooling_down(61) == frozenset()
    for _ in range(9):
        cooldowns.failed("qmd:search", 100)
    assert cooldowns.cooling_down(399) == {"qmd:search"}
    assert cooldowns.cooling_down(401) == frozenset()
    cooldowns.succeeded("qmd:search")
    assert cooldowns.cooling_down(101) == frozenset()
