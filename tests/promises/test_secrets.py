"""Secrets are masked in every answer, and nothing that was asked or stored survives forgetting."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.interfaces.http.running import Server
from tests.promises.canaries import SUBJECT, Canaries, Stocked, ask, stock, without_masking

from satchel.app import Satchel
from satchel.config import Settings, load, sources_of
from satchel.domain.record import WORKING_SET, is_intact
from satchel.domain.scope import Reach
from satchel.errors import SatchelError
from satchel.interfaces import agents, toolbox
from satchel.interfaces.cli.main import main
from satchel.interfaces.mcp import prompts, resources
from satchel.interfaces.operations import OPERATIONS, Operation, Parameter, Session

# They concern this machine, not the store, or have a store of their own.
ELSEWHERE = {
    "config show", "config explain", "config set", "config unset", "model install", "model status", "demo", "eval",
    "install", "uninstall", "backends list", "backends probe", "backends install", "backends write", "docs ingest",
    "memory_docs_ingest", "token create", "token list", "token revoke",
    "user add", "user list", "user change", "user remove",
}  # fmt: skip
# What is read first is still there.
ANSWERING = sorted((one for one in OPERATIONS if one.name not in ELSEWHERE), key=lambda one: one.writes)
READING = [one for one in ANSWERING if not one.writes]
[GET] = [one for one in ANSWERING if one.name == "get"]
ASKED = f"Ship the {SUBJECT}: which day is that for the {SUBJECT}?"


@pytest.fixture
def settings(home: Path) -> Settings:
    """A store that does everything it can with text: working sets, an index, vectors."""
    return load(
        home=str(home),
        embedding={"provider": "hashing"},
        recall={"catch_up_ms": 10_000, "index_from": 0},
        working_set={"enabled": True, "max_chars": 2_800},
    )


@pytest.fixture
def canary() -> Canaries:
    return Canaries()


@pytest.fixture
def stocked(settings: Settings, canary: Canaries) -> Stocked:
    with Satchel.open(settings=settings) as store:
        return stock(store, canary)


@pytest.fixture
def session(settings: Settings, stocked: Stocked) -> Iterator[Session]:
    opened = Session(sources_of(settings), "test", progress=lambda *_: None, note=lambda _: None, tell=lambda _: None)
    yield opened
    opened.close()


@pytest.fixture
def arguments(stocked: Stocked, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """The arguments of the operations that need some, by name. Those that erase come last."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "a third walrus"}\n', encoding="utf-8")
    asks = (
        "recall", "pack", "search", "episodes search", "docs search", "graph ask", "route", "fact search",
        "conversation search", "memory_recall", "memory_pack", "memory_docs_search",
    )  # fmt: skip
    subjects = ("fact current", "fact timeline", "fact pack")
    return {
        **{name: {"query": ASKED} for name in asks},
        **{name: {"subject": SUBJECT} for name in subjects},
        "route": {"query": ASKED, "trace": True, "strategy": "merge"},
        "pack": {"query": ASKED, "trace": True},
        "store": {"text": f"The {SUBJECT} must always ship on Thursdays"},
        "get": {"id": stocked.memory},
        "list": {"all_scopes": True},
        "forget": {"query": SUBJECT},
        "confirm": {"ids": [stocked.memory]},
        "tag create": {"name": "later"},
        "tag delete": {"name": "later"},
        "tag show": {"point": "before"},
        "tag diff": {"start": "0", "all_scopes": True},
        "edit": {"id": stocked.other, "text": f"The {SUBJECT} sleeps"},
        "undo": {"dry_run": True},
        "backup": {"path": str(tmp_path / "all.backup")},
        "backup restore": {"path": str(tmp_path / "nowhere.backup")},
        "move": {"to": "nowhere"},
        "scopes rename": {"scope": "global", "name": "renamed", "dry_run": True},
        "scopes merge": {"scopes": ["global"], "into": "merged", "dry_run": True},
        "scopes delete": {"scope": "global", "dry_run": True},
        "receipts prune": {"older_than": 30},
        "tag restore": {"point": "before", "dry_run": True},
        "attention route": {"goal": ASKED, "task_id": "t"},
        "attention inspect": {"memory_id": stocked.packet_memory},
        "attention add": {"memory_type": "summary", "title": SUBJECT, "summary": f"The {SUBJECT} swims"},
        "attention reflect": {"goal": SUBJECT},
        "attention refresh": {"stale_memory_ids": [stocked.other], "replacement_memory_id": stocked.memory},
        "capture": {"events": '{"text": "new"}'},
        "timeline": {"id": stocked.event},
        "artifacts show": {"id": stocked.observation},
        "observations show": {"raw": 9},
        "lifecycle archive": {"id": stocked.memory},
        "lifecycle revive": {"id": stocked.memory},
        "episodes add": {"turns": [{"text": "new", "session": "s", "speaker": "Ann", "id": "t2"}]},
        "episodes show": {"id": stocked.episode},
        "episodes forget": {"id": stocked.episode},
        "docs add": {"texts": [{"ref": "b.md", "text": "new"}], "collection": "notes"},
        "docs show": {"target": "doc:notes:a.md"},
        "docs forget": {"target": "notes"},
        "graph add": {"tail": SUBJECT, "relation": "USES", "head": "boat"},
        "graph extract": {"memories": True},
        "graph forget": {"source": stocked.memory},
        "graph show": {"name": SUBJECT},
        "graph neighbors": {"name": SUBJECT},
        "graph path": {"start": SUBJECT, "goal": "boat"},
        "graph match": {"idea": f"a boat for the {SUBJECT}"},
        "graph export": {"name": SUBJECT},
        "fact assert": {"subject": SUBJECT, "predicate": "status", "object": "fed", "sources": [stocked.memory]},
        "fact invalidate": {"id": "fact_0"},
        "fact propose": {"source": f"memory:{stocked.memory}"},
        "conversation add": {"text": f"We decided to feed the {SUBJECT}."},
        "conversation decide": {"choice": f"feed the {SUBJECT}"},
        "conversation expand": {"id": stocked.summary},
        "conversation why": {"question": f"why did we decide to ship boxes by {SUBJECT}?"},
        "conversation forget": {"id": "msg:0"},
        "export": {"path": str(tmp_path / "out.jsonl")},
        "import": {"path": str(rows)},
        "writeback-lancedb": {"lancedb": str(tmp_path / "tables"), "table": "memories"},
        "rollout stage": {"stage": "a", "lancedb": str(tmp_path / "tables"), "table": "memories"},
        "receipts show": {"name": stocked.receipt},
        "receipts compare": {"first": stocked.receipt, "second": stocked.receipt},
        "why": {"receipt": stocked.receipt},
        "uses": {"id": stocked.memory},
        "why-not": {"query": "harbour", "expect": stocked.memory},
        "turn before": {"prompt": f"Ship the {SUBJECT} today. Which day is it?"},
        "turn after": {"messages": [{"role": "user", "content": f"We decided to feed the {SUBJECT} daily."}]},
        "memory_store": {"text": f"The {SUBJECT} must always ship on Thursdays", "category": "fact"},
        "memory_forget": {"query": SUBJECT},
        "memory_get": {"memory_id": stocked.memory},
        "memory_export": {"out_path": str(tmp_path / "tool.jsonl")},
        "memory_import": {"in_path": str(rows)},
    }


