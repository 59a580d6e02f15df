"""Importing files that mem0, basic-memory, server-memory and mcp-memory-service wrote."""

import gzip
import json
from pathlib import Path

import pytest

from satchel.app import Satchel
from tests.importing.imports import counts, import_all, texts

FILES = Path(__file__).parents[1] / "data" / "imports"


def mcp_memory_service(folder: Path) -> Path:
    """Unpack the database of mcp-memory-service."""
    path = folder / "sqlite_vec.db"
    path.write_bytes(gzip.decompress((FILES / "mcp-memory-service.db.gz").read_bytes()))
    return path


def test_mem0(memory: Satchel) -> None:
    done = import_all(memory, FILES / "mem0.json")

    assert (done.kind, counts(done)) == ("mem0", {"memories": (2, 2, 0)})
    tea = next(one for one in memory.memories.list().result.memories if "tea" in one.text)
    assert (tea.text, tea.kind, tea.tags) == ("Ann prefers tea over coffee", "fact", ("user_id:ann",))
    (record,) = [one for one in json.loads((FILES / "mem0.json").read_bytes())["results"] if "tea" in one["memory"]]
    assert record["created_at"].startswith("2026-11-16T11:47:33.658")
    assert tea.created_at == 1_794_829_653_658


@pytest.mark.parametrize("wrapped", [False, True])
def test_mem0_as_a_list_and_under_another_name(memory: Satchel, tmp_path: Path, wrapped: bool) -> None:
    records = json.loads((FILES / "mem0.json").read_bytes())["results"]
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"memories": records} if wrapped else records), encoding="utf-8")

    assert counts(import_all(memory, file)) == {"memories": (2, 2, 0)}
    assert import_all(memory, FILES / "mem0.json").new == 0


def test_server_memory(memory: Satchel) -> None:
    done = import_all(memory, FILES / "server-memory.jsonl")

    assert done.kind == "server-memory"
    assert counts(done) == {"memories": (6, 6, 0), "entities": (3, 3, 0), "relations": (2, 2, 0)}
    assert "Ann Berg: Lives in Oslo" in texts(memory)
    assert "Ann Berg maintains Checkout" in texts(memory)
    found = {one.name: one.type for one in memory.graph.list().result.entities}
    assert (found["Ann_Berg"], found["Checkout"]) == ("Person", "Project")
    (path,) = [one for one in memory.graph.show("Checkout").result.ties if one.relation == "DEPENDS_ON"]
    assert (path.tail.name, path.head.name, path.trust) == ("Checkout", "Harbour Ltd", "untrusted")


def test_server_memory_as_one_object(memory: Satchel, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (FILES / "server-memory.jsonl").read_text(encoding="utf-8").splitlines()]
    graph = {name: [row for row in rows if row["type"] == type] for name, type in (("entities", "entity"), ("relations", "relation"))}  # fmt: skip
    (tmp_path / "graph.json").write_text(json.dumps(graph, indent=2), encoding="utf-8")
    done = import_all(memory, tmp_path / "graph.json")

    assert counts(done) == {"memories": (6, 6, 0), "entities": (3, 3, 0), "relations": (2, 2, 0)}
    assert import_all(memory, FILES / "server-memory.jsonl").new == 0


def test_basic_memory(memory: Satchel) -> None:
    done = import_all(memory, FILES / "basic-memory")

    assert done.kind == "basic-memory"
    assert counts(done) == {
        "memories": (3, 3, 0),
        "documents": (2, 2, 0),
        "entities": (2, 2, 0),
        "relations": (3, 3, 0),
    }
    decision = next(one for one in memory.memories.list().result.memories if "Thursdays" in one.text)
    assert (decision.kind, decision.title, decision.tags) == ("decision", "Checkout", ("decision", "release"))
    assert decision.source_ref == "basic-memory: services/Checkout.md:14"


def test_mcp_memory_service(memory: Satchel, tmp_path: Path) -> None:
    path = mcp_memory_service(tmp_path)
    before = path.read_bytes()
    done = import_all(memory, path)

    assert (done.kind, counts(done)) == ("mcp-memory-service", {"memories": (2, 2, 0)})
    shop = next(one for one in memory.memories.list().result.memories if "shop" in one.text)
    assert (shop.kind, shop.tags) == ("decision", ("release", "shop"))
    assert shop.created_at == 1_794_829_882_759
    assert not any("Bergen" in text for text in texts(memory))
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("sqlite_vec")] == ["sqlite_vec.db"]


def test_a_second_import_of_each_brings_nothing(memory: Satchel, tmp_path: Path) -> None:
    sources = [FILES / "mem0.json", FILES / "server-memory.jsonl", FILES / "basic-memory", mcp_memory_service(tmp_path)]
    for source in sources:
        import_all(memory, source)
    tip = memory.tags.list().result.seq

    assert [import_all(memory, source).new for source in sources] == [0, 0, 0, 0]
    assert memory.tags.list().result.seq == tip
