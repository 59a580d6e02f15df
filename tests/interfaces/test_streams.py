"""Standard streams that are closed or full: at most one line of error, and the right exit code."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.exists(), reason="this platform has no device that is always full")
# Buffered and unbuffered output fail at different points.
buffering = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "at once"])

EVENT = '{"text": "green tea at four"}'
PROMPT = b'{"prompt": "what was said of green tea?"}'


def run_command(
    home: Path, arguments: Sequence[str], redirected: str = "", *, said: bytes = b"", unbuffered: str = ""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a shell that redirects its streams first."""
    environment = {**os.environ, "SATCHEL_HOME": str(home), "SATCHEL_EMBEDDER": "hashing"}
    environment["PYTHONUNBUFFERED"] = unbuffered
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "satchel", *arguments]
    return subprocess.run(command, input=said, capture_output=True, env=environment, check=False)


def run_with_closed_pipe(
    home: Path, arguments: Sequence[str], *, said: bytes = b"", unbuffered: str = ""
) -> tuple[int, bytes]:
    """Run a command with a closed pipe as output; return its exit code and standard error."""
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
def test_a_closed_pipe_is_not_a_failure(home: Path, arguments: list[str], unbuffered: str) -> None:
    run_command(home, ["store", "green tea at four"])
    assert run_with_closed_pipe(home, arguments, unbuffered=unbuffered) == (0, b"")


@full
@buffering
@pytest.mark.parametrize("arguments", [["list", "--json"], ["capture", EVENT, "--json"]], ids=" ".join)
def test_a_full_disk_is_one_line_and_a_failure(home: Path, arguments: list[str], unbuffered: str) -> None:
    run_command(home, ["store", "green tea at four"])
    done = run_command(home, arguments, f">{FULL}", unbuffered=unbuffered)
    assert done.returncode == 1
    assert done.stderr.startswith(b"satchel: ")
    assert done.stderr.count(b"\n") == 1


@full
@buffering
@pytest.mark.parametrize(
    "arguments",
    [
        ["store", "black tea at five"], ["--json", "store", "black tea at five"], ["list"], ["list", "--json"],
        ["config", "show", "--json"], ["capture", EVENT, "--json"], ["completion", "bash"], ["--version"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_full_standard_output_leaves_done_what_is_done(home: Path, arguments: list[str], unbuffered: str) -> None:
    run_command(home, ["store", "green tea at four"])
    done = run_command(home, arguments, f">{FULL}", unbuffered=unbuffered)
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "satchel: done, but the answer could not be written to standard output: No space left on device\n",
    )
    listed = run_command(home, ["list"]).stdout
    assert (b"black tea at five" in listed) == ("store" in arguments)


@full
@buffering
def test_an_export_into_a_full_standard_output_names_it(home: Path, unbuffered: str) -> None:
    run_command(home, ["store", "green tea at four"])
    done = run_command(home, ["export", "-"], f">{FULL}", unbuffered=unbuffered)
    assert (done.returncode, done.stderr.decode()) == (
        1,
        "satchel: the export could not be written to standard output: No space left on device\n",
    )


@pytest.mark.parametrize("redirected", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_works_with_closed_streams(home: Path, redirected: str) -> None:
    done = run_command(home, ["store", "green tea at four"], redirected)
    assert done.returncode == 0
    assert b"error" not in done.stderr
    assert b"green tea at four" in run_command(home, ["list"]).stdout


def test_a_closed_standard_input_is_an_empty_text(home: Path) -> None:
    assert run_command(home, ["store", "-"], "<&-").returncode == 2
    assert run_command(home, ["capture"], "<&-").returncode == 2


@buffering
@pytest.mark.parametrize("redirected", [">&-", "<&-", pytest.param(f">{FULL}", marks=full)], ids=["out", "in", "full"])
def test_turn_hooks_succeed_with_closed_or_full_streams(home: Path, redirected: str, unbuffered: str) -> None:
    done = run_command(home, ["turn", "before"], redirected, said=PROMPT, unbuffered=unbuffered)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@buffering
def test_turn_hooks_succeed_with_a_closed_pipe(home: Path, unbuffered: str) -> None:
    code, said = run_with_closed_pipe(home, ["turn", "before"], said=PROMPT, unbuffered=unbuffered)
    assert code == 0
    assert b"Exception" not in said


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_json_is_valid_in_every_encoding(home: Path, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "the café is open · 茶 🎉"
    run_command(home, ["store", text])
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    listed = json.loads(run_command(home, ["list", "--json"]).stdout.decode("ascii"))
    assert listed["result"]["memories"][0]["text"] == text
    failed = json.loads(run_command(home, ["list", "--kind", "茶", "--json"]).stdout.decode("ascii"))
    assert failed["ok"] is False


def test_a_terminal_without_utf_8_gets_signs_in_ascii(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_command(home, ["store", "green tea at four 茶"])
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    shown = run_command(home, ["list"]).stdout.decode("ascii")
    assert "green tea at four \\u8336" in shown
    assert "other - unknown - trusted - global" in shown
