"""The commands of a rollout, on a real store, a real table and the file of an OpenClaw."""

import json
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.domain.receipt import Receipt
from satchel.interfaces.cli.main import main
from tests.tables import each_case
from tests.writeback.foreign import make_table, read_table, row

CONFIG = '{"plugins": {"slots": {"memory": "memory-lancedb"}}, "other": [1, 2]}\n'
GOLDEN = (
    {"key": "ship", "text": "We ship on Thursdays"},
    {"id": "release", "query": "when do we ship?", "expect": ["ship"]},
)


class Person:
    """A person with a store, an OpenClaw and its table."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self._capsys = home, capsys
        self.config = Path.home() / ".openclaw" / "openclaw.json"

    def types(self, *words: str) -> tuple[int, str, str]:
        code = main([*words, "--home", str(self.home)])
        return code, *self._capsys.readouterr()

    def result(self, *words: str) -> Any:
        _, out, _ = self.types(*words, "--json")
        return json.loads(out)


@pytest.fixture
def person(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Person:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setenv("PATH", "")
    with Satchel.open(home) as memory:
        stored = memory.store("We ship on Thursdays", kind="decision", importance=0.9).result.id
    make_table(tmp_path / "lancedb", [row(stored, "We ship on Thursdays")])
    (tmp_path / "golden.jsonl").write_text("\n".join(map(json.dumps, GOLDEN)), encoding="utf-8")
    made = Person(home, capsys)
    made.config.parent.mkdir(parents=True)
    made.config.write_text(CONFIG, encoding="utf-8")
    return made


def test_the_whole_way_and_back(person: Person, tmp_path: Path) -> None:
    begun = person.result("rollout", "stage", "a", "--lancedb", "lancedb", "--table", "memories")
    assert (begun["result"]["stage"], person.types("rollout", "run")) == ("a", (0, "", ""))
    assert [one["importance_label"] for one in read_table(tmp_path / "lancedb").values()] == ["must_remember"]
    assert person.types("rollout", "stage", "b")[0] == 1

    tried = person.result("rollout", "stage", "b", "--cases", "golden.jsonl", "--force")
    assert (tried["result"]["stage"], tried["result"]["problems"]) == ("b", [])
    assert tried["result"]["canary"]["probes"] | {"p95_ms": 0} == {
        "asked": 20,
        "failed": 0,
        "incomplete": 0,
        "p95_ms": 0,
        "live": 0,
    }
    assert person.config.read_text(encoding="utf-8") == CONFIG

    live = person.result("rollout", "stage", "c", "--force", "--max-latency-ms", "600000")
    assert live["result"]["stage"] == "c"
    config = json.loads(person.config.read_text(encoding="utf-8"))
    assert (config["plugins"]["slots"], config["other"]) == ({"memory": "satchel"}, [1, 2])
    assert person.types("rollout", "run") == (0, "", "")

    back = person.result("rollout", "back")
    assert (back["result"]["stage"], person.config.read_text(encoding="utf-8")) == ("off", CONFIG)
    with Satchel.open(person.home) as memory:
        kept = [one.operation for one in memory.maintenance.receipts_list(limit=50).result]
    assert [kept.count(f"rollout {one}") for one in ("stage", "run", "back")] == [3, 2, 1]


def test_a_slow_live_stage_steps_down(person: Person) -> None:
    person.types("rollout", "stage", "c", "--force", "--max-latency-ms", "500000")
    with Satchel.open(person.home) as memory:
        for number in range(20):
            slow = Receipt("recall", {"number": number}, at=memory.parts.clock.now(), duration_ms=500_001.0)
            assert memory.parts.ledger.receipts.keep(slow, ())

    code, out, _ = person.types("rollout", "run")

    assert (code, out.splitlines()[1:]) == (
        1,
        [
            "  a recall takes 500001 ms (p95); 500000 ms are allowed",
            "  stepped down: the configuration is as it was before, byte for byte",
        ],
    )
    assert person.config.read_text(encoding="utf-8") == CONFIG


@each_case(
    ("words", "code"),
    [
        (("a",), "missing_param"),
        (("a", "--lancedb", "lancedb"), "missing_param"),
        (("a", "--lancedb", "lancedb", "--table", "nothing"), "no_such_table"),
        (("a", "--lancedb", "lancedb", "--table", "memories", "--limit", "0"), "out_of_range"),
        (("a", "--force"), "usage"),
        (("b", "--max-latency-ms", "5"), "usage"),
        (("b", "--minutes", "-1", "--force"), "out_of_range"),
        (("b", "--cases", "nothing.jsonl", "--force"), "no_such_file"),
        (("c",), "not_ready"),
        (("c", "--lancedb", "lancedb"), "usage"),
        (("c", "--max-error-rate", "2", "--force"), "out_of_range"),
        (("c", "--max-latency-ms", "nan", "--force"), "out_of_range"),
    ],
)
def test_bad_requests_change_nothing(person: Person, words: tuple[str, ...], code: str) -> None:
    answer = person.result("rollout", "stage", *words)

    assert answer["error"]["code"] == code
    assert person.config.read_text(encoding="utf-8") == CONFIG
    assert person.result("rollout", "status")["result"]["stage"] == "off"


def test_a_read_only_store_has_no_rollout(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_READ_ONLY", "true")

    assert person.result("rollout", "stage", "c", "--force")["error"]["code"] == "readonly_mode"
    assert person.config.read_text(encoding="utf-8") == CONFIG