Arguments = dict[str, dict[str, Any]]
OPERATOR = agents.Bounds(operator=True)


def perform(session: Session, operation: Operation, given: dict[str, Any], bounds: agents.Bounds) -> str:
    """Return everything that a caller gets: the answer or error as it is, as JSON, and as a model reads it."""
    outcome = agents.perform(session, operation, bounds, given, "test")
    answer = toolbox.agent_failure(operation.name, outcome) if isinstance(outcome, SatchelError) else outcome
    return "\n".join([str(answer), json.dumps(toolbox.structured_content(operation, answer)), toolbox.text_of(answer)])


def command(operation: Operation, given: dict[str, Any]) -> list[str]:
    """Return the words of a command line."""
    name = ["tool", operation.name] if operation.agents_only else operation.name.split()
    if operation.own_command:
        return [*name, json.dumps(given)]
    return [
        *name,
        *(word for one in operation.parameters if one.name in given for word in _words(one, given[one.name])),
    ]


def _words(parameter: Parameter, value: Any) -> list[str]:
    option = [] if parameter.positional else [parameter.option]
    if parameter.type is bool:
        return option if value else []
    if parameter.repeated:
        return [word for one in value for word in (*option, str(one))]
    return [*option, value if isinstance(value, str) else json.dumps(value)]


