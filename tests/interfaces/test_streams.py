"""Standard streams that are closed, full or no longer read: one line at most, and the exit code of what was done."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.exists(), reason="this platform has no device that is always full")
# Python writes either at once or when it ends: both ways fail at places of their own.
buffering = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "at once"])

EVENT = '{"text": "green tea at four"}'
PROMPT = b'{"prompt": "what was said of green tea?"}'


def ran(
    home: Path, arguments: Sequence[str], redirected: str = "", *, said: bytes = b"", unbuffered: str = ""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a shell that redirects its streams first."""
    environment = {**os.environ, "SATCHEL_HOME": str(home), "SATCHEL_EMBEDDER": "hashing"}
    environment["PYTHONUNBUFFERED"] = unbuffered
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "satchel", *arguments]
    return subprocess.run(command, input=said, capture_output=True, env=environment, check=False)


def abandoned(home: Path, arguments: Sequence[str], *, said: bytes = b"", unbuffered: str = "") -> tuple[int, bytes]:
    """Run a command whose reader has left before it prints; return its code and what it said of that."""
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**os.environ, "SATCHEL_HOME": str(home), "SATCHEL_EMBEDDER": "hashing"}
    environment["PYTHONUNBUFFERED"] = unbuffered
    command = [sys.executable, "-m", "satchel", *arguments]
    try:
        done = subprocess.run(command, input=said, stdout=writer, stderr=subprocess.PIPE, env=environment, check=False)
    finally:
        os.close(writer)
    return done.returncode, done.stderr


@buffering
@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["--version"]], ids=" ".join)
def test_a_reader_who_has_seen_enough_is_no_failure(home: Path, arguments: list[str], unbuffered: str) -> None:
    ran(home, ["store", "green tea at four"])
    assert abandoned(home, arguments, unbuffered=unbuffered) == (0, b"")


@full
@buffering
@pytest.mark.parametrize("arguments", [["list", "--json"], ["capture", EVENT, "--json"]], ids=" ".join)
def test_an_answer_that_cannot_be_written_is_one_line_and_a_failure(
    home: Path, arguments: list[str], unbuffered: str
) -> None:
    ran(home, ["store", "green tea at four"])
    done = ran(home, arguments, f">{FULL}", unbuffered=unbuffered)
    assert done.returncode == 1
    assert done.stderr.startswith(b"satchel: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("redirected", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_keeps_nothing_from_being_done(home: Path, redirected: str) -> None:
    done = ran(home, ["store", "green tea at four"], redirected)
    assert done.returncode == 0
    assert b"error" not in done.stderr
    assert b"green tea at four" in ran(home, ["list"]).stdout


def test_without_standard_input_there_is_no_text_to_store(home: Path) -> None:
    assert ran(home, ["store", "-"], "<&-").returncode == 2
    assert ran(home, ["capture"], "<&-").returncode == 2


@buffering
@pytest.mark.parametrize("redirected", [">&-", "<&-", pytest.param(f">{FULL}", marks=full)], ids=["out", "in", "full"])
def test_a_turn_goes_on_whatever_its_streams_are(home: Path, redirected: str, unbuffered: str) -> None:
    done = ran(home, ["turn", "before"], redirected, said=PROMPT, unbuffered=unbuffered)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@buffering
def test_a_turn_goes_on_when_nobody_waits_for_its_answer(home: Path, unbuffered: str) -> None:
    code, said = abandoned(home, ["turn", "before"], said=PROMPT, unbuffered=unbuffered)
    assert code == 0
    assert b"Exception" not in said
