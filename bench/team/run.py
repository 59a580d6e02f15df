"""The team benchmark: many agents of one store in PostgreSQL at once."""

import json
import subprocess
import sys
import time
import uuid
from array import array
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import psycopg
from msgspec.structs import replace

from bench import ROOT
from bench.machine import changed_settings, this_machine
from bench.speed.corpus import corpus
from bench.speed.timing import summed_up
from bench.team.plain_table import make_plain_table
from bench.team.results import TeamResult
from satchel.adapters.postgres.address import StoreAddress, parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.admit import Draft, admit
from satchel.domain.embedding import Space
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.errors import InvalidRequest
from satchel.ports import Change, Embedded, Progress

AGENTS, MEMORIES, SECONDS, PROCESSES = 100, 1_000, 60, 4
ROWS_PER_COMMIT = 2_000


def run_team(
    settings: Settings,
    progress: Progress,
    *,
    address: str,
    agents: int = AGENTS,
    memories: int = MEMORIES,
    seconds: int = SECONDS,
    processes: int = PROCESSES,
) -> TeamResult:
    """Fill a new store and have the agents use it. The schema of the address must not hold a store; it is removed."""
    place = parse_address(address)
    with psycopg.connect(place.conninfo, autocommit=True) as administrator:
        # Row-level security shows nothing to a connection that does not say whose it is.
        administrator.execute("SELECT set_config('satchel.scopes', '*', false)")
        if administrator.execute("SELECT to_regnamespace(%s)", (place.schema,)).fetchone() != (None,):
            raise InvalidRequest(f"the schema {place.schema} exists already", hint="name another with ?schema=name")
        try:
            rate, space = _fill(settings, address, agents, memories, progress)
            size = _bytes(administrator, place)
            make_plain_table(administrator, place.schema, space.dimensions)
            version = str((administrator.execute("SELECT version()").fetchone() or ("",))[0]).split(" on ")[0]
            found = _run_agents(address, agents, seconds, processes)
        finally:
            administrator.execute(f"DROP SCHEMA IF EXISTS {place.schema} CASCADE".encode())
    times = {name: [1000 * one for part in found for one in part["times"][name]] for name in found[0]["times"]}
    errors = sum((Counter(part["errors"]) for part in found), Counter[str]())
    return TeamResult(
        server=version,
        agents=agents,
        memories=agents * memories,
        processes=processes,
        seconds=seconds,
        fill_rows_a_second=round(rate, 1),
        bytes_a_memory=round(size / (agents * memories), 1),
        recalls=summed_up(times["recalls"]),
        stores=summed_up(times["stores"]),
        plain=summed_up(times["plain"]),
        errors=dict(errors),
        leaks=sum(part["leaks"] for part in found),
        settings=changed_settings(settings),
        machine=this_machine(),
    )


def _fill(settings: Settings, address: str, agents: int, memories: int, progress: Progress) -> tuple[float, Space]:
    """Store generated memories with random vectors: their cost is that of real ones, only what is near is not."""
    contents, chance, vectors = corpus(agents * memories), Random(1), np.random.default_rng(1)
    with Satchel.open(settings=replace(settings, ledger=address), folder=None) as store:
        embedder = store.parts.embedder(None)
        assert embedder is not None
        space = Space(embedder.name, embedder.dimensions or 0)
    ledger, started, now = PostgresLedger(parse_address(address)), time.perf_counter(), int(time.time() * 1000)
    ledger.vectors.adopt(space)
    for start in range(0, len(contents), ROWS_PER_COMMIT):
        batch = [
            admit(
                Draft(one.text, f"agent-{(start + place) % agents}", one.kind, importance=0.5),
                id=MemoryId(str(uuid.UUID(int=chance.getrandbits(128), version=4))),
                now=now,
            )
            for place, one in enumerate(contents[start : start + ROWS_PER_COMMIT])
        ]
        receipt = Receipt("store", asked={"first": start}, at=now)
        ledger.memories.commit([Change(one, None, "store", "bench") for one in batch], receipt)
        random = vectors.standard_normal((len(batch), space.dimensions)).astype(np.float32)
        random /= np.linalg.norm(random, axis=1, keepdims=True)
        made = [
            Embedded(one.id, one.content_hash, array("f", row.tobytes()))
            for one, row in zip(batch, random, strict=True)
        ]
        ledger.vectors.put(space, made)
        progress(start + len(batch), len(contents), "storing")
    ledger.close()
    return len(contents) / (time.perf_counter() - started), space


def _bytes(administrator: psycopg.Connection[tuple[object, ...]], place: StoreAddress) -> int:
    query = "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r'"
    administrator.execute("VACUUM ANALYZE")
    found = administrator.execute(query, (place.schema,)).fetchone()
    return int(str(found[0])) if found else 0


def _run_agents(address: str, agents: int, seconds: int, processes: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "bench.team.agent_process", address]
    running = [
        subprocess.Popen([*command, str(number), str(agents), str(seconds)], cwd=ROOT, stdout=subprocess.PIPE)
        for number in range(processes)
    ]
    return [json.loads(one.communicate()[0]) for one in running]
