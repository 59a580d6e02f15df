"""A store with one or more records of every kind, to be damaged: made once, copied for every case."""

import json
import shutil
from pathlib import Path

from satchel import Satchel
from satchel.adapters.access_file import AccessFile
from satchel.adapters.hook_files import record_failure
from satchel.config import Settings, load
from satchel.interfaces.tokens import issue_token

TEXTS = tuple(f"The {name} ship leaves harbour number {number} at dawn" for number, name in enumerate(
    ("amber", "birch", "copper", "dahlia", "ember", "fennel", "garnet", "hazel", "iris", "juniper", "kelp", "laurel")
))  # fmt: skip
MESSAGES = (
    "We decided to use Postgres because it handles JSON well.",
    *(f"Message number {n} about tides." for n in range(9)),
)


LOGGED = "The olive ship is only in the log yet"


def settings_of(home: Path) -> Settings:
    """Return settings that keep an index however small, with the model-free embedder."""
    return load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0})


def open_store(home: Path) -> Satchel:
    """Open the store as the tests use it."""
    return Satchel.open(settings=settings_of(home))


def fill(home: Path) -> None:
    """Make a store with records of every kind, and with every file that a store has."""
    with open_store(home) as store:
        fill_records(store)
    issue_token(AccessFile(home), "phone", 0, scopes=("project/shop",), read_only=True)
    (home / "config.toml").write_text("[recall]\nlimit = 7\n", encoding="utf-8")
    record_failure(str(home), "claude-code", "Stop", "a failure that happened", 1_700_000_000_000)
    (home / "hook-sessions").mkdir()
    (home / "hook-sessions" / "a1b2.json").write_text('{"position": 12}', encoding="utf-8")


def with_log(filled: Path, home: Path) -> None:
    """Copy a store while it is open, with changes that are only in its write-ahead log."""
    between = home.with_name("between")
    shutil.copytree(filled, between)
    with open_store(between) as store:
        store.store(LOGGED)
        shutil.copytree(between, home)


def fill_records(store: Satchel) -> None:
    """Store records of every kind."""
    ids = [store.store(text, title="harbour", tags=["ship"]).result.id for text in TEXTS]
    store.recall("ship leaves")
    store.facts.assert_("payments", "status", "live", sources=[ids[0]])
    store.facts.assert_("payments", "status", "paused", sources=[ids[1]])
    for text in MESSAGES:
        store.conversations.add(text, conversation="api")
    store.episodes.add([{"text": f"An episode about gulls, {n}", "session": "s", "role": "user"} for n in range(3)])
    notes = [{"ref": f"note{n}.md", "text": f"# Pier {n}\n\nThe pier has {n} lamps."} for n in range(3)]
    store.documents.add(notes, collection="notes")
    store.graph.add("satchel", "USES", "sqlite", tail_type="Project", head_type="Tool")
    store.graph.extract(memories=True)
    store.attention.add("procedure", "Fog", "Never sail in fog", details={"must": "wait"})
    store.attention.route("leave harbour", task_id="t", user_constraints=["be quick"])
    event = {"kind": "message", "role": "user", "text": "an observed event about buoys", "session": "s"}
    store.observations.capture("\n".join(json.dumps({**event, "text": f"buoy {n} was seen"}) for n in range(3)))
    store.observations.ingest()
    store.observations.capture(json.dumps(event))
    store.tags.create("before-storm", note="a calm day")
    store.recall("ship at dawn", limit=20)
    store.episodes.search("gulls")
    store.documents.search("pier lamps")
