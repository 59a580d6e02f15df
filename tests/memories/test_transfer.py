"""Export and import with real files, including hostile ones."""

import hashlib
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.attention import Details
from satchel.domain.edges import MemoryEdge
from satchel.domain.facts import SourcedFact
from satchel.domain.imports import ImportFailure
from satchel.domain.record import Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.interfaces.cli.main import main
from satchel.memories import batches
from satchel.memories.row_format import memory_row
from tests.tables import each_case

SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Satchel]:
    """Another store, without a model."""
    with Satchel.open(settings=load(home=str(tmp_path / "other"), embedding={"provider": "none"})) as store:
        yield store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memories.jsonl"


def fill(memory: Satchel) -> list[Memory]:
    """Store memories of many kinds, and return them."""
    memory.store("We ship on Thursdays", kind="decision", importance=0.9, tags=["release"], title="release day")
    memory.store("喜欢简短的回答", kind="preference", scope="repo/api", language="zh", valid_to="2999-01-01")
    old = memory.store("The office is in Oslo", trust="untrusted", source_kind="web", source_ref="https://example.org")
    memory.store("The office is in Bergen", replaces=old.result.id)
    memory.store("a rumour", trust="quarantined", session="s1", task="t1", keywords=["gossip"])
    return everything(memory)


def everything(memory: Satchel) -> list[Memory]:
    return sorted(memory.memories.list(all_scopes=True, limit=1000).result.memories, key=lambda one: one.id)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, *given: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in given), encoding="utf-8")
    return path


