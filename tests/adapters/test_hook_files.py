"""What hooks keep in the store's folder."""

import os
from pathlib import Path

import pytest

from satchel.adapters.hook_files import (
    FAILURES,
    MAX_SESSIONS,
    SESSIONS,
    SessionProgress,
    clear_failures,
    read_failures,
    record_failure,
    session_file,
)
from satchel.domain.hook_failures import HookFailures
from tests.tables import each_case


class TestFailures:
    def test_they_are_counted_and_the_last_one_is_kept(self, tmp_path: Path) -> None:
        folder = str(tmp_path)
        assert read_failures(folder) is None
        assert record_failure(folder, "claude-code", "Stop", "no room", 1_000)
        assert record_failure(folder, "codex", "UserPromptSubmit", "two\nlines\x1b[31m" + "x" * 999, 2_000)
        found = read_failures(folder)
        assert found is not None
        assert found[:5] == (2, 1_000, 2_000, "codex", "UserPromptSubmit")
        assert (found.reason[:15], len(found.reason)) == ("two lines [31mx", 300)
        assert (tmp_path / FAILURES).stat().st_mode & 0o777 == 0o600
        assert [path.name for path in tmp_path.iterdir()] == [FAILURES]
        assert clear_failures(folder)
        assert clear_failures(folder)
        assert read_failures(folder) is None

    def test_a_folder_in_their_place_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / FAILURES).mkdir()
        assert not clear_failures(str(tmp_path))
        assert read_failures(str(tmp_path)) is None

    @each_case(
        "content",
        [
            *(b"", b"\xff", b"[]", b"{", b"[" * 9_999, b'{"times": 1}', b'{"times": 1e999}'),
            b'{"times": -1, "since": 0, "at": 0}',
            b'{"times": 1, "since": 1000000000000000000, "at": 1, "host": "a", "event": "b", "reason": "c"}',
        ],
    )
    def test_a_damaged_record_counts_as_none_and_is_replaced(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / FAILURES).write_bytes(content)
        assert read_failures(str(tmp_path)) is None
        assert record_failure(str(tmp_path), "codex", "Stop", "x", 5)
        assert read_failures(str(tmp_path)) == HookFailures(1, 5, 5, "codex", "Stop", "x")

    def test_a_pipe_in_its_place_does_not_block(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / FAILURES)
        assert read_failures(str(tmp_path)) is None

    def test_a_folder_that_is_missing_is_not_created(self, tmp_path: Path) -> None:
        assert not record_failure(str(tmp_path / "none"), "codex", "Stop", "x", 5)
        assert not (tmp_path / "none").exists()


class TestSessions:
    def test_progress_is_kept_for_each_session(self, tmp_path: Path) -> None:
        with session_file(str(tmp_path), "a") as file:
            assert file.progress == SessionProgress()
            file.save(SessionProgress(120, "digest", "00000001.jsonl:5"))
            file.save(SessionProgress(7))
        with session_file(str(tmp_path), "a") as file, session_file(str(tmp_path), "b") as other:
            assert (file.progress, other.progress) == (SessionProgress(7), SessionProgress())
        assert (tmp_path / SESSIONS / "a.json").stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("content", [b"", b"nonsense", b"[]", b'{"position": -5, "last": 5}', b'{"position": 1.5}'])
    def test_a_damaged_file_means_no_progress(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / SESSIONS).mkdir()
        (tmp_path / SESSIONS / "a.json").write_bytes(content)
        with session_file(str(tmp_path), "a") as file:
            assert file.progress == SessionProgress()

    def test_the_oldest_sessions_make_room(self, tmp_path: Path) -> None:
        (tmp_path / SESSIONS).mkdir()
        for number in range(MAX_SESSIONS):
            path = tmp_path / SESSIONS / f"{number}.json"
            path.touch()
            os.utime(path, (number, number))
        with session_file(str(tmp_path), "new"):
            pass
        left = {path.name for path in (tmp_path / SESSIONS).iterdir()}
        assert left == {"new.json", *(f"{number}.json" for number in range(MAX_SESSIONS // 2, MAX_SESSIONS))}
