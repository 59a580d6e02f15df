"""Which tools there are, what they take, and what the server sets itself: values only, no SDK."""

import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from satchel.domain.answers import HealthFinding
from satchel.domain.envelope import Failed, Ok
from satchel.domain.history import RecordEvent
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.errors import InvalidRequest, Refused, SatchelError
from satchel.interfaces.agent_arguments import arguments
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.slot.tools import ToolResult
from satchel.interfaces.toolbox import (
    TOOLS,
    Bounds,
    addressed,
    description,
    input_schema,
    offered,
    output_schema,
    parameters,
    structured,
    text_of,
    tools_named,
)
from satchel.memories.values import MemoryShown

ANY = Bounds()
FIXED = Bounds(scope="project/a")
FILES = {"memory_export", "memory_import"}


def test_what_agents_are_given() -> None:
    assert list(TOOLS) == [
        "get",
        "tag_list",
        "pack",
        *(f"attention_{name}" for name in ("route", "inspect", "add", "reflect", "refresh")),
        "search",
        "timeline",
        *(f"episodes_{name}" for name in ("add", "search", "list", "sessions", "show")),
        *(f"graph_{name}" for name in ("add", "list", "show", "neighbors", "path", "match", "ask", "export")),
        "route",
        *(f"fact_{name}" for name in ("current", "timeline", "pack", "registry", "search")),
        *(f"conversation_{name}" for name in ("list", "show", "expand", "why", "search")),
        "why",
        "why_not",
        *("memory_store", "memory_recall", "memory_forget", "memory_list", "memory_stats"),
        *("memory_export", "memory_import", "memory_docs_ingest", "memory_docs_search"),
    ]
    assert set(offered(ANY)) == set(TOOLS) - FILES


def test_what_concerns_the_whole_store_or_the_machine_is_the_operators() -> None:
    groups = {name.partition("_")[0] for name in TOOLS}

    assert not groups & {"doctor", "index", "receipts", "model", "demo", "export", "import"}


def test_files_are_handled_only_where_a_folder_was_given(tmp_path: Path) -> None:
    assert set(offered(Bounds(folder=tmp_path))) == set(TOOLS)


def test_read_only_offers_what_neither_writes_nor_makes_files(tmp_path: Path) -> None:
    for bounds in (Bounds(read_only=True), Bounds(read_only=True, folder=tmp_path)):
        assert set(offered(bounds)) == {name for name, one in TOOLS.items() if not one.writes} - FILES
        assert {"get", "pack", "memory_recall", "episodes_search", "why"} <= set(offered(bounds))


def test_the_operator_may_offer_a_few_tools_and_no_others() -> None:
    few = Bounds(only=tools_named(["memory_recall", "pack"]))

    assert set(offered(few)) == {"memory_recall", "pack"}
    with pytest.raises(Refused, match="does not offer"):
        arguments(TOOLS["memory_store"], few, {"text": "x"}, "client")
    with pytest.raises(InvalidRequest, match="no tool 'nothing'"):
        tools_named(["nothing"])


@pytest.mark.parametrize(
    ("tool", "bounds", "code"),
    [
        ("memory_store", Bounds(read_only=True), "readonly_mode"),
        ("memory_forget", Bounds(read_only=True), "readonly_mode"),
        ("memory_import", Bounds(read_only=True, folder=Path()), "readonly_mode"),
        ("memory_export", Bounds(read_only=True, folder=Path()), "readonly_mode"),
        ("memory_export", ANY, "no_folder"),
        ("memory_import", ANY, "no_folder"),
    ],
)
def test_what_is_withheld_is_refused_by_name(tool: str, bounds: Bounds, code: str) -> None:
    with pytest.raises(SatchelError) as caught:
        arguments(TOOLS[tool], bounds, {}, "mcp")

    assert caught.value.code == code


@pytest.mark.parametrize("bounds", [ANY, FIXED], ids=["any scope", "fixed scope"])
@pytest.mark.parametrize("operation", TOOLS.values(), ids=lambda operation: operation.name)
def test_schemas_are_valid_and_say_everything(operation: Operation, bounds: Bounds) -> None:
    taken, returned = input_schema(operation, bounds), output_schema(operation)

    for schema in (taken, returned):
        Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert all(one["description"] for one in taken["properties"].values())
    assert set(taken["required"]) <= set(taken["properties"])
    own = {"all_scopes", "trust", "source_kind", "source_ref", "verify", "fix", "explain", "fallback", "redact"}
    assert not own & set(taken["properties"])


