"""One damaged record is one damaged record: it is left out and named, the others answer, and it can be mended."""

import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.interfaces.cli.cli_runner import CliRunner

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.domain.record import Trust
from satchel.errors import Corrupt, NotFound

UNDECODABLE = b"tea \xff\xfe at four"
ALTERED = b"tea at five"
DAMAGES = {"undecodable": UNDECODABLE, "altered": ALTERED}

each_damage = pytest.mark.parametrize("stored", DAMAGES.values(), ids=DAMAGES)


def overwrite(home: Path, id: str, stored: bytes, table: str = "memories", column: str = "text") -> None:
    """Change the bytes of a record behind the back of the ledger, as a failing disk does."""
    connection = apsw.Connection(str(home / "ledger.sqlite3"))
    connection.execute(f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE id = ?", (stored, id))
    connection.close()


@pytest.fixture
def damage(memory: Satchel, home: Path) -> Callable[..., str]:
    """Store a memory and damage it; return its id."""

    def damaged(stored: bytes, scope: str = "global", text: str = "tea at four") -> str:
        id = memory.store(text, scope=scope).result.id
        overwrite(home, id, stored)
        return id

    return damaged


Damage = Callable[..., str]


def named(answer: Ok[object]) -> str:
    """Return the warning about damaged records."""
    return " ".join(one for one in answer.receipt.warnings if one.startswith("damaged_record:"))


@each_damage
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_recall_leaves_it_out_and_names_it(memory: Satchel, damage: Damage, stored: bytes, mode: str) -> None:
    good = memory.store("green tea in the pot").result.id
    bad = damage(stored)
    answer = memory.recall("tea", mode=mode)
    assert [hit.memory.id for hit in answer.result.hits] == [good]
    assert bad in named(answer) and good not in named(answer)


@each_damage
def test_recall_after_its_vector_was_made(memory: Satchel, home: Path, stored: bytes) -> None:
    good, bad = (memory.store(text).result.id for text in ("green tea in the pot", "tea at four"))
    assert len(memory.recall("tea").result.hits) == 2
    overwrite(home, bad, stored)
    answer = memory.recall("tea")
    assert [hit.memory.id for hit in answer.result.hits] == [good]
    assert bad in named(answer)


@each_damage
def test_why_not_says_that_it_is_damaged(memory: Satchel, damage: Damage, stored: bytes) -> None:
    bad = damage(stored)
    told = memory.explaining.why_not("tea", expect=bad).result
    assert (told.rule, [one.command for one in told.remedies]) == ("damaged", ["satchel doctor --fix"])


@each_damage
def test_list_fills_its_pages_with_intact_memories(dated: Satchel, home: Path, stored: bytes) -> None:
    ids = [dated.store(f"memory number {number}").result.id for number in range(8)]
    for bad in (ids[7], ids[6], ids[4], ids[0]):
        overwrite(home, bad, stored)
    first = dated.memories.list(limit=2)
    second = dated.memories.list(limit=2, after=first.result.next)
    assert [one.id for one in first.result.memories] == [ids[5], ids[3]]
    assert [one.id for one in second.result.memories] == [ids[2], ids[1]]
    assert second.result.next is None
    assert ids[7] in named(first) and ids[6] in named(first)
    assert named(first) and ids[0] in named(dated.memories.list())


@each_damage
def test_get_says_that_it_is_damaged(memory: Satchel, damage: Damage, stored: bytes) -> None:
    with pytest.raises(Corrupt) as caught:
        memory.get(damage(stored))
    assert caught.value.code == "damaged_record"


@each_damage
def test_export_writes_its_bytes_and_import_refuses_them(
    memory: Satchel, damage: Damage, tmp_path: Path, stored: bytes
) -> None:
    good = memory.store("green tea in the pot").result.id
    bad = damage(stored)
    path = tmp_path / "all.jsonl"
    answer = memory.transfer.export(str(path), redact=False)
    intact, damaged = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (intact["id"], damaged["id"]) == (good, bad)
    assert b64decode(damaged["base64"]["text"]) == stored
    assert "text" not in damaged and damaged["damaged"] in ("unreadable", "hash_mismatch")
    assert answer.result.count == 2 and bad in named(answer)
    imported = memory.transfer.import_(str(path), scope="elsewhere").result
    assert dict(imported.failed_by) == {"damaged": 1}


@each_damage
def test_a_masked_export_leaves_the_bytes_out(memory: Satchel, damage: Damage, tmp_path: Path, stored: bytes) -> None:
    good = memory.store("green tea in the pot").result.id
    bad = damage(stored)
    path = tmp_path / "all.json"
    answer = memory.transfer.export(str(path), format="json")
    assert [row["id"] for row in json.loads(path.read_text(encoding="utf-8"))] == [good]
    assert bad in named(answer)


@each_damage
def test_forget_erases_it(memory: Satchel, damage: Damage, stored: bytes) -> None:
    memory.store("green tea in the pot")
    bad = damage(stored)
    forgotten = memory.forget(bad)
    assert (forgotten.result.action, named(forgotten)) == ("deleted", "")
    assert not named(memory.memories.list()) and not named(memory.recall("tea"))
    with pytest.raises(NotFound):
        memory.get(bad)
    assert memory.maintenance.doctor().result.healthy
    assert not memory.recall("four", mode="lexical").result.hits


@each_damage
def test_another_memory_can_be_forgotten(memory: Satchel, damage: Damage, stored: bytes) -> None:
    good = memory.store("green tea in the pot").result.id
    damage(stored)
    assert memory.forget(good, verify=True).result.action == "deleted"


@each_damage
def test_forget_by_query_names_it(memory: Satchel, damage: Damage, stored: bytes) -> None:
    good = memory.store("green tea in the pot").result.id
    bad = damage(stored)
    answer = memory.forget(query="tea")
    assert [one.id for one in answer.result.candidates] == [good]
    assert bad in named(answer)


@each_damage
def test_the_doctor_names_it_and_quarantines_it(memory: Satchel, damage: Damage, stored: bytes) -> None:
    good = memory.store("green tea in the pot").result.id
    ids = [damage(stored, text=f"tea at {hour}") for hour in ("four", "six")]
    findings = {one.check: one for one in memory.maintenance.doctor().result.findings}
    assert findings["memory texts"].status == "bad"
    assert all(id in findings["memory texts"].message for id in ids)

    mended = memory.maintenance.doctor(fix=True).result
    assert mended.healthy and memory.maintenance.doctor().result.healthy
    shown = memory.get(ids[0]).result
    assert shown.memory.trust is Trust.QUARANTINED
    assert shown.memory.text == stored.decode("utf-8", "backslashreplace")
    assert shown.history[-1].operation == "quarantine"
    recalled = memory.recall("tea", untrusted=True)
    assert ([hit.memory.id for hit in recalled.result.hits], named(recalled)) == ([good], "")
    assert {one.id for one in memory.memories.list().result.memories} == {good, *ids}
    assert not named(memory.memories.list())
    assert memory.forget(ids[0]).result.action == "deleted"
    assert memory.maintenance.doctor().result.healthy


@each_damage
def test_a_fixed_scope_does_not_learn_of_another_scope(memory: Satchel, damage: Damage, stored: bytes) -> None:
    memory.store("green tea in the pot", scope="mine")
    bad = damage(stored, scope="other")
    answers: list[Ok[object]] = [
        memory.recall("tea", scope="mine"),
        memory.recall("tea", scope="mine", as_of=memory.parts.ledger.feed.tip()),
        memory.memories.list(scope="mine"),
        memory.forget(query="tea", scope="mine"),
        memory.store("black tea in the cup", scope="mine"),
        memory.maintenance.stats(scope="mine"),
    ]
    assert not any(bad in str(answer) for answer in answers)
    assert bad in named(memory.memories.list(scope="other"))
    with pytest.raises(NotFound):
        memory.get(bad, scope="mine")


@each_damage
def test_recall_as_of_leaves_it_out_before_and_after_the_quarantine(
    memory: Satchel, damage: Damage, stored: bytes
) -> None:
    good = memory.store("green tea in the pot").result.id
    bad = damage(stored)
    then = memory.parts.ledger.feed.tip()
    memory.store("coffee at nine")
    damaged = memory.recall("tea", as_of=then)
    memory.maintenance.doctor(fix=True)
    quarantined = memory.recall("tea", as_of=then)
    assert [hit.memory.id for hit in damaged.result.hits] == [good] and bad in named(damaged)
    assert [hit.memory.id for hit in quarantined.result.hits] == [good] and not named(quarantined)


def test_a_damaged_record_is_not_taken_for_a_damaged_index(memory: Satchel, home: Path) -> None:
    ids = [memory.store(text).result.id for text in ("green tea in the pot", "tea at four", "tea at six")]
    memory.recall("tea")
    for bad, stored in zip(ids[1:], DAMAGES.values(), strict=True):
        overwrite(home, bad, stored)
    answer = memory.recall("tea")
    assert not [one for one in answer.receipt.warnings if one.startswith("index_")]
    assert named(answer)
    assert "forgotten" not in str(memory.explaining.why_not("tea", ids[1]).result)


@pytest.mark.parametrize("column", ["id", "scope", "content_hash", "trust", "state"])
def test_the_doctor_mends_an_undecodable_column(memory: Satchel, home: Path, column: str) -> None:
    memory.store("green tea in the pot")
    overwrite(home, memory.store("tea at four").result.id, b"\xff", column=column)
    assert memory.maintenance.doctor(fix=True).result.healthy
    listed = memory.memories.list(all_scopes=True).result.memories
    assert {(one.text, one.trust) for one in listed} == {
        ("green tea in the pot", Trust.TRUSTED),
        ("tea at four", Trust.QUARANTINED),
    }


def test_a_damaged_column_other_than_the_text_is_found_too(memory: Satchel, home: Path) -> None:
    columns = {"title": b"\xff", "kind": b"facu", "tags": b"[oops", "keywords": b"7", "content_hash": b"sha256:0"}
    ids = {column: memory.store(f"tea for {column}", title="a title").result.id for column in columns}
    for column, stored in columns.items():
        overwrite(home, ids[column], stored, column=column)
    answer = memory.memories.list()
    assert answer.result.memories == () and all(id in named(answer) for id in ids.values())
    assert memory.maintenance.doctor(fix=True).result.healthy
    texts = {one.text for one in memory.memories.list().result.memories}
    assert texts == {f"tea for {column}" for column in columns}


def test_many_are_counted_and_the_first_named(memory: Satchel, damage: Damage) -> None:
    for number in range(25):
        damage(UNDECODABLE, text=f"unlike {number} {'abcdefghijklmnopqrstuvwxyz'[number] * 9}")
    assert "and 5 more" in named(memory.memories.list())


@each_damage
def test_episodes_are_treated_the_same(memory: Satchel, home: Path, stored: bytes) -> None:
    texts = ("tea at four o'clock", "tea at six o'clock")
    for text in texts:
        memory.episodes.add([{"text": text, "session": "s1", "role": "user"}])
    connection = apsw.Connection(str(home / "ledger.sqlite3"))
    bad = connection.execute("SELECT id FROM passages ORDER BY row LIMIT 1").get
    connection.close()
    overwrite(home, bad, stored, table="passages")
    answer = memory.episodes.search("tea")
    assert [hit.text for hit in answer.result.hits] == ["tea at six o'clock"]
    assert bad in named(answer)
    assert memory.maintenance.doctor(fix=True).result.healthy
    assert not named(memory.episodes.search("tea"))


# The command line


@each_damage
def test_every_command_goes_on_and_warns(
    memory: Satchel, damage: Damage, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], stored: bytes
) -> None:
    good = memory.store("green tea in the pot").result.id
    bad = damage(stored)
    run = CliRunner(home, capsys)
    exported = str(tmp_path / "out.jsonl")
    commands = (("list",), ("recall", "tea", "--mode", "lexical"), ("export", exported), ("forget", "--query", "tea"))
    for command in commands:
        answer = run.json(*command)
        assert bad in " ".join(answer["receipt"]["body"]["warnings"]), command
        written = Path(exported).read_text(encoding="utf-8") if command[0] == "export" else ""
        assert good in f"{answer}{written}", command
    assert bad in run("doctor", code=3)
    assert run.json("get", bad, code=3)["error"]["code"] == "damaged_record"
    run("doctor", "--fix")
    run("forget", bad)
    assert run.json("list")["receipt"]["body"]["warnings"] == []


