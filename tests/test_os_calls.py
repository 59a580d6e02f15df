"""Locks, positions and owners of files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel import os_calls


def test_an_exclusive_lock_excludes_and_a_shared_one_does_not(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os_calls.READ_WRITE, 0o600) for _ in range(2))
    os_calls.lock(first, wait=False, shared=True)
    os_calls.lock(second, wait=False, shared=True)
    with pytest.raises(BlockingIOError):
        os_calls.lock(first, wait=False)
    os.close(second)
    os_calls.lock(first, wait=False)
    os.close(first)


def test_the_lock_of_a_folder_ends_with_its_handle(tmp_path: Path) -> None:
    script = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)"

    def refused() -> bool:
        done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, check=False)
        return b"BlockingIOError" in done.stderr

    handle = os_calls.lock_folder(tmp_path)
    while_locked = refused()
    os.close(handle)
    assert (while_locked, refused()) == (True, False)


def test_bytes_are_read_and_written_at_a_position(tmp_path: Path) -> None:
    handle = os.open(tmp_path / "file", os_calls.READ_WRITE, 0o600)
    assert os_calls.write_at(handle, b"a longer text", 0) == 13
    assert os_calls.write_at(handle, memoryview(b"LONGER"), 2) == 6
    assert os_calls.read_at(handle, 6, 2) == b"LONGER"
    os.close(handle)
    assert (tmp_path / "file").read_bytes() == b"a LONGER text"


def test_only_the_own_files_are_owned(tmp_path: Path) -> None:
    assert os_calls.is_owner(tmp_path.stat().st_uid)
    assert not os_calls.is_owner(os_calls.user_id() + 1)


def test_what_is_not_supported_names_the_platform() -> None:
    error = os_calls.unsupported("flying carpets", "walk")
    assert (error.code, error.message, error.hint) == (
        "unsupported_platform",
        f"flying carpets are not available on {sys.platform}",
        "walk",
    )


def test_heaps_can_be_limited_anywhere() -> None:
    os_calls.limit_memory_arenas()
