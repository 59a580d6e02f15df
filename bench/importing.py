"""How long an import takes, and how long another process waits to store a memory meanwhile.

`python -m bench.importing [MEMORIES]` makes a mem0 file of so many memories and imports it twice, without a model.
"""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from satchel.app import Satchel
from satchel.config import load
from satchel.importing.values import ItemsImported

MEMORIES = 100_000
STEMS = (
    "ship",
    "tea",
    "harbour",
    "ledger",
    "checkout",
    "release",
    "walrus",
    "budget",
    "index",
    "garden",
    "token",
    "lamp",
)
WORDS = [f"{stem}{ending}" for stem in STEMS for ending in ("", "s", "ing", "ed", "er")]
# Stores a memory twenty times a second until its input ends, and prints how long each took.
OTHER = """
import sys, threading, time
from satchel.app import Satchel
from satchel.config import load
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
waits = []
with Satchel.open(settings=load(home=sys.argv[1], embedding={"provider": "none"})) as store:
    while not ended.wait(0.05):
        start = time.perf_counter()
        store.store(f"Note {len(waits)} of the other process, at {start}", scope="other")
        waits.append(time.perf_counter() - start)
waits.sort()
print(len(waits), round(waits[len(waits) // 2], 3), round(waits[int(len(waits) * 0.99)], 3), round(waits[-1], 3))
"""


def write_file(path: Path, memories: int) -> None:
    """Write memories of random words as mem0 exports them."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(memories):
            text = f"{' '.join(chance.choices(WORDS, k=18))} {number}"
            row = {"id": f"m{number}", "memory": text, "hash": "h", "created_at": "2024-05-01T10:00:00Z"}
            file.write(f"{json.dumps(row)}\n")


def run(store: Satchel, file: Path, what: str, *, yes: bool) -> None:
    """Import the file, and print how long it took."""
    start, busy = time.perf_counter(), time.process_time()
    done = store.importing.import_(str(file), yes=yes, progress=lambda done, total, what: None).result
    assert isinstance(done, ItemsImported)
    took, used = time.perf_counter() - start, time.process_time() - busy
    print(f"{what}: {took:.1f} s, of which {used:.1f} s of computing; {done.new:,} new of {done.records[0].read:,}")


def main(memories: int) -> None:
    """Measure one size."""
    with TemporaryDirectory() as folder:
        home, file = Path(folder) / "home", Path(folder) / "mem0.jsonl"
        write_file(file, memories)
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as store:
            run(store, file, "preview", yes=False)
            command = [sys.executable, "-c", OTHER, str(home)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
                run(store, file, "import", yes=True)
                said, _ = other.communicate()
            number, median, high, longest = said.split()
            print(f"another process stored {number} memories: median {median} s, 99 % {high} s, longest {longest} s")
            run(store, file, "import again", yes=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES)
