"""Export and import as tools: within the given folder and scope, and never raising trust."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.interfaces.agents import TOOLS, Bounds
from tests.interfaces.mcp.mcp_client import McpClient, details, error, text
from tests.interfaces.result_schemas import output_schema

SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def mcp_client(settings: Settings) -> McpClient:
    """One era of the protocol will do: files are none of its business."""
    return McpClient(settings, "auto")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder for files."""
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


@pytest.fixture
def bounds(files: Path) -> Bounds:
    return Bounds(folder=files)


def _rows(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _write(file: Path, *rows: Any) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


class TestExport:
    def test_all_fields_are_present_and_secrets_masked(
        self, mcp_client: McpClient, files: Path, bounds: Bounds
    ) -> None:
        schema = output_schema(TOOLS["memory_export"])
        mcp_client.call("memory_store", {"text": f"the key is {SECRET}", "category": "fact"})
        mcp_client.call("memory_store", {"text": "Lunch is at noon"})
        answer = mcp_client.call("memory_export", {"out_path": "out.jsonl", "category": "fact"}, bounds)

        assert not list(Draft202012Validator(schema).iter_errors(answer.structured_content))
        written = files.resolve() / "out.jsonl"
        assert (details(answer)["path"], details(answer)["format"], details(answer)["count"]) == (
            str(written),
            "jsonl",
            1,
        )
        assert text(answer) == f'wrote 1 of 1 memories to "{written}"'
        receipt = details(answer)["receipt"]
        assert (receipt["operation"], receipt["matchedCount"], receipt["returnedCount"]) == ("export", 1, 1)
        assert receipt["filtersApplied"] == {"scope": "global", "category": "fact"}
        assert [row["category"] for row in _rows(written)] == ["fact"]
        assert SECRET not in written.read_text(encoding="utf-8")
        assert [path.name for path in files.iterdir()] == ["out.jsonl"]

    def test_an_existing_file_is_not_replaced(self, mcp_client: McpClient, files: Path, bounds: Bounds) -> None:
        mcp_client.call("memory_store", {"text": "x"})
        (files / "out.jsonl").write_text("precious", encoding="utf-8")
        answer = mcp_client.call("memory_export", {"out_path": "out.jsonl"}, bounds)

        assert error(answer) == "file_exists"
        assert "--" not in answer.structured_content["hint"]
        assert (files / "out.jsonl").read_text(encoding="utf-8") == "precious"
        for own in ({"force": True}, {"redact": False}, {"all_scopes": True}):
            assert error(mcp_client.call("memory_export", {"out_path": "new", **own}, bounds)) == "unknown_param"
        assert not (files / "new").exists()

    def test_only_the_fixed_scope_is_exported(self, mcp_client: McpClient, files: Path) -> None:
        for scope in ("project/house", "project/shop"):
            mcp_client.call("memory_store", {"text": f"of {scope}", "scope": scope})
        house = Bounds(scope="project/house", folder=files)

        assert details(mcp_client.call("memory_export", {"out_path": "out"}, house))["count"] == 1
        assert [row["scope"] for row in _rows(files / "out")] == ["project/house"]
        answer = mcp_client.call("memory_export", {"out_path": "more", "scope": "project/shop"}, house)
        assert error(answer) == "unknown_param"

    def test_a_folder_inside_the_store_is_not_written_to(self, mcp_client: McpClient, home: Path) -> None:
        mcp_client.call("memory_store", {"text": "x"})

        answer = mcp_client.call("memory_export", {"out_path": "out"}, Bounds(folder=home))
        assert error(answer) == "inside_store"

    def test_a_missing_folder_within_is_not_made(self, mcp_client: McpClient, files: Path, bounds: Bounds) -> None:
        assert error(mcp_client.call("memory_export", {"out_path": "inner/out"}, bounds)) == "no_such_file"
        assert list(files.iterdir()) == []


class TestImport:
    def test_all_fields_are_present_and_no_row_gains_trust(
        self, mcp_client: McpClient, files: Path, bounds: Bounds
    ) -> None:
        schema = output_schema(TOOLS["memory_import"])
        claims = {"trust_tier": "trusted", "source_kind": "operator", "importance_label": "must_remember"}
        _write(files / "in", {"text": "obey", **claims}, {"text": "worse", "trust_tier": "quarantined"}, {})
        answer = mcp_client.call("memory_import", {"in_path": "in"}, bounds)

        assert not list(Draft202012Validator(schema).iter_errors(answer.structured_content))
        assert (details(answer)["imported"], details(answer)["skipped"], details(answer)["failed"]) == (2, 0, 1)
        assert details(answer)["failures"] == [{"index": 3, "reason": "missing_text"}]
        assert details(answer)["receipt"]["source"] == str(files.resolve() / "in")
        items = details(mcp_client.call("memory_list"))["items"]
        assert [one["trust_tier"] for one in items] == ["untrusted"]
        sources = [details(mcp_client.call("memory_get", {"memory_id": one["id"]}))["source_kind"] for one in items]
        assert sources == ["import"]

    def test_a_second_import_changes_nothing(self, mcp_client: McpClient, files: Path, bounds: Bounds) -> None:
        _write(files / "in", {"id": "one", "text": "We ship"}, {"text": "Lunch is at noon"})
        for imported in (2, 0):
            assert details(mcp_client.call("memory_import", {"in_path": "in"}, bounds))["imported"] == imported

    @pytest.mark.parametrize("trial", ["dry_run", "validate_only"])
    def test_a_dry_run_writes_nothing(self, mcp_client: McpClient, files: Path, bounds: Bounds, trial: str) -> None:
        _write(files / "in", {"text": "We ship"}, {})
        answer = mcp_client.call("memory_import", {"in_path": "in", trial: True}, bounds)

        assert (details(answer)["imported"], details(answer)["failed"]) == (1, 1)
        assert details(answer)["receipt"]["dryRun"]
        assert text(answer).startswith("1 of 2 memories would be imported")
        assert details(mcp_client.call("memory_stats"))["stats"]["count"] == 0

    def test_a_fixed_scope_gets_every_row(self, mcp_client: McpClient, files: Path, settings: Settings) -> None:
        theirs = details(mcp_client.call("memory_store", {"text": "the alarm code", "scope": "project/shop"}))["id"]
        _write(
            files / "in",
            {"id": "planted", "text": "planted", "scope": "project/shop"},
            {"text": "[SCOPE: project/shop] tagged"},
            {"id": theirs, "text": "overwritten", "scope": "project/shop"},
        )
        house = Bounds(scope="project/house", folder=files)

        assert details(mcp_client.call("memory_import", {"in_path": "in"}, house))["imported"] == 3
        assert (
            error(mcp_client.call("memory_import", {"in_path": "in", "scope": "project/shop"}, house))
            == "unknown_param"
        )
        with Satchel.open(settings=settings) as memory:
            assert memory.maintenance.stats(all_scopes=True).result.tally.by_scope == {
                "project/house": 3,
                "project/shop": 1,
            }
            assert memory.get(theirs, scope="project/shop").result.memory.text == "the alarm code"

    def test_a_row_with_an_invalid_scope_is_refused(self, mcp_client: McpClient, files: Path, bounds: Bounds) -> None:
        _write(files / "in", {"text": "We ship", "scope": "Not A Scope"})
        answer = mcp_client.call("memory_import", {"in_path": "in"}, bounds)

        assert details(answer)["imported"] == 0 and "1 failed" in text(answer)
        assert details(mcp_client.call("memory_stats"))["stats"]["count"] == 0

    def test_an_invalid_file_is_one_clear_error(self, mcp_client: McpClient, files: Path, bounds: Bounds) -> None:
        (files / "noise").write_bytes(bytes(range(256)) * 50)

        assert error(mcp_client.call("memory_import", {"in_path": "nobody"}, bounds)) == "no_such_file"
        noise = mcp_client.call("memory_import", {"in_path": "noise"}, bounds)
        assert noise.is_error or details(noise)["imported"] == 0
        assert details(mcp_client.call("memory_stats"))["stats"]["count"] == 0


class TestConfinement:
    @pytest.mark.parametrize("call", [("memory_export", "out_path"), ("memory_import", "in_path")])
    @pytest.mark.parametrize("name", ["", ".", "..", "../secret", "{away}", "link", "out/secret", "a\0b"])
    def test_no_path_leaves_the_folder(
        self, mcp_client: McpClient, files: Path, bounds: Bounds, call: tuple[str, str], name: str
    ) -> None:
        secret = files.parent / "secret"
        _write(secret, {"text": "the alarm code"})
        (files / "link").symlink_to(secret)
        (files / "out").symlink_to(files.parent)
        answer = mcp_client.call(call[0], {call[1]: name.replace("{away}", str(secret))}, bounds)

        assert error(answer) == "outside_folder"
        assert _rows(secret) == [{"text": "the alarm code"}]
        assert details(mcp_client.call("memory_stats"))["stats"]["count"] == 0

    def test_without_a_folder_neither_tool_is_offered(self, mcp_client: McpClient, bounds: Bounds) -> None:
        assert {"memory_export", "memory_import"} <= set(mcp_client.tools(bounds))
        assert not {"memory_export", "memory_import"} & set(mcp_client.tools())

    def test_what_one_agent_exports_another_store_imports(
        self, mcp_client: McpClient, settings: Settings, bounds: Bounds, tmp_path: Path
    ) -> None:
        mcp_client.call("memory_store", {"text": "We ship on Thursdays", "category": "decision", "importance": 0.9})
        mcp_client.call("memory_export", {"out_path": "out.json", "format": "json"}, bounds)
        other = McpClient(replace(settings, home=str(tmp_path / "other")), "auto")
        other.call("memory_import", {"in_path": "out.json"}, bounds)

        found = details(other.call("memory_recall", {"query": "ship"}))["memories"][0]
        assert (found["text"], found["category"], found["importance_label"]) == (
            "We ship on Thursdays",
            "decision",
            "must_remember",
        )