def state_of(folder: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


class TestExport:
    def test_an_export_is_ordered_and_deterministic(self, memory: Satchel, tmp_path: Path) -> None:
        fill(memory)
        first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
        memory.transfer.export(str(first), all_scopes=True)
        memory.recall("office")
        memory.transfer.export(str(second), all_scopes=True)

        assert first.read_bytes() == second.read_bytes()
        keys = [(row["createdAt"], row["id"]) for row in rows(first)]
        assert keys == sorted(keys)
        assert len(keys) == 5

    def test_scope_and_kind_filter_an_export(self, memory: Satchel, file: Path) -> None:
        fill(memory)

        assert memory.transfer.export(str(file)).result.count == 4
        assert {row["scope"] for row in rows(file)} == {"global"}
        done = memory.transfer.export(str(file), all_scopes=True, kinds=["preference"], force=True).result
        assert (done.count, done.matched, rows(file)[0]["kind"]) == (1, 1, "preference")
        done = memory.transfer.export(str(file), all_scopes=True, limit=2, force=True).result
        assert (done.count, done.matched, len(rows(file))) == (2, 5, 2)

    def test_secrets_are_masked_by_default(self, memory: Satchel, file: Path) -> None:
        memory.store(f"deploy with {SECRET}", title=f"t {SECRET}", tags=[SECRET], source_ref=SECRET, keywords=[SECRET])
        done = memory.transfer.export(str(file))

        assert SECRET not in file.read_text(encoding="utf-8")
        assert done.result.redacted == {"github-token": 5}
        assert done.receipt.decided["redacted"] == {"github-token": 5}
        assert memory.transfer.export(str(file), redact=False, force=True).result.redacted is None
        assert file.read_text(encoding="utf-8").count(SECRET) == 5

    def test_the_file_is_readable_by_its_owner_only(self, memory: Satchel, file: Path) -> None:
        before = os.umask(0)
        try:
            memory.transfer.export(str(file))
        finally:
            os.umask(before)

        assert file.stat().st_mode & 0o777 == 0o600

    def test_a_file_is_overwritten_only_with_force(self, memory: Satchel, file: Path) -> None:
        file.write_text("precious", encoding="utf-8")
        with pytest.raises(Conflict) as conflict:
            memory.transfer.export(str(file))

        assert (conflict.value.code, file.read_text(encoding="utf-8")) == ("file_exists", "precious")
        memory.store("one")
        memory.transfer.export(str(file), force=True)
        assert len(rows(file)) == 1

    def test_a_failed_export_leaves_the_old_file(
        self, memory: Satchel, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(memory)
        file.write_text("precious", encoding="utf-8")

        def full(handle: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(Unavailable) as failure:
            memory.transfer.export(str(file), force=True)
        assert failure.value.code == "disk_full"
        assert file.read_text(encoding="utf-8") == "precious"
        assert [path.name for path in file.parent.iterdir() if path.suffix == ".part"] == []

    def test_an_invalid_path_is_rejected(self, memory: Satchel, home: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "target")
        os.mkfifo(tmp_path / "pipe")
        refused = {
            "no/such/folder/file": "no_such_file", str(tmp_path): "not_a_file", str(tmp_path / "link"): "not_a_file",
            str(tmp_path / "pipe"): "not_a_file", str(home / "x.jsonl"): "inside_store", "a\0b": "invalid_path", "-": "no_standard_stream",
            str(home / ".." / "home" / "ledger.sqlite3"): "inside_store", str(tmp_path / ("x" * 300)): "invalid_path",
        }  # fmt: skip
        for path, code in refused.items():
            with pytest.raises(SatchelError) as error:
                memory.transfer.export(path, force=True)
            assert error.value.code == code, path
        assert not (tmp_path / "target").exists()

    @pytest.mark.parametrize("wrong", [{"kinds": ["nonsense"]}, {"limit": 0}, {"format": "xml"}, {"scope": "No Scope"}])
    def test_an_invalid_request_writes_nothing(self, memory: Satchel, file: Path, wrong: dict[str, Any]) -> None:
        with pytest.raises(InvalidRequest):
            memory.transfer.export(str(file), **wrong)
        assert not file.exists()

    def test_progress_is_reported(self, memory: Satchel, other: Satchel, file: Path) -> None:
        write(file, *({"text": f"note {number}"} for number in range(1200)))
        seen: list[tuple[int, int, str]] = []

        def progress(done: int, total: int, what: str) -> None:
            seen.append((done, total, what))

        size = file.stat().st_size
        memory.transfer.import_(str(file), progress=progress)
        memory.transfer.export(str(file), force=True, progress=progress)
        assert seen == [(size, size, "importing"), (500, 1200, "exporting"), (1000, 1200, "exporting")]


class TestRoundTrip:
    @pytest.mark.parametrize("format", ["jsonl", "json"])
    def test_an_import_restores_everything_without_a_model(
        self, memory: Satchel, other: Satchel, file: Path, format: str
    ) -> None:
        before = fill(memory)
        memory.transfer.export(str(file), all_scopes=True, format=format, redact=False)
        done = other.transfer.import_(str(file))

        assert (done.result.imported, done.result.failed, done.result.format) == (5, 0, format)
        after = everything(other)
        kept = ("trust_tier", "source_kind")
        assert [{k: v for k, v in memory_row(one).items() if k not in kept} for one in after] == [
            {k: v for k, v in memory_row(one).items() if k not in kept} for one in before
        ]
        assert {one.trust for one in after} == {Trust.UNTRUSTED, Trust.QUARANTINED}
        assert [hit.memory.text for hit in other.recall("office").result.hits] == ["The office is in Bergen"]
        assert [hit.memory.text for hit in other.recall("简短", scope="repo/api").result.hits] == ["喜欢简短的回答"]
        assert other.get(before[0].id, all_scopes=True).result.history[0].operation == "import"
        assert next(one for one in after if "Oslo" in one.text).state is State.RETIRED

    def test_a_second_export_equals_the_first(self, memory: Satchel, other: Satchel, tmp_path: Path) -> None:
        write(tmp_path / "in", *({"text": f"note {number}", "scope": f"s{number % 3}"} for number in range(30)))
        memory.transfer.import_(str(tmp_path / "in"))
        memory.transfer.export(str(tmp_path / "one"), all_scopes=True)
        other.transfer.import_(str(tmp_path / "one"))
        other.transfer.export(str(tmp_path / "two"), all_scopes=True)

        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    def test_the_ledger_stays_valid_and_receipts_have_the_counts(
        self, memory: Satchel, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(batches, "ROWS_PER_BATCH", 500)
        write(file, *({"text": f"note {number}"} for number in range(1100)), {"nothing": 1})
        done = memory.transfer.import_(str(file))

        assert memory.maintenance.receipts_verify().result.broken_at is None
        assert memory.maintenance.doctor().result.healthy
        kept = memory.maintenance.receipts_list(operation="import").result[0]
        assert kept.digest == done.receipt.digest
        assert kept.body["decided"] == done.receipt.decided
        assert [
            one.body["decided"] for one in memory.maintenance.receipts_list(operation="import batch").result
        ].__len__() == 3
        assert done.result.failures == (ImportFailure(1101, "missing_text"),)


class TestImport:
    def test_a_dry_run_changes_no_byte(self, home: Path, file: Path) -> None:
        write(file, {"text": "one"}, {"text": "two"}, {"text": ""})
        settings = load(home=str(home), embedding={"provider": "none"})
        with Satchel.open(settings=settings) as memory:
            memory.store("one")
        before = state_of(home)
        with Satchel.open(settings=settings) as memory:
            dry = memory.transfer.import_(str(file), dry_run=True)
        assert state_of(home) == before
        assert not dry.receipt.kept
        with Satchel.open(settings=settings) as memory:
            wet = memory.transfer.import_(str(file))

        counts = [(one.imported, one.skipped, one.failed) for one in (dry.result, wet.result)]
        assert counts == [(1, 1, 1), (1, 1, 1)]

    def test_an_id_of_another_scope_is_out_of_reach(self, memory: Satchel, file: Path) -> None:
        theirs = memory.store("their secret", scope="theirs").result.id
        write(file, {"id": theirs, "text": "mine", "scope": "theirs"})
        done = memory.transfer.import_(str(file), scope="mine").result

        assert (done.imported, done.renamed) == (1, 1)
        assert memory.get(theirs, scope="theirs").result.memory.text == "their secret"
        assert [one.text for one in memory.memories.list(scope="mine").result.memories] == ["mine"]

    def test_a_directory_or_device_is_rejected(self, memory: Satchel, tmp_path: Path) -> None:
        for path, kind in ((str(tmp_path / "none"), NotFound), (str(tmp_path), InvalidRequest), ("-", InvalidRequest)):
            with pytest.raises(kind):
                memory.transfer.import_(path)

    @pytest.mark.parametrize("wrong", [{"dedupe": "maybe"}, {"format": "xml"}, {"limit": 0}, {"scope": "No Scope"}])
    def test_an_invalid_request_changes_nothing(self, memory: Satchel, file: Path, wrong: dict[str, Any]) -> None:
        write(file, {"text": "one"})
        with pytest.raises(InvalidRequest):
            memory.transfer.import_(str(file), **wrong)
        assert everything(memory) == []

    @pytest.mark.parametrize("format", ["jsonl", "json"])
    def test_a_truncated_file_loses_only_its_last_rows(
        self, memory: Satchel, other: Satchel, tmp_path: Path, format: str
    ) -> None:
        for text in ("one", "zwei €", 'three \\ " 四'):
            memory.store(text)
        memory.transfer.export(str(tmp_path / "whole"), format=format)
        whole = (tmp_path / "whole").read_bytes()
        rows_end, place = [], 0
        for line in whole.splitlines(keepends=True):
            if line.startswith(b"{"):
                rows_end.append(place + len(line.rstrip(b",\n")))
            place += len(line)
        for cut in range(rows_end[0], len(whole) + 1):
            (tmp_path / "cut").write_bytes(whole[:cut])
            done = other.transfer.import_(str(tmp_path / "cut"), dry_run=True, format=format).result
            assert done.imported == sum(end <= cut for end in rows_end)
            whole_rows = cut in rows_end or cut - 1 in rows_end
            assert bool(done.failed) == (cut < len(whole) - 1 if format == "json" else not whole_rows)

    @pytest.mark.parametrize(
        "data",
        [
            b"", b"\n\n\n", b"\0" * 5000, b"\xff\xfe{\x00}\x00", random.Random(1).randbytes(5000), b"[" * 200_000, b"{" * 200_000,
            b'{"text":"' + b"x" * 5_000_000 + b'"}', b'{"text": 1e999}', b'{"text":"a","createdAt":' + b"9" * 5000 + b"}",
            b'{"text":"a","text":"b"}', b'{"text":"\\u0000"}', b'{"text":"\\ud800"}', b'{"id":"\\ud800","text":""}', b'["a",1,null]', b"[[[[]]]]", b'{"text":' * 3,
        ],
        ids=range(17),
    )  # fmt: skip
    def test_valid_rows_of_a_hostile_file_are_imported(self, memory: Satchel, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "bad").write_bytes(data)
        assert memory.transfer.import_(str(tmp_path / "bad")).result.imported == 0
        (tmp_path / "mixed").write_bytes(b'{"text":"good"}\n' + data.replace(b"\n", b"") + b'\n{"text":"good too"}\n')
        assert memory.transfer.import_(str(tmp_path / "mixed")).result.imported == 2
        assert memory.maintenance.doctor().result.healthy

    def test_concurrent_imports_leave_no_duplicates(self, home: Path, file: Path) -> None:
        write(file, *({"text": f"note {number}"} for number in range(3000)))
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})):
            pass
        command = [sys.executable, "-m", "satchel", "--home", str(home), "--json", "import", str(file), "--yes"]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        answers = [json.loads(one.communicate(timeout=120)[0]) for one in both]

        assert sum(one["result"]["imported"] for one in answers) == 3000
        assert sum(one["result"]["skipped"] for one in answers) == 3000
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
            assert memory.maintenance.stats().result.tally.memories == 3000
            assert memory.maintenance.receipts_verify().result.broken_at is None


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def _own_store(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_HOME", str(home))
        monkeypatch.setenv("SATCHEL_EMBEDDER", "none")

    def test_export_and_import_work_through_a_pipe(
        self, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given = io.TextIOWrapper(io.BytesIO('\ufeff{"text":"eins"}\r\n{"text":"二"}\r\n'.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", given)
        assert main(["import", "-"]) == 0
        assert b"2 of 2 memories imported" in capsysbinary.readouterr().out
        assert main(["export", "-"]) == 0
        said = capsysbinary.readouterr()

        assert {json.loads(line)["text"] for line in said.out.splitlines()} == {"eins", "二"}
        assert b"wrote 2 of 2 memories to standard output" in said.err
        assert main(["export", "-", "--json"]) == 0
        assert json.loads(capsysbinary.readouterr().err)["result"]["count"] == 2

    @each_case(
        ("name", "options", "start"),
        [
            ("x.md", [], "# "),
            ("X.JSON", [], "["),
            ("x.jsonl", [], "{"),
            ("x.txt", [], "{"),
            ("x", [], "{"),
            ("y.md", ["--format", "jsonl"], "{"),
        ],
    )
    def test_the_format_follows_the_ending(self, tmp_path: Path, name: str, options: list[str], start: str) -> None:
        assert main(["store", "We ship on Thursdays"]) == 0
        assert main(["export", str(tmp_path / name), *options]) == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)

    def test_failed_rows_are_reported_with_an_exit_code(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write(file, {"text": "good", "trust_tier": "trusted", "x": 1}, *([{"text": ""}] * 25))
        assert main(["import", str(file), "--dry-run"]) == 1
        said = capsys.readouterr().out

        assert "1 of 26 memories would be imported; nothing was written" in said
        assert "line 2: empty_text" in said and "and 5 more" in said
        assert "1 claimed more trust" in said and "1 unknown field" in said

    def test_masked_secrets_are_mentioned(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        main(["store", f"deploy with {SECRET}"])
        assert main(["export", str(file)]) == 0
        assert "masked 1 secret: github-token 1" in capsys.readouterr().out
        assert main(["export", str(file), "--no-redact", "--force"]) == 0
        assert "not masked" in capsys.readouterr().out
        assert main(["export", str(file)]) == 1
        assert "exists already" in capsys.readouterr().err


class TestMarkdown:
    def test_a_document_has_a_heading_for_each_scope_and_kind(self, memory: Satchel, tmp_path: Path) -> None:
        fill(memory)
        memory.store("Two lines:\n\n# not a heading", kind="decision", title="Of\nnote")
        target = tmp_path / "all.md"
        done = memory.transfer.export(str(target), all_scopes=True, format="markdown").result
        lines = target.read_text(encoding="utf-8").splitlines()

        assert done.count == done.matched == 6
        assert [line for line in lines if line.startswith("#")] == [
            "# global", "## Decision", "## Other", "# repo/api", "## Preference",
        ]  # fmt: skip
        assert "- **release day**: We ship on Thursdays" in lines
        assert "- **Of note**: Two lines:" in lines and "  # not a heading" in lines
        assert any(line.endswith("`") and "· untrusted · retired ·" in line for line in lines)
        assert target.stat().st_mode & 0o077 == 0

    def test_secrets_are_masked_in_documents_and_notes(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store(f"the token is {SECRET}", title=f"token {SECRET}")
        for format in ("markdown", "notes"):
            done = memory.transfer.export(str(tmp_path / format), format=format).result
            assert sum((done.redacted or {}).values()) == 2
        files = [tmp_path / "markdown", *(tmp_path / "notes").rglob("*.md")]
        assert len(files) == 2
        assert not any(SECRET in str(one) or SECRET in one.read_text(encoding="utf-8") for one in files)

    def test_notes_are_imported_as_the_memories_they_were(
        self, memory: Satchel, other: Satchel, tmp_path: Path
    ) -> None:
        fill(memory)
        memory.store("Text: with colons\n---\nand a line", title='A "quoted", title: [x]', tags=["a, b", "c"])
        folder = tmp_path / "notes"
        assert memory.transfer.export(str(folder), all_scopes=True, format="notes").result.count == 6
        assert not any(one.stat().st_mode & 0o077 for one in [folder, *folder.rglob("*")])
        done: Any = other.importing.import_(str(folder), notes=True, trust="trusted", yes=True).result
        assert (done.new, done.refusals) == (6, ())
        fields = ("text", "kind", "title", "scope", "importance", "tags", "keywords", "session", "task", "state")
        dates = ("created_at", "updated_at", "valid_from", "valid_to")

        def kept(store: Satchel) -> list[list[Any]]:
            return sorted([getattr(one, name) for name in (*fields, *dates)] for one in everything(store))

        assert [list(map(str, one)) for one in kept(other)] == [list(map(str, one)) for one in kept(memory)]

    def test_a_path_that_ends_like_a_folder_is_a_folder_of_notes(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        assert memory.transfer.export(f"{tmp_path}/notes/").result.format == "notes"
        assert [one.suffix for one in (tmp_path / "notes").rglob("*") if one.is_file()] == [".md"]

    def test_notes_are_written_to_a_new_folder_only(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        (tmp_path / "notes").mkdir()
        for path, error in ((tmp_path / "notes", Conflict), (tmp_path / "no" / "notes", NotFound)):
            with pytest.raises(error):
                memory.transfer.export(str(path), format="notes")
        with pytest.raises(InvalidRequest):
            memory.transfer.export("-", format="notes")
        with pytest.raises(InvalidRequest):
            memory.transfer.export(str(Path(memory.parts.files.folder) / "notes"), format="notes")
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []

    def test_the_path_of_a_note_cannot_leave_its_folder(self, memory: Satchel, other: Satchel, tmp_path: Path) -> None:
        names = ("../../up", "/etc/passwd", "..", "a/b", "CON", "x" * 90, "...")
        write(
            tmp_path / "rows.jsonl",
            *(
                {"id": f"id{place}", "text": f"text {place}", "scope": "a/../b", "title": name}
                for place, name in enumerate(names)
            ),
        )
        memory.transfer.import_(str(tmp_path / "rows.jsonl"))
        folder = tmp_path / "notes"
        done = memory.transfer.export(str(folder), all_scopes=True, format="notes").result

        assert done.count == len(names) == len([*folder.rglob("*.md")])


def fill_everything(memory: Satchel) -> None:
    """Store memories with edges, details, facts and a working packet."""
    fill(memory)
    base = memory.store("Payments went live in March", kind="fact").result.id
    plan, old = memory.attention, memory.store("Walk to the harbour", kind="plan").result.id
    details: Any = {"steps": ["pack", {"deep": 1.5}]}
    plan.add("procedure", "Move", "Take the tram", details=details, source_refs=["ticket-7"], replaces_memory_id=old)
    plan.route("Move: take the tram", step_role="executor", scope="global")
    memory.facts.assert_("payments", "status", "live", sources=[base])
    memory.facts.assert_("payments", "status", "paused", sources=[base])


class TestSignedExport:
    def exported(self, memory: Satchel, path: Path, **options: Any) -> str:
        done = memory.transfer.export(str(path), all_scopes=True, redact=False, sign=True, **options).result
        assert done.state is not None
        return done.state

    @pytest.mark.parametrize("format", ["jsonl", "json"])
    def test_a_signed_export_gives_an_empty_store_the_same_state(
        self, memory: Satchel, other: Satchel, tmp_path: Path, format: str
    ) -> None:
        fill_everything(memory)
        state = self.exported(memory, tmp_path / "all", format=format)
        share_key(memory, other)
        done = other.importing.import_(str(tmp_path / "all"), trust="trusted")
        again = self.exported(other, tmp_path / "again", format=format)

        assert again == state
        assert (tmp_path / "again").read_bytes() == (tmp_path / "all").read_bytes()
        assert everything(other) == everything(memory)
        assert links(other) == links(memory) and all(links(other))
        packets = [one.parts.ledger.packets.walk(EVERYWHERE) for one in (memory, other)]
        assert packets[0] == packets[1]
        assert any(packet.selected for packet in packets[1])
        assert done.receipt.warnings == ()
        text = (tmp_path / "all").read_text(encoding="utf-8")
        assert all(f'"{part}"' in text for part in ("details", "edges", "fact_event", "packet", "signature"))
        assert other.transfer.import_(str(tmp_path / "all"), trusted=True).result.imported == 0
        assert self.exported(other, tmp_path / "third", format=format) == state

    def test_a_scope_that_moved_is_taken_back_too(self, memory: Satchel, other: Satchel, tmp_path: Path) -> None:
        fill_everything(memory)
        memory.scopes.rename("global", "moved")
        state = self.exported(memory, tmp_path / "all")
        share_key(memory, other)
        other.importing.import_(str(tmp_path / "all"), trust="trusted")

        assert self.exported(other, tmp_path / "again") == state
        assert links(other) == links(memory)
        assert other.parts.ledger.damaged(EVERYWHERE) == []

    @each_case(
        "change",
        [
            lambda text: text.replace("Thursdays", "Mondays", 1),
            lambda text: text.replace('"untrusted"', '"trusted"', 1),
            lambda text: "\n".join(text.splitlines()[1:]),
            lambda text: "\n".join([*text.splitlines()[1:2], *text.splitlines()[:1], *text.splitlines()[2:]]),
            lambda text: "\n".join(text.splitlines()[:-1]),
            lambda text: text + '{"id": "more", "text": "one more"}\n',
            lambda text: text[:-9],
            lambda text: text.replace("hmac-sha256:", "hmac-sha256:0", 1),
            lambda text: text.replace('"value":"hmac', '"value":7,"x":"hmac', 1),
        ],
    )
    def test_a_changed_file_is_not_taken_for_an_own_export(
        self, memory: Satchel, tmp_path: Path, change: Callable[[str], str]
    ) -> None:
        if not everything(memory):
            fill_everything(memory)
        file = tmp_path / "all.jsonl"
        memory.transfer.export(str(file), all_scopes=True, redact=False, sign=True, force=True)
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
        with emptied(tmp_path) as new:
            share_key(memory, new)
            done = new.importing.import_(str(file), trust="trusted")
            assert any(one.startswith("links_left_out: ") for one in done.receipt.warnings)
            assert links(new) == ([], {}, [])
            assert {one.source_kind for one in everything(new)} == {"import"}

    def test_a_file_signed_by_another_key_or_not_vouched_for_brings_memories_only(
        self, memory: Satchel, other: Satchel, tmp_path: Path
    ) -> None:
        fill_everything(memory)
        self.exported(memory, tmp_path / "all")
        other.transfer.export(str(tmp_path / "mine"), redact=False, sign=True)
        for trust in ("trusted", "untrusted"):
            done = other.importing.import_(str(tmp_path / "all"), trust=trust)
            assert any(one.startswith("links_left_out: ") for one in done.receipt.warnings)
        share_key(memory, other)
        assert not other.transfer.import_(str(tmp_path / "all")).result.imported
        assert links(other) == ([], {}, [])

    def test_what_was_forgotten_stays_forgotten(self, memory: Satchel, tmp_path: Path) -> None:
        fill_everything(memory)
        self.exported(memory, tmp_path / "all")
        (edge, *_), _, _ = links(memory)
        memory.forget(edge.target)
        after, packets = links(memory), memory.parts.ledger.packets.walk(EVERYWHERE)
        for one in packets:
            memory.forget(one.id)
        memory.importing.import_(str(tmp_path / "all"), trust="trusted")

        assert links(memory) == after
        assert memory.parts.ledger.packets.walk(EVERYWHERE) == []
        assert edge.target not in {one.id for one in everything(memory)}

    @each_case("options", [{}, {"redact": False, "format": "markdown"}, {"redact": False, "format": "notes"}])
    def test_only_unmasked_rows_are_signed(self, memory: Satchel, tmp_path: Path, options: dict[str, Any]) -> None:
        with pytest.raises(InvalidRequest) as refused:
            memory.transfer.export(str(tmp_path / "all"), sign=True, **options)
        assert refused.value.code == "conflicting_params"
        assert not Path(memory.parts.files.folder, "export-key").exists()


def links(memory: Satchel) -> tuple[list[MemoryEdge], dict[MemoryId, Details], list[SourcedFact]]:
    """Return the edges, details and facts of a store."""
    ledger, ids = memory.parts.ledger, [one.id for one in everything(memory)]
    edges = sorted({edge for id in ids for edge in ledger.edges.of(id)})
    return edges, dict(ledger.details.of(ids)), ledger.facts.walk(admin_view(EVERYWHERE, memory.parts.clock.now()))


@contextmanager
def emptied(folder: Path) -> Iterator[Satchel]:
    """Open an empty store."""
    home = Path(mkdtemp(dir=folder))
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as store:
        yield store


def share_key(memory: Satchel, other: Satchel) -> None:
    """Give another store the key of a store."""
    key = Path(memory.parts.files.folder, "export-key")
    Path(other.parts.files.folder, "export-key").write_bytes(key.read_bytes())