@pytest.mark.parametrize("operation", TOOLS.values(), ids=lambda operation: operation.name)
def test_a_failure_conforms_to_its_schema_and_half_an_answer_does_not(operation: Operation) -> None:
    validator = Draft202012Validator(output_schema(operation))
    failure = structured(operation, Failed("busy", "it is busy", "wait", Receipt("x", asked={})))

    assert validator.is_valid(failure)
    assert not validator.is_valid({"receipt": failure["receipt"]})
    assert not validator.is_valid({**failure, "more": 1})


def test_a_failure_of_a_memory_tool_is_flat() -> None:
    receipt = Receipt("memory_recall", asked={}, duration_ms=1.5)

    assert structured(TOOLS["memory_recall"], Failed("busy", "it is busy", "wait", receipt)) == {
        "error": "busy",
        "message": "it is busy",
        "hint": "wait",
        "receipt": {"digest": receipt.digest, "latencyMs": 1.5},
    }


@pytest.mark.parametrize("operation", TOOLS.values(), ids=lambda operation: operation.name)
def test_nothing_speaks_of_the_command_line(operation: Operation) -> None:
    texts = [description(operation), *(one.help for one in parameters(operation, ANY).values())]

    assert not [text for text in texts if "--" in text or "standard input" in text]


def test_a_hint_about_options_becomes_one_for_agents() -> None:
    receipt = Receipt("x", asked={})

    for code in ("not_found", "file_exists"):
        assert "--" not in addressed(Failed(code, "no", "use --all-scopes", receipt)).hint
    assert addressed(Failed("busy", "no", "wait", receipt)).hint == "wait"


def test_a_fixed_scope_leaves_every_schema() -> None:
    assert all("scope" not in parameters(operation, FIXED) for operation in OPERATIONS)
    # The registry of predicates is the same in every scope, and a moment is one of the whole store.
    scoped = [operation for name, operation in TOOLS.items() if name not in ("fact_registry", "tag_list")]
    assert all("scope" in parameters(operation, ANY) for operation in scoped)


def test_the_server_sets_scope_channel_and_source() -> None:
    run_with = arguments(TOOLS["memory_store"], FIXED, {"text": "x", "category": "fact"}, "mcp somebody")

    assert run_with["scope"] == "project/a"
    assert (run_with["source_kind"], run_with["source_ref"]) == ("tool", "mcp somebody")
    assert (run_with["text"], run_with["category"], run_with["importance"]) == ("x", "fact", None)
    assert set(run_with) == {one.name for one in TOOLS["memory_store"].parameters}


def test_a_fixed_scope_has_no_other_to_fall_back_on() -> None:
    asked = {"query": "x"}

    assert arguments(TOOLS["memory_recall"], FIXED, asked, "mcp")["fallback"] is False
    assert arguments(TOOLS["memory_recall"], ANY, asked, "mcp")["fallback"] is True


def test_null_means_left_out_and_a_whole_float_is_a_number() -> None:
    run_with = arguments(TOOLS["memory_recall"], ANY, {"query": "x", "scope": None, "limit": 3.0}, "mcp")

    assert (run_with["scope"], run_with["limit"], type(run_with["limit"])) == (None, 3, int)


