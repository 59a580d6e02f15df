"""The plain install, without the packages of the extras, does everything; a large store says what would make it faster."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from satchel.app import Satchel
from satchel.config import load

# None in sys.modules is how Python marks a module that cannot be imported.
WITHOUT_EXTRAS = """
import json, sys
sys.modules.update(dict.fromkeys(("lance", "pyarrow", "onnx", "safetensors", "lancedb")))
from satchel import Satchel
from satchel.config import load
from satchel.errors import SatchelError

def opened(index_from):
    given = {"catch_up_ms": 20_000, "index_from": index_from}
    return Satchel.open(settings=load(home=sys.argv[1], embedding={"provider": "hashing"}, recall=given))

def failure(call):
    try:
        call()
    except SatchelError as error:
        return [error.code, error.hint]

def answer(**values):
    sys.stdout.write(json.dumps(values))
"""
COMMAND = "pip install 'satchel-memory[index]'"
WARNING = f"missing_extra: an index for a large store needs the extra [index], which is not installed ({COMMAND})"
# The index is wanted from this number of memories, or passages, on.
FROM = 4


def run(home: Path, script: str) -> dict[str, Any]:
    """Run a script in a process without the extras, and return its answer."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS + script, str(home)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    answered: dict[str, Any] = json.loads(done.stdout)
    return answered


def stored(home: Path, index_from: int) -> None:
    settings = load(home=str(home), embedding={"provider": "hashing"}, recall={"index_from": index_from})
    with Satchel.open(settings=settings) as memory:
        for number in range(2 * FROM):
            memory.store(f"locker {number} holds the instrument of player {number}")


def test_a_small_store_needs_no_extra(home: Path) -> None:
    answered = run(
        home,
        """
with opened(20_000) as memory:
    id = memory.store("the walrus sleeps at noon").result.id
    memory.observations.capture('{"text": "tool failed"}')
    memory.observations.ingest()
    memory.episodes.add(text="We sailed to Lisbon in May.", session="s")
    found, said = memory.recall("walrus"), memory.episodes.search("Lisbon")
    turn = memory.turns.before("when does the walrus sleep?")
    pack = memory.pack("walrus")
    exported = memory.transfer.export(sys.argv[1] + "-out.jsonl")
    checked = memory.maintenance.doctor()
    built = memory.maintenance.index_build()
    answer(
        hits=[hit.memory.id == id for hit in found.result.hits],
        vector=found.receipt.considered["vector"],
        said=said.result.vector_status,
        turn="walrus" in turn.result.block,
        pack=len(pack.result.items),
        exported=exported.result.count,
        built=[built.result.vector_index, built.result.passages.vector_index],
        healthy=[one.status for one in checked.result.findings],
        warnings=[*found.receipt.warnings, *said.receipt.warnings, *built.receipt.warnings],
        forgotten=memory.forget(id, verify=True).result.check.conclusive,
    )
""",
    )
    assert set(answered.pop("healthy")) == {"ok"}
    assert answered == {
        "hits": [True],
        "vector": 1,
        "said": "used",
        "turn": True,
        "pack": 1,
        "exported": 1,
        "built": ["the ledger", "the ledger"],
        "warnings": [],
        "forgotten": True,
    }


def test_a_large_store_answers_and_says_what_would_make_it_faster(home: Path) -> None:
    stored(home, 20_000)
    answered = run(
        home,
        f"""
with opened({FROM}) as memory:
    kept = memory.store("the walrus plays the tuba")
    found = memory.recall("which locker belongs to player 5?")
    finding = next(one for one in memory.maintenance.doctor().result.findings if one.check == "index")
    memory.maintenance.doctor(fix=True)
    answer(
        stored=kept.result.action,
        best=found.result.hits[0].memory.text,
        vector=found.receipt.considered["vector"],
        warnings=found.receipt.warnings,
        lexical=memory.recall("walrus", mode="lexical").receipt.warnings,
        doctor=[finding.status, finding.fix],
        status=memory.maintenance.index_status().receipt.warnings,
        build=failure(memory.maintenance.index_build),
        optimize=failure(memory.maintenance.index_optimize),
    )
""",
    )
    assert answered == {
        "stored": "created",
        "best": "locker 5 holds the instrument of player 5",
        "vector": 2 * FROM + 1,
        "warnings": [WARNING],
        "lexical": [],
        "doctor": ["warning", COMMAND],
        "status": [WARNING],
        "build": ["missing_extra", COMMAND],
        "optimize": ["missing_extra", COMMAND],
    }


def test_an_existing_index_is_left_alone_until_a_memory_is_forgotten(home: Path) -> None:
    stored(home, FROM)
    settings = load(home=str(home), embedding={"provider": "hashing"}, recall={"index_from": FROM})
    with Satchel.open(settings=settings) as memory:
        memory.maintenance.index_build()
    index = home / "index" / "memories.lance"
    assert index.exists()

    answered = run(
        home,
        f"""
from pathlib import Path
index = Path(sys.argv[1], "index", "memories.lance")
with opened({FROM}) as memory:
    found = memory.recall("locker 3")
    kept = index.exists()
    forgotten = memory.forget(found.result.hits[0].memory.id, verify=True).result.check
    answer(
        best=found.result.hits[0].memory.text,
        warnings=found.receipt.warnings,
        kept=kept,
        gone=not index.exists(),
        check=[forgotten.conclusive, forgotten.found_after],
    )
""",
    )
    assert answered == {
        "best": "locker 3 holds the instrument of player 3",
        "warnings": [WARNING],
        "kept": True,
        "gone": True,
        "check": [True, []],
    }
    with Satchel.open(settings=settings) as memory:
        found = memory.recall("locker 5")
        assert (found.result.hits[0].memory.text[:8], found.receipt.warnings) == ("locker 5", ())
        assert index.exists()


def test_the_older_model_names_its_extra(home: Path) -> None:
    arguments = ["--home", str(home), "--json", "model", "install", "minilm"]
    script = WITHOUT_EXTRAS + "from satchel.interfaces.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    failed = json.loads(done.stdout or done.stderr)
    assert (done.returncode != 0, failed["error"]["code"]) == (True, "missing_extra")
    assert failed["error"]["hint"] == "pip install 'satchel-memory[minilm]'"