def leaks(canary: Canaries, shown: dict[str, str]) -> dict[str, list[str]]:
    """Return the places whose secrets were shown, by what showed them."""
    return {name: places for name, text in shown.items() if (places := canary.found_in(text))}


def test_every_operation_is_asked_with_the_arguments_that_it_needs(arguments: Arguments) -> None:
    needing = {one.name for one in ANSWERING if any(parameter.required for parameter in one.parameters)}
    assert needing <= arguments.keys() <= {one.name for one in ANSWERING}


def test_no_operation_shows_a_secret(
    session: Session, stocked: Stocked, arguments: Arguments, canary: Canaries, tmp_path: Path
) -> None:
    bounds = replace(OPERATOR, folder=tmp_path)
    shown = {one.name: perform(session, one, arguments.get(one.name, {}), bounds) for one in ANSWERING}
    for id in (stocked.untrusted, stocked.observation, stocked.event, f"{WORKING_SET}global"):
        shown[id] = perform(session, GET, {"id": id}, bounds)
    files = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.glob("*.jsonl")}
    assert len(files) == 3
    assert leaks(canary, shown | files) == {}


def test_without_masking_the_same_questions_show_the_secrets(
    session: Session, arguments: Arguments, canary: Canaries, tmp_path: Path
) -> None:
    with without_masking():
        shown = {one.name: perform(session, one, arguments.get(one.name, {}), OPERATOR) for one in READING}
    found = leaks(canary, shown)
    assert len(found) >= 35
    assert len({place for places in found.values() for place in places}) >= 25