@each_damage
def test_the_forget_command_erases_it(
    damage: Damage, home: Path, capsys: pytest.CaptureFixture[str], stored: bytes
) -> None:
    bad, run = damage(stored), CliRunner(home, capsys)
    run("forget", bad)
    run("doctor")


# Records of other kinds


def change(home: Path, query: str, *values: object) -> None:
    """Change the ledger behind its back."""
    connection = apsw.Connection(str(home / "ledger.sqlite3"))
    connection.execute(query, values)
    connection.close()


@pytest.fixture
def paid(memory: Satchel) -> Satchel:
    """A store with a fact."""
    source = memory.store("payments are live").result.id
    memory.facts.assert_("payments", "status", "live", sources=[source])
    return memory


@pytest.mark.parametrize("table", ["facts", "fact_events"])
def test_a_fact_is_restored_from_its_second_copy(paid: Satchel, home: Path, table: str) -> None:
    change(home, f"UPDATE {table} SET assertion = replace(assertion, 'live', 'dead')")
    assert named(paid.facts.timeline("payments")) or named(paid.facts.current("payments", known_at="2100-01-01"))
    assert paid.maintenance.doctor(fix=True).result.healthy
    (found,) = paid.facts.current("payments").result.facts
    assert found.object.value == "live"
    assert paid.facts.rebuild().result.changed == 0


