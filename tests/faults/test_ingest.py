"""Ingest of thousands of events with bad lines, a partial line, rotation and two kills."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from satchel.adapters.spool import SpoolFolder
from satchel.app import Satchel
from satchel.config import load
from tests.faults.children import Start
from tests.faults.extent import extent

EVENTS = extent(16_000, 40_000)
BAD_IN_A_HUNDRED = 1
LINES_PER_APPEND = EVENTS // 20
SEGMENT_BYTES = 10 * EVENTS

INGEST = "say('ready')\nmemory.observations.ingest(progress=lambda done, total, what: say(what))\nsay('done')"
BAD = (
    "nonsense",
    '{"text": "cut o',
    '{"text": NaN}',
    "[1, 2]",
    '{"no": 1} trailing',
    "\x00\x00\x00",
    '{"text": "x", "ts": "never"}',
)


def lines(chance: random.Random) -> Iterator[tuple[str, str]]:
    """Yield every line with the key of its event; a bad line has none."""
    for number in range(EVENTS):
        if chance.randrange(100) < BAD_IN_A_HUNDRED:
            yield "", f"{chance.choice(BAD)[:40]} #{number}"
        else:
            event = {
                "id": f"e{number}",
                "ts": 1_790_000_000_000 + number,
                "tool_name": f"t{number % 7}",
                "text": f"event {number}",
            }
            yield f"e{number}", json.dumps(event)


def test_every_event_is_ingested_once_and_every_bad_line_is_a_dead_letter(home: Path, start: Start) -> None:
    spool = SpoolFolder(home, segment_bytes=SEGMENT_BYTES)
    told = list(lines(random.Random(5)))
    batches = [told[place : place + LINES_PER_APPEND] for place in range(0, EVENTS, LINES_PER_APPEND)]

    def append(batch: list[tuple[str, str]]) -> None:
        spool.append([f"{line}\n".encode() for _, line in batch])

    for batch in batches[:6]:
        append(batch)
    for kill in range(2):
        child = start(INGEST)
        child.wait_for(4 + 3 * kill)
        for batch in batches[6 + kill * 4 : 10 + kill * 4]:
            append(batch)
        assert "done" not in child.kill()
    last = start(INGEST)
    last.wait_for(3)
    for batch in batches[14:]:
        append(batch)
    newest = home / "spool" / spool.sources()[-1]
    with newest.open("ab") as file:
        file.write(b'{"id": "half", "text": "half a li')
    assert last.finish()[-1] == "done"

    with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"})) as memory:
        rest = memory.observations.ingest().result
        assert (rest.inserted + rest.rejected, rest.waiting) == (0, 1)
        keys = Counter(_keys(memory))
        good = [key for key, _ in told if key]
        assert len(keys) == len(good) and keys == Counter(good)
        # The partial line becomes a bad line with the next write.
        memory.observations.capture('{"id": "after", "text": "after"}')
        assert memory.observations.ingest().result.inserted == 1
        again = memory.observations.ingest().result
        assert (again.total_seen, again.inserted) == (0, 0)
        letters = [json.loads(line) for line in (home / "dead-letters.jsonl").read_text(encoding="utf-8").splitlines()]
        bad = Counter(line for key, line in told if not key) + Counter(['{"id": "half", "text": "half a li'])
        assert Counter(one["line"].replace("\ufffd", "\x00") for one in letters) == bad
        assert memory.maintenance.receipts_verify().result.broken_at is None
        assert all(finding.status != "bad" for finding in memory.maintenance.doctor().result.findings)
    assert len(list((home / "spool" / "archive").iterdir())) > 3


def _keys(memory: Satchel) -> Iterator[str]:
    with memory.parts.ledger.database.reading() as db:  # type: ignore[attr-defined]
        yield from (key for (key,) in db.execute("SELECT key FROM observations").fetchall())
