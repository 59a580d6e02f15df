"""Several workers share the texts to embed: none embeds what another has claimed, and a killed one loses nothing."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from satchel.adapters.embedders.hashing import Hashing
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.embedding import Clamp, Space, Vector
from satchel.domain.record import MemoryId
from satchel.indexing.embed import embed_backlog, embed_unclaimed
from tests.adapters.samples import ALL, memory, store
from tests.postgres.server import PostgresServer

SPACE = Space("hashing-32", 32)
LIMITS = Clamp(6_000, 500, 0)
TEXTS = 500
# How often something is looked for that happens soon. A failure takes this many waits of a twentieth of a second.
PATIENCE = 1_200


class Counting(Hashing):
    """Remembers what it embedded. The first batches of all workers come together, so that they do work at the same time."""

    def __init__(self, together: threading.Barrier) -> None:
        super().__init__(32)
        self._together: threading.Barrier | None = together
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self._together is not None:
            self._together.wait(60)
            self._together = None
        self.texts += texts
        return super().embed(texts)


def fill(address: str, count: int = TEXTS) -> None:
    with closing(PostgresLedger(parse_address(address))) as ledger:
        store(ledger, *(memory(f"m{number:04}", f"The ship number {number} sails") for number in range(count)))


def vectors_of(address: str) -> dict[MemoryId, Vector]:
    with closing(PostgresLedger(parse_address(address))) as ledger:
        ids = [one.id for one in ledger.memories.page(ALL, TEXTS)]
        return ledger.vectors.get(SPACE, ids)


def test_workers_share_the_work_and_write_what_one_process_writes(server: PostgresServer, address: str) -> None:
    fill(address)
    together = threading.Barrier(3)
    embedders = [Counting(together) for _ in range(3)]

    def work(embedder: Counting) -> None:
        with closing(PostgresLedger(parse_address(address))) as ledger:
            embed_unclaimed(ledger.vectors, embedder, SPACE, LIMITS, stopped=lambda: False)

    threads = [threading.Thread(target=work, args=(one,)) for one in embedders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(one.texts for one in embedders)
    embedded = [text for one in embedders for text in one.texts]
    assert (len(embedded), len({*embedded})) == (TEXTS, TEXTS)
    alone = server.address("alone")
    fill(alone)
    with closing(PostgresLedger(parse_address(alone))) as ledger:
        embed_backlog(ledger.vectors, Hashing(32), SPACE, LIMITS)
    assert vectors_of(address) == vectors_of(alone)


def test_the_claim_of_a_killed_process_is_free_at_once(address: str) -> None:
    fill(address, 20)
    script = (
        "import sys, time\nfrom satchel.adapters.postgres.address import parse_address\n"
        "from satchel.adapters.postgres.ledger import PostgresLedger\nfrom satchel.domain.embedding import Space\n"
        "ledger = PostgresLedger(parse_address(sys.argv[1]))\n"
        "with ledger.vectors.claimed(Space('hashing-32', 32), 100) as batch:\n"
        "    print(len(batch), flush=True)\n    time.sleep(600)\n"
    )
    with (
        subprocess.Popen([sys.executable, "-c", script, address], stdout=subprocess.PIPE, text=True) as process,
        closing(PostgresLedger(parse_address(address))) as ledger,
        killed_at_the_end(process),
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "20\n"
        with ledger.vectors.claimed(SPACE, 100) as batch:
            assert batch == []
        process.kill()
        process.wait()
        assert len(claimed_soon(ledger)) == 20


@contextmanager
def killed_at_the_end(process: "subprocess.Popen[str]") -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()


def claimed_soon(ledger: PostgresLedger) -> list[str]:
    """Claim what can be claimed, as soon as the server has noticed the end of a process."""
    for _ in range(PATIENCE):
        with ledger.vectors.claimed(SPACE, 100) as batch:
            if batch:
                return [one.id for one in batch]
        threading.Event().wait(0.05)
    return []


# Processes


@contextmanager
def worker(address: str, home: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "satchel", "worker"]
    environment = os.environ | {"SATCHEL_STORE": address, "SATCHEL_HOME": str(home), "SATCHEL_EMBEDDER": "hashing"}
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process,
        killed_at_the_end(process),
    ):
        assert process.stderr is not None
        # The first line may say that the store is new.
        said = iter(process.stderr.readline, "")
        assert any(line.startswith("satchel worker: working for postgresql://") for line in said)
        yield process


def all_embedded(opened: Satchel) -> bool:
    """Wait until no text waits for a vector."""
    for _ in range(PATIENCE):
        if opened.maintenance.stats(all_scopes=True).result.embeddings_waiting == 0:
            return True
        threading.Event().wait(0.05)
    return False


@pytest.fixture
def opened(address: str, tmp_path: Path) -> Iterator[Satchel]:
    settings = load(home=str(tmp_path / "own"), ledger=address, embedding={"provider": "hashing"})
    with Satchel.open(settings=settings) as memory:
        yield memory


def embedded_by_workers(opened: Satchel) -> list[int]:
    """Return how many texts each round of a worker embedded, by its receipts."""
    kept = opened.parts.ledger.receipts.recent(1_000, "worker")
    return [int(str(one.body["decided"]["made"])) for one in kept]  # type: ignore[index,call-overload]


def test_processes_embed_what_others_store(opened: Satchel, address: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(address, tmp_path / f"worker-{number}")) for number in range(2)]
        for number in range(60):
            opened.store(f"The ship number {number} sails", scope="harbour")
        assert all_embedded(opened)
        for one in workers:
            one.send_signal(signal.SIGTERM)
        assert [one.wait(60) for one in workers] == [0, 0]
    assert sum(embedded_by_workers(opened)) == 60
    assert opened.parts.ledger.receipts.verify().broken_at is None


def test_a_worker_goes_on_after_a_crash_of_the_server(tmp_path: Path) -> None:
    own = PostgresServer()
    try:
        address = own.address("crashed")
        settings = load(home=str(tmp_path / "own"), ledger=address, embedding={"provider": "hashing"})
        with worker(address, tmp_path / "worker") as process:
            for ship in ("first", "second"):
                with Satchel.open(settings=settings) as memory:
                    memory.store(f"The {ship} ship sails", scope="harbour")
                    assert all_embedded(memory)
                own.stop("immediate")
                own.start()
            assert process.poll() is None
    finally:
        own.remove()


def test_a_worker_goes_on_after_its_connections_were_cut(
    server: PostgresServer, opened: Satchel, address: str, tmp_path: Path
) -> None:
    with worker(address, tmp_path / "worker"):
        opened.store("The first ship sails", scope="harbour")
        assert all_embedded(opened)
        with psycopg.connect(server.conninfo, autocommit=True) as administrator:
            administrator.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'satchel-listener' AND pid <> pg_backend_pid()"
            )
        opened.store("The second ship sails", scope="harbour")
        assert all_embedded(opened)