def test_a_fact_without_an_intact_copy_is_quarantined(paid: Satchel, home: Path) -> None:
    for table in ("facts", "fact_events"):
        change(home, f"UPDATE {table} SET assertion = CAST(? AS TEXT)", b'{"value": "liv\xff')
    with pytest.raises(Corrupt) as caught:
        paid.facts.rebuild()
    assert caught.value.code == "damaged_record"
    assert paid.facts.current("payments").result.facts == ()
    assert paid.maintenance.doctor(fix=True).result.healthy
    assert paid.facts.search("damaged").result.items == ()
    assert paid.facts.rebuild().result.facts == 1


@each_damage
def test_a_message_is_left_out_then_quarantined_or_forgotten(memory: Satchel, home: Path, stored: bytes) -> None:
    for text in ("tea at four", "coffee at nine"):
        memory.conversations.add(text, conversation="api")
    change(home, "UPDATE messages SET content = CAST(? AS TEXT) WHERE seq = 1", stored)
    shown = memory.conversations.show("api")
    assert [one.content for one in shown.result.messages] == ["coffee at nine"] and named(shown)
    assert memory.maintenance.doctor(fix=True).result.healthy
    assert not named(memory.conversations.show("api"))
    change(home, "UPDATE messages SET content = CAST(? AS TEXT) WHERE seq = 2", stored)
    assert memory.conversations.forget("api").result.messages == 2
    assert memory.maintenance.doctor().result.healthy


