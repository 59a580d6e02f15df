"""Agent tools: which are offered, their schemas and texts, and the arguments that the server sets."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from satchel.domain.answers import HealthFinding
from satchel.domain.envelope import Failed, Ok
from satchel.domain.receipt import Receipt
from satchel.domain.tokens import estimate_tokens
from satchel.errors import Conflict, Corrupt, InvalidRequest, NotFound, Refused, SatchelError, Unavailable
from satchel.interfaces.agents import (
    EVERYDAY_TOOLS,
    TOOLS,
    Bounds,
    chosen_tools,
    complete_arguments,
    offered_tools,
    settable_parameters,
)
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.slot.tools import ToolResult
from satchel.interfaces.toolbox import (
    agent_failure,
    description,
    input_schema,
    structured_content,
    text_of,
)
from tests.interfaces.result_schemas import output_schema
from tests.tables import each_case

ANY = Bounds()
FIXED = Bounds(scope="project/a")
FILES = {"memory_export", "memory_import"}


def test_the_list_of_tools() -> None:
    assert list(TOOLS) == [
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
        *("memory_get", "memory_pack"),
    ]
    assert set(offered_tools(ANY)) == set(TOOLS) - FILES


def test_whole_store_and_machine_operations_are_not_tools() -> None:
    groups = {name.partition("_")[0] for name in TOOLS}

    assert not groups & {"doctor", "index", "receipts", "model", "demo", "export", "import"}


def test_file_tools_are_offered_with_a_folder(tmp_path: Path) -> None:
    assert set(offered_tools(Bounds(folder=tmp_path))) == set(TOOLS)


def test_read_only_offers_no_writing_or_file_tools(tmp_path: Path) -> None:
    for bounds in (Bounds(read_only=True), Bounds(read_only=True, folder=tmp_path)):
        assert set(offered_tools(bounds)) == {name for name, one in TOOLS.items() if not one.writes} - FILES
        assert {"memory_get", "memory_pack", "memory_recall", "why"} <= set(offered_tools(bounds))


def test_the_operator_may_offer_only_some_tools() -> None:
    few = Bounds(only=chosen_tools(["memory_recall", "why"]))

    assert set(offered_tools(few)) == {"memory_recall", "why"}
    with pytest.raises(Refused, match="does not offer memory_store") as caught:
        complete_arguments(TOOLS["memory_store"], few, {"text": "x"}, "client")
    assert (caught.value.code, "--tools all" in caught.value.hint) == ("not_offered", True)


@each_case(
    ("values", "expected"),
    [
        ([], EVERYDAY_TOOLS),
        (["all"], tuple(TOOLS)),
        (["memory_recall,all"], tuple(TOOLS)),
        (["why,graph_path"], ("why", "graph_path")),
        (["why", "graph_path"], ("why", "graph_path")),
        ([" why , graph_path", "why"], ("why", "graph_path")),
    ],
)
def test_tools_are_chosen_by_name(values: list[str], expected: tuple[str, ...]) -> None:
    assert chosen_tools(values) == expected


@each_case(
    ("value", "hint"),
    [
        ("nothing", "all, or some of: "),
        ("memory_recal", "did you mean memory_recall"),
        ("", "all, or some of: "),
        ("why,", "all, or some of: "),
        ("ALL", "all, or some of: "),
        ("store", "memory_store"),
        ("doctor", "all, or some of: "),
        ("why;graph_path", ""),
        ("\x1b[31m", ""),
    ],
)
def test_an_unknown_tool_cannot_be_chosen(value: str, hint: str) -> None:
    with pytest.raises(InvalidRequest, match="unknown tool") as caught:
        chosen_tools([value])
    assert hint in caught.value.hint
    assert (caught.value.message + caught.value.hint).isprintable()


def test_a_server_offers_seven_tools_by_default() -> None:
    everyday = Bounds(only=chosen_tools(()))

    assert set(offered_tools(everyday)) == set(EVERYDAY_TOOLS)
    assert len(EVERYDAY_TOOLS) == 7
    # The whole of it is in every request of a model: about 1,500 tokens.
    for count in (estimate_tokens, lambda text: len(text) // 4):
        assert count("".join(_as_a_model_sees(name, ANY) for name in EVERYDAY_TOOLS)) < 1_500


def _as_a_model_sees(name: str, bounds: Bounds) -> str:
    tool = {
        "name": name,
        "description": description(TOOLS[name]),
        "inputSchema": input_schema(TOOLS[name], bounds),
    }
    return json.dumps(tool, ensure_ascii=False, separators=(",", ":"))


@each_case(
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
def test_a_forbidden_tool_is_refused_with_a_code(tool: str, bounds: Bounds, code: str) -> None:
    with pytest.raises(SatchelError) as caught:
        complete_arguments(TOOLS[tool], bounds, {}, "mcp")

    assert caught.value.code == code


@each_case("bounds", [ANY, FIXED], ids=["any scope", "fixed scope"])
@each_case("operation", TOOLS.values(), ids=lambda operation: operation.name)
def test_schemas_are_valid_and_complete(operation: Operation, bounds: Bounds) -> None:
    taken, returned = input_schema(operation, bounds), output_schema(operation)

    for schema in (taken, returned):
        Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert all(one["description"] for one in taken["properties"].values())
    assert set(taken["required"]) <= set(taken["properties"])
    own = {"all_scopes", "trust", "source_kind", "source_ref", "verify", "fix", "explain", "fallback", "redact"}
    assert not own & set(taken["properties"])


@each_case("operation", TOOLS.values(), ids=lambda operation: operation.name)
def test_failures_conform_to_the_schema_and_incomplete_answers_do_not(operation: Operation) -> None:
    validator = Draft202012Validator(output_schema(operation))
    failure = structured_content(operation, Failed("busy", "it is busy", "wait", Receipt("x", asked={})))

    assert validator.is_valid(failure)
    assert not validator.is_valid({"receipt": failure["receipt"]})
    assert not validator.is_valid({**failure, "more": 1})


def test_a_failure_of_a_memory_tool_is_flat() -> None:
    receipt = Receipt("memory_recall", asked={}, duration_ms=1.5)

    assert structured_content(TOOLS["memory_recall"], Failed("busy", "it is busy", "wait", receipt)) == {
        "error": "busy",
        "message": "it is busy",
        "hint": "wait",
        "receipt": {"digest": receipt.digest, "latencyMs": 1.5},
    }


@each_case("operation", TOOLS.values(), ids=lambda operation: operation.name)
def test_descriptions_do_not_mention_the_command_line(operation: Operation) -> None:
    texts = [description(operation), *(one.help for one in settable_parameters(operation, ANY).values())]

    assert not [text for text in texts if "--" in text or "standard input" in text]


def test_hints_about_options_are_replaced_for_agents() -> None:
    for code in ("not_found", "file_exists"):
        assert "--" not in agent_failure("x", InvalidRequest("no", code=code, hint="use --all-scopes")).hint
    assert agent_failure("x", Unavailable("no", hint="wait")).hint == "wait"


@each_case("kind", [SatchelError, InvalidRequest, NotFound, Refused, Conflict, Unavailable, Corrupt])
def test_an_agent_always_learns_what_to_do_next(kind: type[SatchelError]) -> None:
    assert agent_failure("x", kind("no")).hint


def test_a_fixed_scope_removes_the_parameter() -> None:
    assert all("scope" not in settable_parameters(operation, FIXED) for operation in OPERATIONS)
    # Predicates and tags belong to the whole store.
    scoped = [operation for name, operation in TOOLS.items() if name != "fact_registry"]
    assert all("scope" in settable_parameters(operation, ANY) for operation in scoped)


def test_the_server_sets_scope_channel_and_source() -> None:
    run_with = complete_arguments(TOOLS["memory_store"], FIXED, {"text": "x", "category": "fact"}, "mcp somebody")

    assert run_with["scope"] == "project/a"
    assert (run_with["source_kind"], run_with["source_ref"]) == ("tool", "mcp somebody")
    assert (run_with["text"], run_with["category"], run_with["importance"]) == ("x", "fact", None)
    assert set(run_with) == {one.name for one in TOOLS["memory_store"].parameters}


def test_a_fixed_scope_disables_the_fallback() -> None:
    asked = {"query": "x"}

    assert complete_arguments(TOOLS["memory_recall"], FIXED, asked, "mcp")["fallback"] is False
    assert complete_arguments(TOOLS["memory_recall"], ANY, asked, "mcp")["fallback"] is True


def test_null_means_omitted_and_a_whole_float_is_an_integer() -> None:
    run_with = complete_arguments(TOOLS["memory_recall"], ANY, {"query": "x", "scope": None, "limit": 3.0}, "mcp")

    assert (run_with["scope"], run_with["limit"], type(run_with["limit"])) == (None, 3, int)


@each_case(
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
        ("memory_forget", {"memory_id": "a", "verify": True}, "unknown_param"),
        ("memory_forget", {"id": "a"}, "unknown_param"),
        ("memory_stats", {"\ud800" * 90: 1}, "unknown_param"),
        ("memory_stats", {"category": 1}, "wrong_type"),
    ],
)
def test_an_invalid_argument_is_rejected_with_a_code(tool: str, given: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        complete_arguments(TOOLS[tool], ANY, given, "mcp")

    assert caught.value.code == code
    (caught.value.message + caught.value.hint).encode("utf-8")


class TestFiles:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A folder for files, with every kind of path that leads out of it."""
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

    @pytest.mark.parametrize("tool", [("memory_export", "out_path"), ("memory_import", "in_path")])
    @pytest.mark.parametrize(
        "name",
        [
            *("", " ", ".", "./", "inner", "inner/..", "..", "../secret", "../files-not/a", "inner/../../secret"),
            *("/etc/passwd", "{folder}", "{folder}/../secret", "{folder}-not/a", "way out", "way out/secret"),
            *("link", "dangling", "loop", "loop/a", "pipe", "a\0b", "a\ud800b", "x/" * 3000, "/dev/stdin", "/dev/zero"),
        ],
    )
    def test_paths_outside_and_special_files_are_rejected(self, folder: Path, tool: tuple[str, str], name: str) -> None:
        given = {tool[1]: name.replace("{folder}", str(folder))}

        with pytest.raises(InvalidRequest) as caught:
            complete_arguments(TOOLS[tool[0]], Bounds(folder=folder), given, "mcp")
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
    def test_a_path_inside_is_resolved(self, folder: Path, name: str, expected: str) -> None:
        given = {"out_path": name.replace("{folder}", str(folder))}

        run_with = complete_arguments(TOOLS["memory_export"], Bounds(folder=folder), given, "mcp")
        assert run_with["out_path"] == str(folder.resolve() / expected)

    def test_a_linked_folder_is_resolved(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "short").symlink_to(folder)

        run_with = complete_arguments(
            TOOLS["memory_import"], Bounds(folder=tmp_path / "short"), {"in_path": "a"}, "mcp"
        )
        assert run_with["in_path"] == str(folder.resolve() / "a")


class TestText:
    def test_a_memory_tool_returns_its_own_text(self) -> None:
        assert text_of(Ok(ToolResult("a few words", {}), Receipt("x", asked={}))) == "a few words"

    def test_any_other_answer_is_shown_by_its_fields(self) -> None:
        assert text_of(Ok(HealthFinding("disk", "ok", "all is fine"), Receipt("x", asked={}))) == (
            'check disk, status ok, message "all is fine"'
        )

    def test_a_failure_is_one_line(self) -> None:
        receipt = Receipt("x", asked={})

        assert text_of(Failed("busy", "it is busy", "wait", receipt)) == "busy: it is busy (wait)"
        assert text_of(Failed("busy", "it is busy", "", receipt)) == "busy: it is busy"
