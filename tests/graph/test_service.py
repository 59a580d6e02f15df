"""The graph through its public operations: reading, visibility, names, forgetting and errors."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.envelope import Outcome
from satchel.errors import Conflict, InvalidRequest, NotFound, ReadOnlyMode, SatchelError
from satchel.graph.values import GraphAnswers, PathFound
from tests.graph.samples import store_memories, write_project
from tests.tables import each_case

HOSTILE = (
    'o\'clock "quoted" `ticked`',
    "two\nlines",
    "a" * 10_000,
    "a" * 9_999 + "b",
    "\u202eright to left\u202c",
    "right to left",
    "שלום עולם",
    "Pаypal",  # the second letter is Cyrillic
    "Paypal",
    "zero\u200bwidth",
    "zerowidth",
    "'; DROP TABLE graph_sources; --",
    "](javascript:alert(1)) <script>",
    'x"]; click y "javascript:alert(1)',
    "100%",
    "ﬁne",
    "fine",
    "m²",
    "m2",
)


def _names(asked: GraphAnswers) -> set[str]:
    return {one.entity.name for one in asked.answers}


def _steps(found: PathFound) -> list[str]:
    return [] if found.path is None else [one.name for one in found.path.entities]


# Reading


def test_unchanged_files_are_not_read_again(memory: Satchel, tmp_path: Path) -> None:
    root = write_project(tmp_path)
    first = memory.graph.extract(str(root)).result
    second = memory.graph.extract(str(root)).result
    (root / "src/harbor/clock.py").write_text("import calendar\n", encoding="utf-8")
    third = memory.graph.extract(str(root)).result

    assert (first.unchanged, second.read, second.unchanged) == (0, 0, first.read)
    assert (third.read, third.unchanged, third.removed) == (1, first.read - 1, 0)
    assert _names(memory.graph.ask("what imports calendar").result) == {"harbor.clock"}
    assert _names(memory.graph.ask("what imports time").result) == set()


def test_a_deleted_file_is_removed_from_the_graph(memory: Satchel, tmp_path: Path) -> None:
    root = write_project(tmp_path)
    memory.graph.extract(str(root))
    (root / "src/harbor/tariff.py").unlink()
    again = memory.graph.extract(str(root)).result

    assert again.removed == 1
    with pytest.raises(NotFound):
        memory.graph.show("harbor.tariff.rate")


def test_a_path_that_is_not_unicode_is_an_error(memory: Satchel) -> None:
    with pytest.raises(SatchelError):
        memory.graph.extract("\udc80")


def test_ignored_files_are_not_read(memory: Satchel, tmp_path: Path) -> None:
    memory.graph.extract(str(write_project(tmp_path)))

    sources = {one.ref for one in memory.graph.status().result.sources}
    assert "src/harbor/model.py" in sources
    assert not sources & {"build/copied.py", "src/harbor/secret.generated.py"}


def test_a_subfolder_is_read_as_part_of_its_project(memory: Satchel, tmp_path: Path) -> None:
    root = write_project(tmp_path)
    before = memory.graph.extract(str(root)).result
    (root / "src/harbor/clock.py").write_text("import calendar\n", encoding="utf-8")
    (root / "src/harbor/errors.py").write_text("", encoding="utf-8")
    one = memory.graph.extract(str(root / "src/harbor/clock.py")).result
    rest = memory.graph.extract(str(root / "src")).result

    assert (one.read, one.removed, one.project) == (1, 0, before.project)
    assert (rest.read, rest.removed) == (1, 0)


def test_another_folder_cannot_use_the_name_of_a_project(memory: Satchel, tmp_path: Path) -> None:
    memory.graph.extract(str(write_project(tmp_path / "one")))
    other = write_project(tmp_path / "two")

    with pytest.raises(Conflict) as refused:
        memory.graph.extract(str(other))
    memory.graph.extract(str(other), project="second")

    assert refused.value.code == "project_taken"
    with pytest.raises(InvalidRequest) as ambiguous:
        memory.graph.show("harbor.tariff.rate")
    assert ambiguous.value.code == "ambiguous_name"


def test_only_changed_memories_are_read_again(memory: Satchel) -> None:
    store_memories(memory)
    first = memory.graph.extract(memories=True).result
    memory.store("Buoy uses Kafka.")
    second = memory.graph.extract(memories=True).result

    assert (second.read, second.unchanged) == (1, first.read)


def test_a_rebuild_gives_the_same_ids_and_the_same_answers(memory: Satchel, tmp_path: Path) -> None:
    store_memories(memory)
    memory.graph.extract(str(write_project(tmp_path)))
    memory.graph.extract(memories=True)
    memory.graph.add("Checkout", "DEPENDS_ON", "Buoy")
    before = memory.graph.export(limit=1_000).result
    listed = memory.graph.list(limit=1_000).result
    rebuilt = memory.graph.rebuild().result

    assert rebuilt.read > 0 and rebuilt.unchanged == 0
    assert memory.graph.export(limit=1_000).result == before
    assert memory.graph.list(limit=1_000).result == listed


def test_a_rebuild_removes_a_missing_folder(memory: Satchel, tmp_path: Path) -> None:
    root = write_project(tmp_path)
    memory.graph.extract(str(root))
    root.rename(tmp_path / "elsewhere")
    memory.graph.rebuild()

    assert memory.graph.status().result.entities == 0


def test_a_reopened_store_answers_the_same(settings: Settings, tmp_path: Path) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.graph.extract(str(write_project(tmp_path)))
        before = memory.graph.path("harbor.cli", "harbor.tariff.rate").result
    with Satchel.open(settings=settings) as memory:
        assert memory.graph.path("harbor.cli", "harbor.tariff.rate").result == before


def test_a_secret_does_not_become_a_name(memory: Satchel) -> None:
    key = "sk-" + "proj-" + "A1b2C3d4" * 5
    memory.store(f"Checkout uses {key}.")
    memory.graph.extract(memories=True)

    assert key not in json.dumps([one.name for one in memory.graph.list(limit=1_000).result.entities])


# Visibility


def test_scopes_do_not_see_each_other(memory: Satchel) -> None:
    memory.store("Checkout uses Redis.", scope="one")
    memory.store("Billing uses Redis.", scope="two")
    for scope in ("one", "two"):
        memory.graph.extract(memories=True, scope=scope)

    assert _names(memory.graph.ask("what uses Redis", scope="one").result) == {"Checkout"}
    assert _names(memory.graph.ask("what uses Redis", scope="two").result) == {"Billing"}
    assert memory.graph.ask("what uses Redis").result.answers == ()
    assert _names(memory.graph.ask("what uses Redis", all_scopes=True).result) == {"Billing", "Checkout"}
    with pytest.raises(NotFound):
        memory.graph.path("Checkout", "Billing", scope="one")


def test_no_path_crosses_scopes(memory: Satchel) -> None:
    memory.store("Checkout uses Redis.", scope="one")
    memory.store("Redis depends on Linux.", scope="two")
    for scope in ("one", "two"):
        memory.graph.extract(memories=True, scope=scope)

    ends = [
        next(one.id for one in memory.graph.list(scope=scope).result.entities if one.name == name)
        for scope, name in (("one", "Checkout"), ("two", "Linux"))
    ]
    assert memory.graph.path(*ends, all_scopes=True).result.path is None


def test_a_relation_is_as_trusted_as_its_least_trusted_source(memory: Satchel) -> None:
    memory.store("Checkout uses Redis.")
    memory.store("Checkout uses Redis, says the page.", source_kind="web")
    memory.store("Redis depends on Linux.", source_kind="tool")
    memory.graph.extract(memories=True)
    (relation,) = memory.graph.path("Checkout", "Redis").result.path.ties  # type: ignore[union-attr]

    assert (relation.trust, len(relation.citations)) == ("untrusted", 2)
    assert memory.graph.path("Checkout", "Redis", trusted=True).result.path.trust == "trusted"  # type: ignore[union-attr]
    with pytest.raises(NotFound):
        memory.graph.path("Checkout", "Linux", trusted=True)


def test_quarantined_sources_are_never_used(memory: Satchel) -> None:
    memory.store("Checkout uses Evilcorp.", trust="quarantined")
    memory.graph.extract(memories=True)
    memory.graph.add("Checkout", "USES", "Mallory", trust="quarantined")

    assert memory.graph.list().result.entities == ()
    assert memory.graph.ask("what uses Evilcorp").result.named == ()


def test_replaced_and_expired_memories_are_left_out(memory: Satchel) -> None:
    first = memory.store("Checkout uses Redis.").result
    memory.store("Checkout uses Valkey.", valid_to="2001-01-01")
    memory.graph.extract(memories=True)
    assert _names(memory.graph.ask("what does Checkout use").result) == {"Redis"}

    memory.store("Checkout uses Memcached.", replaces=first.id)
    assert memory.graph.ask("what does Checkout use").result.answers == ()
    memory.graph.extract(memories=True)
    assert _names(memory.graph.ask("what does Checkout use").result) == {"Memcached"}


def test_writes_of_another_process_are_seen(settings: Settings) -> None:
    with Satchel.open(settings=settings) as one, Satchel.open(settings=settings) as other:
        assert one.graph.list().result.total == 0
        other.graph.add("Checkout", "USES", "Redis")
        assert _names(one.graph.ask("what uses Redis").result) == {"Checkout"}


# Names


def test_hostile_names_work_and_are_never_merged(memory: Satchel) -> None:
    for name in HOSTILE:
        memory.graph.add(name, "RELATES_TO", "Middle")

    listed = [one for one in memory.graph.list(limit=1_000).result.entities if one.name != "Middle"]
    assert {one.name for one in listed} == set(HOSTILE)
    assert len({one.id for one in listed}) == len(HOSTILE)
    for name in HOSTILE:
        assert memory.graph.show(name).result.entity.name == name
        assert _steps(memory.graph.path(name, "Middle").result) == [name, "Middle"]
        memory.graph.ask(f"how is `{name}` related to Middle")
        memory.graph.match(name)


def test_case_and_width_are_folded_except_in_code(memory: Satchel, tmp_path: Path) -> None:
    for spelling in ("Redis Cache", "redis  cache", "REDIS CACHE", "Ｒｅｄｉｓ Cache"):
        memory.graph.add(spelling, "RELATES_TO", "Middle")
    (tmp_path / "m.py").write_text("def pay(): ...\ndef Pay(): ...\n", encoding="utf-8")
    memory.graph.extract(str(tmp_path / "m.py"), project="p")

    assert memory.graph.show("redis cache").result.names == (
        "REDIS CACHE",
        "Redis Cache",
        "redis  cache",
        "Ｒｅｄｉｓ Cache",
    )
    assert [memory.graph.show(name).result.entity.name for name in ("m.pay", "m.Pay")] == ["m.pay", "m.Pay"]


def test_entities_of_two_types_with_one_name_stay_separate(memory: Satchel) -> None:
    memory.graph.add("Mercury", "USES", "Redis", tail_type="Project")
    memory.graph.add("Mercury", "OWNS", "Checkout", tail_type="Person")

    with pytest.raises(InvalidRequest) as refused:
        memory.graph.show("Mercury")
    assert refused.value.code == "ambiguous_name"
    assert [one.relation for one in memory.graph.show("Mercury", type="Person").result.ties] == ["OWNS"]


def test_a_term_resolves_to_the_entity_of_that_name(memory: Satchel) -> None:
    memory.graph.add("Lighthouse", "DEPENDS_ON", "Buoy")
    memory.graph.add("Lighthouse", "USES", "Redis", tail_type="Project")

    assert [one.type for one in memory.graph.list().result.entities if one.name == "Lighthouse"] == ["Project"]
    assert {one.relation for one in memory.graph.show("lighthouse").result.ties} == {"DEPENDS_ON", "USES"}


@pytest.mark.parametrize("format", ["markdown", "mermaid"])
def test_names_are_escaped_in_an_export(memory: Satchel, format: str) -> None:
    for name in HOSTILE:
        memory.graph.add(name, "RELATES_TO", "Middle")
    text = memory.graph.export("Middle", format=format).result.text

    assert "<script>" not in text and "](javascript" not in text and "\u202e" not in text
    if format == "mermaid":
        lines = text.splitlines()
        assert lines[0] == "graph LR" and len(lines) == 1 + len(HOSTILE) + 1 + len(HOSTILE)
        for line in lines[1 : len(HOSTILE) + 2]:
            assert line.count('"') == 2 and line.endswith('"]')


# Forgetting


def test_forgetting_a_memory_removes_what_only_it_states(memory: Satchel) -> None:
    only = memory.store("Zanzibar Gateway depends on Quetzal Registry.").result
    both = memory.store("Checkout uses Redis.").result
    memory.store("Billing uses Redis.")
    memory.graph.extract(memories=True)
    gone = memory.forget(only.id, verify=True)
    memory.forget(both.id)

    assert gone.result.check is not None and gone.result.check.conclusive and gone.result.check.found_after == ()
    assert {one.name for one in memory.graph.list().result.entities} == {"Billing", "Redis"}
    assert [one.ref for one in memory.graph.status().result.sources if one.ref in (only.id, both.id)] == []


def test_a_name_from_another_source_does_not_count_as_remains(memory: Satchel) -> None:
    stored = memory.store("Zanzibar Gateway depends on Quetzal Registry.").result
    memory.graph.extract(memories=True)
    memory.graph.add("Zanzibar Gateway", "USES", "Redis")
    check = memory.forget(stored.id, verify=True).result.check

    assert check is not None and check.found_after == ()
    assert memory.graph.show("Zanzibar Gateway").result.entity.name == "Zanzibar Gateway"


def test_forgetting_a_source_leaves_a_receipt_and_no_remains(memory: Satchel) -> None:
    added = memory.graph.add("Zanzibar Gateway of the Northern Approach", "USES", "Redis").result
    memory.graph.add("Checkout", "USES", "Redis")
    answer = memory.graph.forget(added.source, verify=True)

    assert answer.receipt.kept and answer.receipt.decided["sources"] == [added.source]
    assert (answer.result.sightings, answer.result.claims) == (2, 1)
    assert answer.result.check is not None and answer.result.check.conclusive
    assert answer.result.check.found_after == () and answer.result.outcome is Outcome.DONE
    left = replace(answer.result, check=replace(answer.result.check, found_after=("ledger.sqlite3",)))
    assert left.outcome is Outcome.FAILED
    assert {one.name for one in memory.graph.list().result.entities} == {"Checkout", "Redis"}
    with pytest.raises(NotFound):
        memory.graph.forget(added.source)


def test_a_whole_project_can_be_forgotten(memory: Satchel, tmp_path: Path) -> None:
    memory.graph.extract(str(write_project(tmp_path)))
    memory.graph.add("Checkout", "USES", "Redis")
    memory.graph.forget(project="harbor")

    assert {one.name for one in memory.graph.list().result.entities} == {"Checkout", "Redis"}


def test_queries_change_nothing_and_receipts_contain_no_text(memory: Satchel) -> None:
    memory.graph.add("Zanzibar Gateway", "USES", "Redis")
    before = memory.maintenance.stats().result
    receipts = [
        memory.graph.ask("what does Zanzibar Gateway use").receipt,
        memory.graph.path("Zanzibar Gateway", "Redis").receipt,
        memory.graph.show("Zanzibar Gateway").receipt,
        memory.graph.neighbors("Zanzibar Gateway").receipt,
        memory.graph.match("Zanzibar Gateway").receipt,
        memory.graph.export("Zanzibar Gateway").receipt,
        memory.graph.list().receipt,
        memory.graph.status().receipt,
    ]

    assert memory.maintenance.stats().result == before
    assert not [one for one in receipts if "Zanzibar" in json.dumps(one.body)]


# Invalid requests


def test_invalid_requests_fail_with_a_code(memory: Satchel, tmp_path: Path) -> None:
    memory.graph.add("Checkout", "USES", "Redis")
    refused: dict[str, Callable[[], object]] = {
        "missing_param": lambda: memory.graph.extract(),
        "no_such_file": lambda: memory.graph.extract(str(tmp_path / "nothing")),
        "unknown_word": lambda: memory.graph.add("a", "LIKES", "b"),
        "same_entity": lambda: memory.graph.add("a", "USES", "a"),
        "empty_text": lambda: memory.graph.add(" ", "USES", "b"),
        "text_too_long": lambda: memory.graph.add("a" * 30_000, "USES", "b"),
        "unwritable_character": lambda: memory.graph.add("a\0b", "USES", "b"),
        "out_of_range": lambda: memory.graph.path("Checkout", "Redis", hops=6),
        "not_found": lambda: memory.graph.show("Nobody"),
        "trust_not_granted": lambda: memory.graph.add("a", "USES", "b", source_kind="tool", trust="trusted"),
        "invalid_cursor": lambda: memory.graph.list(after="ent_nothing"),
    }
    for code, act in refused.items():
        with pytest.raises(SatchelError) as error:
            act()
        assert getattr(error.value, "code", "") == code


def test_a_read_only_store_is_not_written(home: Path) -> None:
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
        memory.graph.add("Checkout", "USES", "Redis")
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"}, read_only=True)) as memory:
        for act in (
            lambda: memory.graph.add("a", "USES", "b"),
            lambda: memory.graph.extract(memories=True),
            lambda: memory.graph.forget(project="p"),
            lambda: memory.graph.rebuild(),
        ):
            with pytest.raises(ReadOnlyMode):
                act()
        assert _names(memory.graph.ask("what uses Redis").result) == {"Checkout"}


# Paths


def test_paths_are_limited_by_hops(memory: Satchel) -> None:
    names = [f"Service {letter}" for letter in "ABCDEFG"]
    for one, other in pairwise(names):
        memory.graph.add(one, "DEPENDS_ON", other)

    assert _steps(memory.graph.path(names[0], names[5]).result) == names[:6]
    assert memory.graph.path(names[0], names[6]).result.path is None
    assert memory.graph.path(names[0], names[3], hops=2).result.path is None
    assert memory.graph.path(names[3], names[0], directed=True).result.path is None
    assert _steps(memory.graph.path(names[3], names[0]).result) == names[3::-1]
    found = memory.graph.neighbors(names[0], hops=5, direction="out").result
    assert [one.entity.name for one in found.neighbors] == names[1:6]


def test_a_chain_is_preferred_to_a_shared_neighbor(memory: Satchel) -> None:
    for one, other in (("A1", "B1"), ("B1", "C1"), ("Hub", "A1"), ("Hub", "C1")):
        memory.graph.add(one, "USES", other)

    assert _steps(memory.graph.path("A1", "C1").result) == ["A1", "B1", "C1"]


def test_the_command_prints_text_and_json(home: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "satchel", "--home", str(home), "graph", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    run("add", "Checkout", "depends on", "Redis", "--tail-type", "Project")
    text = run("path", "Redis", "Checkout").stdout
    answer = json.loads(run("ask", "what depends on Redis", "--json").stdout)

    assert text.splitlines()[:2] == ["Redis <-DEPENDS_ON- Checkout", "  Checkout depends on Redis"]
    assert answer["ok"] and answer["result"]["answers"][0]["text"] == "Checkout depends on Redis"
    assert run("show", "Nobody").returncode == 1


# People


@pytest.fixture
def owned(memory: Satchel) -> Satchel:
    """A graph in which two people own things."""
    memory.graph.add("Ada Lovelace", "OWNS", "pier-booking", tail_type="Person", head_type="Project")
    memory.graph.add("Ada Byron", "OWNS", "pier-booking", tail_type="Person", head_type="Project")
    return memory


def _everything_about_people(store: Satchel) -> str:
    graph = store.graph
    found = (
        graph.ask("who owns pier-booking").result,
        graph.list().result,
        graph.show("pier-booking").result,
        graph.neighbors("pier-booking").result,
        graph.path("Ada Lovelace", "pier-booking").result,
        graph.match("something for pier-booking").result,
        graph.export().result,
        store.routing.route("who owns pier-booking, how does it relate").result.results,
    )
    with pytest.raises(SatchelError) as ambiguous:
        graph.show("Ada")
    return repr((found, ambiguous.value.message, ambiguous.value.hint, str(ambiguous.value)))


def test_an_agent_sees_no_names_of_people_and_the_operator_does(owned: Satchel) -> None:
    agent = owned.acting_as("mcp")
    allowed = replace(agent.parts.policies, agents=replace(agent.parts.policies.agents, show_people=True))

    for_agent = _everything_about_people(agent)
    assert "Lovelace" not in for_agent and "Byron" not in for_agent
    assert "a person" in for_agent
    assert "Lovelace" in _everything_about_people(owned)
    assert "Lovelace" in _everything_about_people(Satchel(replace(agent.parts, policies=allowed)))


def _by_agent(store: Satchel) -> Satchel:
    agent = store.acting_as("mcp")
    agent.graph.add("Redis", "OWNS", "Gate", tail_type="Person", source_kind="tool")
    return agent


@each_case("types", [{"tail_type": "Project", "head_type": "Tool"}, {}])
def test_an_untrusted_source_hides_no_name_that_a_trusted_one_uses(memory: Satchel, types: dict[str, str]) -> None:
    memory.graph.add("Gate", "USES", "Redis", **types)
    answers = _by_agent(memory).graph.ask("what does Gate use").result.answers

    assert "Gate uses Redis" in [one.text for one in answers]


def test_two_people_stay_two_entities_for_an_agent(owned: Satchel) -> None:
    agent = owned.acting_as("mcp")
    answers = agent.graph.ask("who owns pier-booking").result.answers

    assert [one.text for one in answers] == ["a person owns pier-booking"] * 2
    assert len({one.entity.id for one in answers}) == 2
    assert agent.graph.show("Ada Byron").result.names == ("a person",)
    assert agent.graph.show(answers[0].entity.id).result.entity.id == answers[0].entity.id


def test_an_export_masks_no_id_of_a_relation(memory: Satchel) -> None:
    memory.graph.add("Checkout", "USES", "/opt/keys.txt", tail_type="Project", head_type="Tool")
    memory.graph.add("Checkout", "USES", "api_key=sk-proj-Zq8vN2mX4tR7wY1aB3cD5eF6gH9jK0lP")
    text = memory.graph.export().result.text

    assert "keys.txt (rel" in text
    assert "Zq8vN2mX4tR7" not in text