def test_no_command_shows_a_secret(
    settings: Settings, arguments: Arguments, canary: Canaries, home: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    shown = dict[str, str]()
    for operation in READING:
        for form in ([], ["--json"]):
            words = [*command(operation, arguments.get(operation.name, {})), *form, "--home", str(home)]
            main(words)
            printed = capsys.readouterr()
            assert printed.out or printed.err
            assert "internal" not in printed.err
            shown[" ".join([operation.name, *form])] = printed.out + printed.err
    assert leaks(canary, shown) == {}


def test_no_server_shows_a_secret(arguments: Arguments, stocked: Stocked, canary: Canaries, home: Path) -> None:
    server = Server(home)
    try:
        offered = {agents.tool_name(one): one.name for one in READING if not one.terminal_only}
        shown = {
            route: server.ask(f"/v1/{route}", arguments.get(name, {})).body.decode() for route, name in offered.items()
        }
    finally:
        server.stop()
    shown["log"] = server.log.read_text(encoding="utf-8")
    assert len(shown) > 50
    assert leaks(canary, shown) == {}


def test_no_agent_is_shown_a_secret(session: Session, arguments: Arguments, stocked: Stocked, canary: Canaries) -> None:
    bounds = agents.Bounds(scope="global")
    shown = {
        name: perform(session, one, arguments.get(one.name, {}), bounds)
        for name, one in agents.TOOLS.items()
        if one.name not in ELSEWHERE
    }
    addresses = (f"memory/{stocked.memory}", f"pack/{SUBJECT}", f"receipt/{stocked.receipt}")
    for address in addresses:
        shown[address] = str(resources.read_resource(f"satchel://{address}", session, bounds, "test"))
    for name, argument in (("before_turn", "next_step"), ("what_do_you_know", "subject")):
        shown[name] = str(prompts.get_prompt(name, {argument: SUBJECT}, session, bounds, "test"))
    assert leaks(canary, shown) == {}


# Unmasked, for the operator who asks for it

UNMASKED: dict[str, dict[str, Any]] = {
    "recall": {"query": ASKED},
    "get": {},
    "list": {},
    "review": {},
}


@pytest.mark.parametrize("name", UNMASKED)
def test_the_operator_gets_secrets_unmasked(name: str, session: Session, stocked: Stocked, canary: Canaries) -> None:
    [operation] = [one for one in OPERATIONS if one.name == name]
    given = UNMASKED[name] or ({"id": stocked.memory} if name == "get" else {})
    assert canary.found_in(perform(session, operation, {**given, "redact": False}, OPERATOR))
    assert not canary.found_in(perform(session, operation, given, OPERATOR))


@pytest.mark.parametrize("tool", agents.TOOLS)
def test_no_agent_can_ask_for_secrets_unmasked(tool: str) -> None:
    assert "redact" not in agents.settable_parameters(agents.TOOLS[tool], agents.Bounds())


def test_masking_changes_no_record(session: Session, stocked: Stocked) -> None:
    store = session.memory
    before = store.get(stocked.memory, redact=False).result
    masked = store.get(stocked.memory).result.memory
    assert (masked.id, is_intact(masked), "[redacted:" in masked.text) == (stocked.memory, True, True)
    assert store.get(stocked.memory, redact=False).result == before
    assert store.maintenance.receipts_verify().result.broken_at is None
    assert store.maintenance.doctor().result.healthy


def test_what_is_asked_now_is_masked_before_it_is_stored(settings: Settings, canary: Canaries, home: Path) -> None:
    with Satchel.open(settings=settings) as store:
        store.store(f"The {SUBJECT} must always ship on Thursdays", kind="decision")
        ask(store, canary)
        store.attention.route(f"feed it {canary('goal')}", user_constraints=[f"no {canary('constraint')}"])
        store.attention.refresh([store.store("old").result.id], refresh_reason=f"because of {canary('reason')}")
        for read in (store.get, store.forget):
            with pytest.raises(SatchelError) as caught:
                read(canary("id"))
            assert not canary.found_in(str(caught.value.message))
    assert holding(canary, home) == {}


# Forgetting


def holding(canary: Canaries, *folders: Path) -> dict[str, list[str]]:
    """Return the places whose secrets are in a file, by the name of the file."""
    files = {path.name: path.read_bytes().lower() for folder in folders for path in folder.rglob("*") if path.is_file()}
    found = {
        name: [place for place, needles in canary.needles.items() if any(one in content for one in needles)]
        for name, content in files.items()
    }
    return {name: places for name, places in found.items() if places}


def test_forgetting_everything_leaves_no_secret_in_any_file(
    settings: Settings, stocked: Stocked, canary: Canaries, home: Path
) -> None:
    assert len({place for places in holding(canary, home).values() for place in places}) >= 35
    with Satchel.open(settings=settings) as store:
        forget_everything(store)
        # It belongs to no record, and is never read again.
        (home / "dead-letters.jsonl").unlink()
        assert store.attention.packets().result.items == ()
        assert store.maintenance.receipts_verify().result.broken_at is None
    assert holding(canary, home, home.parent / "person") == {}


def forget_everything(store: Satchel) -> None:
    """Forget every record that the lists name, as a person would."""
    for turn in store.episodes.list().result.episodes:
        store.episodes.forget(turn.id)
    store.documents.forget(collection="notes")
    for one in store.conversations.list().result.conversations:
        store.conversations.forget(one.name)
    store.tags.delete("before")
    for source in store.parts.ledger.graph.sources(Reach(("global",))):
        store.graph.forget(source.id)
    store.observations.ingest()
    for seen in store.observations.search(SUBJECT, limit=50, archived=True).result.hits:
        store.forget(seen.id)
    for memory in store.memories.list().result.memories:
        store.forget(memory.id)
