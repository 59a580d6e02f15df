"""A process of several agents: each asks and stores in its own scope until the time is over. Prints one JSON object."""

import json
import random
import sys
import time
from collections import Counter

import psycopg

from bench.speed.corpus import texts
from bench.team.plain_table import plain_query
from satchel.adapters.postgres.address import parse_address
from satchel.app import Satchel
from satchel.config import load
from satchel.errors import SatchelError

STORES = 0.2


def main(address: str, number: int, agents: int, seconds: float) -> None:
    """Act as some agents in turns, without a pause."""
    chance, questions = random.Random(number), texts(500)
    times: dict[str, list[float]] = {"recalls": [], "stores": [], "plain": []}
    errors, leaks = Counter[str](), 0
    store = Satchel.open(settings=load(ledger=address), actor=f"agent-{number}", folder=None)
    embedder = store.parts.embedder(None)
    assert embedder is not None
    with store, psycopg.connect(parse_address(address).conninfo, autocommit=True) as plain:
        store.recall("warm up", scope="agent-0")
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            scope, one = f"agent-{chance.randrange(agents)}", chance.choice(questions)
            started = time.perf_counter()
            try:
                if chance.random() < STORES:
                    store.store(f"{one.text} {chance.getrandbits(64):x}", scope=scope)
                    times["stores"].append(time.perf_counter() - started)
                    continue
                found = store.recall(one.question, scope=scope).result.hits
                times["recalls"].append(time.perf_counter() - started)
                leaks += sum(hit.memory.scope != scope for hit in found)
                started = time.perf_counter()
                vector = f"[{','.join(map(str, embedder.embed([one.question])[0]))}]"
                plain.execute(plain_query(parse_address(address).schema), (scope, vector)).fetchall()
                times["plain"].append(time.perf_counter() - started)
            except SatchelError as error:
                errors[error.code] += 1
    sys.stdout.write(json.dumps({"times": times, "errors": errors, "leaks": leaks}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
