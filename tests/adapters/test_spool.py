"""The spool on disk: appending, resuming, dead letters, artifacts and erasure."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.spool import MAX_LINE_BYTES, SpoolFolder
from satchel.domain.spool import Cursor, DeadLetter
from satchel.errors import InvalidRequest, NotFound, Unavailable

FIRST = "00000001.jsonl"


@pytest.fixture
def spool(tmp_path: Path) -> SpoolFolder:
    return SpoolFolder(tmp_path, segment_bytes=200)


def read(spool: SpoolFolder, source: str = FIRST, cursor: Cursor | None = None) -> list[bytes]:
    return [line.raw for line in spool.lines(source, cursor)]


class TestAppending:
    def test_lines_keep_their_order(self, spool: SpoolFolder) -> None:
        spool.append([b"one\n", b"two\n"])
        spool.append([b"three\n"])

        assert read(spool) == [b"one", b"two", b"three"]
        assert [(line.offset, line.end) for line in spool.lines(FIRST, None)] == [(0, 4), (4, 8), (8, 14)]

    def test_a_full_file_is_followed_by_the_next_number(self, spool: SpoolFolder) -> None:
        for number in range(5):
            spool.append([b"%d" % number + b"x" * 150 + b"\n"])

        assert spool.sources() == [FIRST, "00000002.jsonl", "00000003.jsonl"]

    def test_a_partial_line_does_not_damage_the_next(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.append([b"whole\n"])
        with (tmp_path / "spool" / FIRST).open("ab") as file:
            file.write(b"half of a li")
        spool.append([b"next\n"])

        assert read(spool) == [b"whole", b"half of a li", b"next"]

    def test_only_the_owner_can_read_it(self, spool: SpoolFolder, tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            spool.append([b"x\n"])
            spool.add_dead_letters([DeadLetter("s", 0, 1, "r", "l", 1)])
            spool.put("sha256:" + "a" * 64, "text")
        finally:
            os.umask(before)

        for path in list(tmp_path.rglob("*")):
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path

    def test_a_folder_that_cannot_be_written_is_one_clear_error(self, tmp_path: Path) -> None:
        (tmp_path / "spool").write_text("in the way", encoding="utf-8")

        with pytest.raises(Unavailable):
            SpoolFolder(tmp_path).append([b"x\n"])

    def test_concurrent_processes_lose_and_mix_no_lines(self, tmp_path: Path) -> None:
        script = (
            "import sys; from pathlib import Path; from satchel.adapters.spool import SpoolFolder\n"
            "spool = SpoolFolder(Path(sys.argv[1]), segment_bytes=20_000)\n"
            "for number in range(60): spool.append([f'{sys.argv[2]}:{number}:{\"x\" * (number * 7)}\\n'.encode()])"
        )
        children = [
            subprocess.Popen([sys.executable, "-c", script, str(tmp_path), f"p{number}"]) for number in range(8)
        ]
        assert [child.wait(timeout=120) for child in children] == [0] * 8

        spool = SpoolFolder(tmp_path)
        lines = [line.decode() for source in spool.sources() for line in read(spool, source)]
        expected = {f"p{process}:{number}:{'x' * (number * 7)}" for process in range(8) for number in range(60)}
        assert len(lines) == len(expected) and {*lines} == expected
        assert len(spool.sources()) > 3
        for process in range(8):
            own = [int(line.split(":")[1]) for line in lines if line.startswith(f"p{process}:")]
            assert own == sorted(own)


class TestReading:
    def test_a_reader_resumes_where_it_stopped(self, spool: SpoolFolder) -> None:
        spool.append([b"one\n", b"two\n"])
        cursor = spool.cursor(FIRST, 4)
        spool.append([b"three\n"])

        assert read(spool, cursor=cursor) == [b"two", b"three"]

    def test_a_replaced_file_is_read_from_the_start(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.append([b"one\n", b"two\n"])
        cursor = spool.cursor(FIRST, 8)
        (tmp_path / "spool" / FIRST).write_bytes(b"uno\n")
        assert read(spool, cursor=cursor) == [b"uno"]
        (tmp_path / "spool" / FIRST).write_bytes(b"uno\ndos\ntres\n")
        assert read(spool, cursor=cursor) == [b"uno", b"dos", b"tres"]

    def test_a_last_line_without_a_line_break_is_marked(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.append([b"one\n"])
        with (tmp_path / "spool" / FIRST).open("ab") as file:
            file.write(b"tw")

        assert [(line.raw, line.ended) for line in spool.lines(FIRST, None)] == [(b"one", True), (b"tw", False)]

    def test_a_line_that_is_too_long_is_reported_and_truncated(self, spool: SpoolFolder) -> None:
        spool.append([b"x" * (MAX_LINE_BYTES + 1) + b"\n", b"next\n"])

        long, following = spool.lines(FIRST, None)
        assert (long.problem, len(long.raw), following.raw) == ("too_long", 4_096, b"next")
        assert long.end == following.offset == MAX_LINE_BYTES + 2

    @pytest.mark.parametrize("size", [1, 100, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
    def test_chunk_borders_do_not_matter(self, spool: SpoolFolder, size: int) -> None:
        lines = [b"a" * min(size, MAX_LINE_BYTES), b"", b"b", b"c" * 50]
        spool.append([line + b"\n" for line in lines])

        assert read(spool) == lines
        assert [line.raw for line in spool.lines(FIRST, spool.cursor(FIRST, len(lines[0]) + 1))] == lines[1:]


class TestArchive:
    def test_an_ingested_file_is_archived_under_its_name(self, spool: SpoolFolder, tmp_path: Path) -> None:
        for letter in (b"a", b"b"):
            spool.append([letter * 250 + b"\n"])

        assert spool.archive(FIRST)
        assert (spool.sources(), (tmp_path / "spool" / "archive" / FIRST).exists()) == (["00000002.jsonl"], True)
        assert read(spool) == [b"a" * 250]

    def test_the_file_being_written_is_not_archived(self, spool: SpoolFolder) -> None:
        spool.append([b"x\n"])

        assert not spool.archive(FIRST)
        assert spool.sources() == [FIRST]

    def test_a_file_number_is_never_reused(self, spool: SpoolFolder, tmp_path: Path) -> None:
        for letter in (b"a", b"b"):
            spool.append([letter * 250 + b"\n"])
        spool.archive(FIRST)
        (tmp_path / "spool" / "00000002.jsonl").rename(tmp_path / "spool" / "archive" / "00000002.jsonl")
        spool.append([b"c\n"])

        assert spool.sources() == ["00000003.jsonl"]


class TestLettersAndArtifacts:
    def test_a_dead_letter_is_known_by_source_and_offset(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.add_dead_letters(
            [DeadLetter(FIRST, 7, 3, "not_json", "bad", 5), DeadLetter(FIRST, 11, 3, "not_json", "bäd", 5)]
        )

        assert spool.dead_letters() == {(FIRST, 7), (FIRST, 11)}
        first = json.loads((tmp_path / "dead-letters.jsonl").read_text(encoding="utf-8").splitlines()[0])
        assert first == {
            "schema": "satchel.dead-letter.v1", "source": FIRST, "offset": 7, "bytes": 3, "reason": "not_json",
            "at": 5, "line": "bad",
        }  # fmt: skip

    def test_a_partial_dead_letter_is_replaced(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.add_dead_letters([DeadLetter(FIRST, 7, 3, "r", "bad", 5)])
        with (tmp_path / "dead-letters.jsonl").open("ab") as file:
            file.write(b'{"schema":"satchel.dead-le')
        assert spool.dead_letters() == {(FIRST, 7)}
        spool.add_dead_letters([DeadLetter(FIRST, 11, 3, "r", "bad", 5)])

        lines = (tmp_path / "dead-letters.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["offset"] for line in lines] == [7, 11]

    def test_an_artifact_is_stored_once_and_read_by_name(self, spool: SpoolFolder) -> None:
        name = "sha256:" + "ab" * 32
        spool.put(name, "a long text 字")
        spool.put(name, "a long text 字")

        assert (spool.get(name), spool.artifacts()) == ("a long text 字", [name])
        spool.remove(name)
        spool.remove(name)
        assert spool.artifacts() == []
        with pytest.raises(NotFound):
            spool.get(name)

    @pytest.mark.parametrize("name", ["", "sha256:", "../../etc/passwd", "sha256:../../../x", "sha256:" + "A" * 64])
    def test_an_artifact_name_cannot_leave_the_folder(self, spool: SpoolFolder, name: str) -> None:
        with pytest.raises(NotFound):
            spool.get(name)
        with pytest.raises(NotFound):
            spool.put(name, "x")


class TestScrubbing:
    def test_a_line_is_overwritten_in_place(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.append([b"keep this\n", b"forget this\n", b"and this\n"])
        places = [(line.offset, line.end) for line in spool.lines(FIRST, None)]

        assert spool.scrub([b"forget"], lambda raw: raw == b"forget this") == 1
        assert read(spool) == [b"keep this", b" " * 11, b"and this"]
        assert [(line.offset, line.end) for line in spool.lines(FIRST, None)] == places

    def test_archive_and_dead_letters_are_scrubbed_too(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.append([b"forget a" + b"." * 250 + b"\n"])
        spool.append([b"b\n"])
        spool.archive(FIRST)
        spool.add_dead_letters([DeadLetter(FIRST, 7, 3, "r", "forget b", 5)])

        assert spool.scrub([b"forget"], lambda raw: True) == 2
        assert not any(b"forget" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    def test_lines_that_do_not_match_stay(self, spool: SpoolFolder) -> None:
        spool.append([b"forget me not\n"])

        assert spool.scrub([b"forget"], lambda raw: False) == 0
        assert read(spool) == [b"forget me not"]


def test_a_loop_of_links_is_not_a_path(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    with pytest.raises(InvalidRequest) as raised:
        SpoolFolder(tmp_path / "home").resolve_file(str(tmp_path / "loop"))

    assert raised.value.code == "invalid_path"