@each_damage
def test_a_damaged_receipt_is_reported_where_it_is_and_stays(memory: Satchel, home: Path, stored: bytes) -> None:
    for number in range(3):
        memory.store(f"tea in pot {number}")
    change(home, "UPDATE receipts SET body = CAST(? AS TEXT) WHERE seq = 2", stored)
    assert memory.maintenance.receipts_verify().result.broken_at == 2
    assert len(memory.maintenance.receipts_list(operation="store").result) == 2
    assert named(memory.maintenance.receipts_list(operation="store"))
    assert not memory.maintenance.doctor(fix=True).result.healthy
    assert memory.maintenance.receipts_verify().result.broken_at == 2


def test_export_writes_the_bytes_of_other_records(memory: Satchel, home: Path, tmp_path: Path) -> None:
    memory.conversations.add("tea at four", conversation="api")
    memory.tags.create("calm", note="a calm day")
    change(home, "UPDATE messages SET content = CAST(? AS TEXT)", UNDECODABLE)
    change(home, "UPDATE tags SET note = CAST(? AS TEXT)", b"\xff")
    path = tmp_path / "all.jsonl"
    exported = memory.transfer.export(str(path), redact=False).result
    assert (exported.count, exported.matched) == (0, 0)
    (message,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (message["record"], b64decode(message["base64"]["content"])) == ("message", UNDECODABLE)
    memory.transfer.export(str(path), redact=False, all_scopes=True, force=True)
    assert {json.loads(line)["record"] for line in path.read_text(encoding="utf-8").splitlines()} == {"message", "tag"}


def test_an_index_that_disagrees_with_its_table_is_rebuilt(memory: Satchel, settings: Settings, home: Path) -> None:
    memory.store("tea at four")
    memory.close()
    connection = apsw.Connection(str(home / "ledger.sqlite3"))
    # Entries with another order are what a changed page of an index looks like.
    connection.execute("PRAGMA writable_schema = ON")
    update = "UPDATE sqlite_schema SET sql = replace(sql, 'scope, trust', 'trust, scope') WHERE name = 'memories_trust'"
    connection.execute(update)
    connection.close()
    with Satchel.open(settings=settings) as opened:
        assert not opened.maintenance.doctor().result.healthy
        assert opened.maintenance.doctor(fix=True).result.healthy
