"""The spool on disk: appending, resuming, dead letters, artifacts and erasure."""

import errno
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters import spool as spool_module
from satchel.adapters.spool import CHUNK, MAX_LINE_BYTES, SEGMENT_BYTES, SpoolFolder
from satchel.domain.spool import Cursor, DeadLetter
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.os_calls import write_at
from tests.tables import each_case, fresh_folder

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

    def test_an_artifact_is_stored_once_and_read_by_name(self, spool: SpoolFolder, tmp_path: Path) -> None:
        name = "sha256:" + "ab" * 32
        spool.put(name, "a long text 字")
        spool.put(name, "a long text 字")

        assert (spool.get(name), spool.artifacts()) == ("a long text 字", [name])
        (tmp_path / "artifacts" / "ab" / "theirs.txt").touch()
        assert spool.artifacts() == [name]
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


class TestFailingDisk:
    @each_case(
        ("number", "code"),
        [
            (errno.ENOSPC, "disk_full"),
            (errno.EDQUOT, "disk_full"),
            (errno.EACCES, "read_only"),
            (errno.EPERM, "read_only"),
            (errno.EROFS, "read_only"),
            (errno.EIO, "io_error"),
        ],
    )
    def test_a_failed_write_adds_nothing_and_says_why(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str
    ) -> None:
        spool = SpoolFolder(fresh_folder(tmp_path))
        spool.append([b"whole\n"])

        def torn(handle: int, data: memoryview, position: int) -> int:
            if position > 6:
                raise OSError(number, os.strerror(number))
            return write_at(handle, data[:3], position)

        with monkeypatch.context() as patched:
            patched.setattr(spool_module, "write_at", torn)
            with pytest.raises(Unavailable) as raised:
                spool.append([b"never\n"])
        assert raised.value.code == code
        assert read(spool) == [b"whole"]
        assert spool.size(FIRST) == 6

    def test_a_short_write_is_continued(self, spool: SpoolFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            spool_module, "write_at", lambda handle, data, position: write_at(handle, data[:2], position)
        )
        spool.append([b"first\n", b"second\n"])
        spool.put(NAME, "a long text")

        assert (read(spool), spool.get(NAME)) == ([b"first", b"second"], "a long text")

    def test_a_failed_artifact_leaves_no_file(
        self, spool: SpoolFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(handle: int, data: memoryview, position: int) -> int:
            raise OSError(errno.ENOSPC, "no space")

        with monkeypatch.context() as patched:
            patched.setattr(spool_module, "write_at", full)
            with pytest.raises(Unavailable) as raised:
                spool.put(NAME, "text")
        assert raised.value.code == "disk_full"
        assert [path for path in (tmp_path / "artifacts").rglob("*") if path.is_file()] == []

    def test_a_file_that_is_gone_is_not_found(self, spool: SpoolFolder, tmp_path: Path) -> None:
        for missing in (
            lambda: spool.size("x.jsonl"),
            lambda: read(spool, "x.jsonl"),
            lambda: spool.cursor("x.jsonl", 1),
        ):
            with pytest.raises(NotFound) as raised:
                missing()
            assert raised.value.code == "no_such_file"
        with pytest.raises(NotFound) as raised:
            spool.resolve_file(str(tmp_path / "missing"))
        assert raised.value.code == "no_such_file"


NAME = "sha256:" + "ab" * 32


class TestDurability:
    @pytest.fixture
    def synced(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The names of the files and folders that were synced, in order."""
        names: list[str] = []
        monkeypatch.setattr(os, "fsync", lambda handle: names.append(str(os.fstat(handle).st_ino)))
        monkeypatch.setattr(spool_module, "sync_folder", lambda folder: names.append(folder.name))
        return names

    def test_a_line_is_synced_and_the_folder_of_a_new_file(
        self, spool: SpoolFolder, tmp_path: Path, synced: list[str]
    ) -> None:
        spool.append([b"one\n"])
        spool.append([b"two\n"])
        file = str((tmp_path / "spool" / FIRST).stat().st_ino)
        assert synced == [file, "spool", file]

    def test_an_artifact_is_synced_before_its_folder(
        self, spool: SpoolFolder, tmp_path: Path, synced: list[str]
    ) -> None:
        spool.put(NAME, "text")
        file = str((tmp_path / "artifacts" / "ab" / ("ab" * 32)).stat().st_ino)
        assert synced == [file, "ab"]
        synced.clear()
        spool.remove(NAME)
        assert synced == [file, "ab"]

    def test_an_erased_line_is_synced(self, spool: SpoolFolder, tmp_path: Path, synced: list[str]) -> None:
        spool.append([b"forget\n"])
        synced.clear()
        spool.scrub([b"forget"], lambda raw: True)
        assert synced == [str((tmp_path / "spool" / FIRST).stat().st_ino)]

    def test_an_archived_file_is_synced_with_its_folder(self, spool: SpoolFolder, synced: list[str]) -> None:
        for letter in (b"a", b"b"):
            spool.append([letter * 250 + b"\n"])
        synced.clear()
        assert spool.archive(FIRST)
        assert synced == ["archive"]

    def test_a_removed_artifact_was_overwritten_first(
        self, spool: SpoolFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spool.put(NAME, "text")
        left: list[bytes] = []
        monkeypatch.setattr(Path, "unlink", lambda path: left.append(path.read_bytes()))
        spool.remove(NAME)
        assert left == [b" " * 4]

    @pytest.fixture
    def locked(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The names of the locks that were taken, in order."""
        names: list[str] = []

        def note(handle: int) -> None:
            found = [
                path.stem
                for path in (tmp_path / "spool").glob("*.lock")
                if os.path.samestat(path.stat(), os.fstat(handle))
            ]
            names.extend(found)

        monkeypatch.setattr(spool_module, "lock", note)
        return names

    def test_every_writer_takes_its_lock(self, spool: SpoolFolder, locked: list[str]) -> None:
        spool.append([b"x\n"])
        spool.add_dead_letters([DeadLetter("s", 0, 1, "r", "l", 1)])
        spool.archive(FIRST)
        with spool.ingest_lock():
            pass
        assert locked == ["append", "dead-letters", "append", "ingest"]
        locked.clear()
        spool.scrub([b"x"], lambda raw: False)
        assert locked == ["ingest", "append", "dead-letters"]

    def test_a_lock_is_released(self, spool: SpoolFolder) -> None:
        handles = len(list(Path("/dev/fd").iterdir()))
        for _ in range(3):
            spool.append([b"x\n"])
            spool.add_dead_letters([DeadLetter("s", 0, 1, "r", "l", 1)])
            spool.put(NAME, "text")
            spool.remove(NAME)
        assert len(list(Path("/dev/fd").iterdir())) == handles


class TestLimits:
    def test_a_file_is_followed_by_the_next_when_it_is_exactly_full(self, spool: SpoolFolder) -> None:
        spool.append([b"x" * 198 + b"\n"])
        spool.append([b"y"])
        spool.append([b"z\n"])
        assert spool.sources() == [FIRST, "00000002.jsonl"]
        assert SEGMENT_BYTES == 16 << 20

    def test_nothing_is_there_before_the_first_line(self, spool: SpoolFolder, tmp_path: Path) -> None:
        assert (spool.sources(), spool.artifacts(), spool.dead_letters()) == ([], [], frozenset())
        spool.add_dead_letters([])
        assert list(tmp_path.iterdir()) == []

    def test_files_come_in_order_and_others_are_no_segments(self, spool: SpoolFolder, tmp_path: Path) -> None:
        (tmp_path / "spool").mkdir()
        for name in ("00000003.jsonl", "00000001.jsonl", "zzz.jsonl", "note.txt"):
            (tmp_path / "spool" / name).touch()
        assert spool.sources() == ["00000001.jsonl", "00000003.jsonl", "zzz.jsonl"]
        assert not spool.archive("zzz.jsonl")
        assert not spool.archive("00000003.jsonl")
        spool.append([b"x\n"])
        assert spool.size("00000003.jsonl") == 2

    def test_a_line_of_exactly_the_maximum_is_kept(self, spool: SpoolFolder) -> None:
        spool.append([b"x" * MAX_LINE_BYTES + b"\n"])
        (line,) = spool.lines(FIRST, None)
        assert (len(line.raw), line.problem, line.ended) == (1 << 20, "", True)

    def test_a_long_line_over_several_chunks_is_kept_in_part(self, spool: SpoolFolder) -> None:
        spool.append([b"a\n", b"x" * (3 * MAX_LINE_BYTES), b"\n", b"b\n"])
        lines = list(spool.lines(FIRST, None))
        assert [(line.offset, line.end, line.problem) for line in lines] == [
            (0, 2, ""),
            (2, 3 * MAX_LINE_BYTES + 3, "too_long"),
            (3 * MAX_LINE_BYTES + 3, 3 * MAX_LINE_BYTES + 5, ""),
        ]

    def test_a_cursor_knows_the_start_of_its_file(self, spool: SpoolFolder, tmp_path: Path) -> None:
        file = tmp_path / "spool" / FIRST
        spool.append([b"a" * 300 + b"\n", b"b\n"])
        cursor = spool.cursor(FIRST, 301)
        assert read(spool, cursor=cursor) == [b"b"]
        # Only the first 256 bytes are compared.
        file.write_bytes(b"a" * 256 + b"c" * 44 + b"\nb\n")
        assert read(spool, cursor=cursor) == [b"b"]
        file.write_bytes(b"a" * 255 + b"c" * 45 + b"\nb\n")
        assert len(read(spool, cursor=cursor)) == 2
        file.write_bytes(b"a" * 300)
        assert len(read(spool, cursor=cursor)) == 1
        assert len(cursor.head) == 32 and cursor.source == FIRST and cursor.position == 301

    def test_a_cursor_at_the_end_reads_nothing(self, spool: SpoolFolder) -> None:
        spool.append([b"a\n"])
        assert read(spool, cursor=spool.cursor(FIRST, 2)) == []
        assert read(spool, cursor=spool.cursor(FIRST, 0)) == [b"a"]

    def test_a_file_outside_is_read_by_its_path(self, spool: SpoolFolder, tmp_path: Path) -> None:
        (tmp_path / "events.jsonl").write_bytes(b"one\n")
        source = spool.resolve_file(str(tmp_path / "events.jsonl"))
        assert (source, read(spool, source), spool.size(source)) == (str(tmp_path / "events.jsonl"), [b"one"], 4)

    def test_a_path_may_begin_with_the_home_folder(
        self, spool: SpoolFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        (tmp_path / "events.jsonl").touch()
        assert spool.resolve_file("~/events.jsonl") == str(tmp_path / "events.jsonl")

    @each_case(("path", "code"), [("x" * 100_000, "invalid_path"), ("a\0b", "invalid_path"), (".", "not_a_file")])
    def test_what_is_no_regular_file_is_refused(self, spool: SpoolFolder, path: str, code: str) -> None:
        with pytest.raises(InvalidRequest) as raised:
            spool.resolve_file(path)
        assert raised.value.code == code

    @pytest.mark.parametrize("size", [10, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 5])
    def test_a_partial_dead_letter_of_any_length_is_replaced(
        self, spool: SpoolFolder, tmp_path: Path, size: int
    ) -> None:
        letter = DeadLetter(FIRST, 7, 3, "r", "bad", 5)
        spool.add_dead_letters([letter])
        whole = (tmp_path / "dead-letters.jsonl").read_bytes()
        with (tmp_path / "dead-letters.jsonl").open("ab") as file:
            file.write(b"x" * size)
        spool.add_dead_letters([letter])
        assert (tmp_path / "dead-letters.jsonl").read_bytes() == whole * 2

    def test_a_file_with_only_a_partial_dead_letter_is_written_anew(self, spool: SpoolFolder, tmp_path: Path) -> None:
        (tmp_path / "dead-letters.jsonl").write_bytes(b"{" * 20)
        spool.add_dead_letters([DeadLetter(FIRST, 7, 3, "r", "bäd \ud800", 5)])
        assert spool.dead_letters() == {(FIRST, 7)}
        assert (tmp_path / "dead-letters.jsonl").read_bytes().endswith('"line":"bäd ?"}\n'.encode())

    def test_dead_letters_that_are_damaged_are_skipped(self, spool: SpoolFolder, tmp_path: Path) -> None:
        lines = [b"no json", b'{"source": "a"}', b'{"source": "a", "offset": null}', b'{"source": "a", "offset": 3}']
        (tmp_path / "dead-letters.jsonl").write_bytes(b"\n".join(lines))
        assert spool.dead_letters() == {("a", 3)}

    def test_an_artifact_is_named_by_its_digest_and_is_not_written_twice(
        self, spool: SpoolFolder, tmp_path: Path
    ) -> None:
        spool.put(NAME, "first")
        spool.put(NAME.removeprefix("sha256:"), "second")
        assert spool.get(NAME) == "first"
        folder = tmp_path / "artifacts" / "ab"
        assert [path.name for path in folder.iterdir()] == ["ab" * 32]
        (folder / f".{'ab' * 32}.77").touch()
        assert spool.artifacts() == [NAME]
        (folder / ("ab" * 32)).write_bytes(b"bad \xff")
        assert spool.get(NAME) == "bad \ufffd"

    def test_only_matching_lines_of_files_with_a_needle_are_erased(self, spool: SpoolFolder, tmp_path: Path) -> None:
        spool.append([b"a secret\n", b"plain\n", b"b secret\n", b"c token\n"])
        asked: list[bytes] = []

        def matches(raw: bytes) -> bool:
            asked.append(raw)
            return raw != b"b secret"

        assert spool.scrub([b"secret", b"token"], matches) == 2
        assert asked == [b"a secret", b"b secret", b"c token"]
        assert read(spool) == [b" " * 8, b"plain", b"b secret", b" " * 7]
        assert spool.scrub([b"nothing"], lambda raw: True) == 0


class TestCodes:
    def test_an_artifact_that_is_missing_or_misnamed(self, spool: SpoolFolder) -> None:
        for name in (NAME, "no digest"):
            with pytest.raises(NotFound) as raised:
                spool.get(name)
            assert raised.value.code == "no_artifact"

    def test_a_folder_in_the_place_of_a_file(self, spool: SpoolFolder, tmp_path: Path) -> None:
        (tmp_path / "dead-letters.jsonl").mkdir()
        (tmp_path / "artifacts" / "ab" / ("ab" * 32)).mkdir(parents=True)
        letter = DeadLetter("s", 0, 1, "r", "l", 1)
        for use in (
            lambda: spool.add_dead_letters([letter]),
            spool.dead_letters,
            lambda: spool.get(NAME),
            lambda: spool.remove(NAME),
            lambda: spool.scrub([b"x"], lambda raw: True),
        ):
            with pytest.raises(Unavailable) as raised:
                use()
            assert raised.value.code == "io_error"

    def test_a_file_in_the_place_of_the_folder(self, spool: SpoolFolder, tmp_path: Path) -> None:
        (tmp_path / "spool").touch()
        with pytest.raises(Unavailable), spool.ingest_lock():
            pass
        with pytest.raises(Unavailable):
            spool.archive(FIRST)

    def test_archiving_says_whether_it_did(self, spool: SpoolFolder) -> None:
        spool.append([b"x\n"])
        assert spool.archive(FIRST) is False
