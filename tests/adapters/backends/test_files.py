"""The router's files: JSON documents and the log."""

import json
import os
from pathlib import Path

import pytest

from satchel.adapters.backends.files import JsonDocument, RotatedLog
from satchel.errors import InvalidRequest, Unavailable


def test_a_missing_file_reads_as_none(tmp_path: Path) -> None:
    assert JsonDocument(tmp_path / "none" / "backends.json").read() is None


def test_a_written_file_is_read_back_and_private(tmp_path: Path) -> None:
    file = JsonDocument(tmp_path / "new" / "backends.json")
    file.write({"a": ["ü", 1]})
    path = Path(file.path)

    assert file.read() == {"a": ["ü", 1]}
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [one.name for one in path.parent.iterdir()] == ["backends.json"]


@pytest.mark.parametrize(
    "said", [b"", b"{", b"null", b"\xff\xfe", b"NaN", b'{"a": Infinity}', b"[" * 100_000, b" " * (2 << 20)]
)
def test_invalid_json_is_refused(said: bytes, tmp_path: Path) -> None:
    path = tmp_path / "backends.json"
    path.write_bytes(said)
    with pytest.raises(InvalidRequest) as caught:
        JsonDocument(path).read()

    assert caught.value.code == "invalid_file"


def test_a_pipe_or_folder_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(InvalidRequest):
            JsonDocument(path).read()


def test_a_folder_that_cannot_be_created_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="ascii")
    with pytest.raises(Unavailable):
        JsonDocument(tmp_path / "file" / "backends.json").write({})


def test_a_log_grows_by_lines_and_is_rotated(tmp_path: Path) -> None:
    log = RotatedLog(tmp_path / "state" / "router.log", max_bytes=100)
    for number in range(40):
        log.append(f"line {number:02} \ud800")
    lines = [path.read_text(encoding="utf-8").splitlines() for path in sorted((tmp_path / "state").iterdir())]

    assert [path.name for path in sorted((tmp_path / "state").iterdir())] == [
        "router.log",
        "router.log.1",
        "router.log.2",
        "router.log.3",
    ]
    assert lines[0][-1] == "line 39 ?"
    assert [line for part in reversed(lines[1:]) for line in part] + lines[0] == [
        f"line {number:02} ?" for number in range(40 - sum(map(len, lines)), 40)
    ]
    assert (tmp_path / "state" / "router.log").stat().st_mode & 0o777 == 0o600


def test_an_unwritable_log_raises_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="ascii")
    RotatedLog(tmp_path / "file" / "router.log").append("line")
    os.mkfifo(tmp_path / "pipe")
    RotatedLog(tmp_path / "pipe").append("line")


def test_the_file_is_plain_json(tmp_path: Path) -> None:
    JsonDocument(tmp_path / "a.json").write({"b": 1})

    assert json.loads((tmp_path / "a.json").read_bytes()) == {"b": 1}