@pytest.mark.parametrize(
    ("tool", "given", "code"),
    [
        ("memory_recall", {}, "missing_param"),
        ("memory_recall", {"query": None}, "missing_param"),
        ("memory_recall", {"query": 7}, "wrong_type"),
        ("memory_recall", {"query": ["a"]}, "wrong_type"),
        ("memory_recall", {"query": {"text": "a"}}, "wrong_type"),
        ("memory_recall", {"query": "a", "limit": "5"}, "wrong_type"),
        ("memory_recall", {"query": "a", "limit": 5.5}, "wrong_type"),
        ("memory_recall", {"query": "a", "limit": True}, "wrong_type"),
        ("memory_recall", {"query": "a", "limit": float("nan")}, "wrong_type"),
        ("memory_recall", {"query": "a", "mode": "lexical"}, "unknown_param"),
        ("memory_recall", {"query": "a", "fallback": True}, "unknown_param"),
        ("memory_recall", {"query": "a", "all_scopes": True}, "unknown_param"),
        ("memory_store", {"text": "a", "category": "psychic"}, "unknown_word"),
        ("memory_store", {"text": "a", "importance": "high"}, "wrong_type"),
        ("memory_store", {"text": "a", "importance": True}, "wrong_type"),
        ("memory_store", {"text": "a", "trust": "trusted"}, "unknown_param"),
        ("memory_store", {"text": "a", "source_kind": "operator"}, "unknown_param"),
        ("memory_store", {"text": "a", "source_ref": "me"}, "unknown_param"),
        ("memory_forget", {"memoryId": "a", "verify": True}, "unknown_param"),
        ("memory_forget", {"id": "a"}, "unknown_param"),
        ("memory_stats", {"\ud800" * 90: 1}, "unknown_param"),
        ("memory_stats", {"category": 1}, "wrong_type"),
    ],
)
def test_a_bad_argument_is_named(tool: str, given: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        arguments(TOOLS[tool], ANY, given, "mcp")

    assert caught.value.code == code
    (caught.value.message + caught.value.hint).encode("utf-8")


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A folder for files, with a neighbour whose name begins alike, and every sort of way out."""
        folder = tmp_path / "files"
        (folder / "inner").mkdir(parents=True)
        (tmp_path / "files-not").mkdir()
        (tmp_path / "secret").write_text("x", encoding="utf-8")
        (folder / "way out").symlink_to(tmp_path)
        (folder / "link").symlink_to(tmp_path / "secret")
        (folder / "dangling").symlink_to(tmp_path / "not there yet")
        (folder / "loop").symlink_to(folder / "loop")
        (folder / "own").symlink_to(folder / "inner" / "a.jsonl")
        os.mkfifo(folder / "pipe")
        return folder

    @pytest.mark.parametrize("tool", [("memory_export", "outPath"), ("memory_import", "inPath")])
    @pytest.mark.parametrize(
        "name",
        [
            *("", " ", ".", "./", "inner", "inner/..", "..", "../secret", "../files-not/a", "inner/../../secret"),
            *("/etc/passwd", "{folder}", "{folder}/../secret", "{folder}-not/a", "way out", "way out/secret"),
            *("link", "dangling", "loop", "loop/a", "pipe", "a\0b", "a\ud800b", "x/" * 3000, "/dev/stdin", "/dev/zero"),
        ],
    )
    def test_nothing_outside_and_nothing_but_plain_files_can_be_named(
        self, folder: Path, tool: tuple[str, str], name: str
    ) -> None:
        given = {tool[1]: name.replace("{folder}", str(folder))}

        with pytest.raises(InvalidRequest) as caught:
            arguments(TOOLS[tool[0]], Bounds(folder=folder), given, "mcp")
        assert caught.value.code == "outside_folder"
        caught.value.message.encode("utf-8")

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("a.jsonl", "a.jsonl"),
            ("inner/a.jsonl", "inner/a.jsonl"),
            ("inner/../a.jsonl", "a.jsonl"),
            ("{folder}/a.jsonl", "a.jsonl"),
            ("own", "inner/a.jsonl"),
            ("-", "-"),
            ("~", "~"),
            ("~/a", "~/a"),
            ("日本 語", "日本 語"),
        ],
    )
    def test_what_is_inside_is_named_in_full(self, folder: Path, name: str, expected: str) -> None:
        given = {"outPath": name.replace("{folder}", str(folder))}

        run_with = arguments(TOOLS["memory_export"], Bounds(folder=folder), given, "mcp")
        assert run_with["outPath"] == str(folder.resolve() / expected)

    def test_a_folder_that_is_a_link_is_the_one_it_leads_to(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "short").symlink_to(folder)

        run_with = arguments(TOOLS["memory_import"], Bounds(folder=tmp_path / "short"), {"inPath": "a"}, "mcp")
        assert run_with["inPath"] == str(folder.resolve() / "a")


class TestText:
    def test_a_tool_says_its_own_words(self) -> None:
        assert text_of(Ok(ToolResult("a few words", {}), Receipt("x", asked={}))) == "a few words"

    def test_one_memory_comes_with_its_history(self) -> None:
        memory = Memory(id=MemoryId("id-1"), text="a\nb", scope="global", created_at=1, updated_at=1)
        found = MemoryShown(memory, (RecordEvent(7, "store", "mcp", None, None, 1),))

        assert text_of(Ok(found, Receipt("get", asked={}, warnings=("odd: so",)))) == (
            '⚠️ odd: so\nid-1 (other, unknown, untrusted) "a\\nb"\n#7 store by mcp'
        )

    def test_any_other_answer_is_its_json(self) -> None:
        assert text_of(Ok(HealthFinding("disk", "ok", "fine"), Receipt("x", asked={}))) == (
            '{"check": "disk", "status": "ok", "message": "fine", "fix": ""}'
        )

    def test_a_failure_is_one_line(self) -> None:
        receipt = Receipt("x", asked={})

        assert text_of(Failed("busy", "it is busy", "wait", receipt)) == "busy: it is busy (wait)"
        assert text_of(Failed("busy", "it is busy", "", receipt)) == "busy: it is busy"
