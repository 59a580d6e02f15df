"""Run the clients benchmark: fill a store, serve it, let clients use it, and read every acknowledged store back."""

import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from bench.clients.results import ClientsResult, HeldStore, Load
from bench.embedding import CachedEmbedder, cache_folder, load_uncached
from bench.machine import changed_settings, this_machine
from bench.processes import hear, serving, start, tell
from bench.speed.corpus import VARIATION, Text, asked, corpus
from bench.speed.fill import import_rows, write_rows
from bench.speed.results import Timing
from bench.speed.timing import milliseconds, summed_up
from bench.speed.variations import VariedEmbedder
from satchel.app import Satchel
from satchel.config import Settings
from satchel.errors import InvalidRequest, SatchelError, Unavailable
from satchel.interfaces.http import client
from satchel.locations import LEDGER
from satchel.ports import Progress

MEMORIES, CLIENTS, SECONDS = 100_000, 50, 60
# As fast as they can, and once a second: a busy agent.
PAUSES_MS = (0, 1_000)
HOLD_SECONDS = 20
PROCESSES = 2
QUESTIONS = 2_000
RECALLS = 100
# A server that has just started loads its model and index at the first recalls.
WARM_UP = 20


def run_clients(
    settings: Settings,
    progress: Progress,
    *,
    memories: int = MEMORIES,
    clients: int = CLIENTS,
    seconds: int = SECONDS,
    hold_seconds: int = HOLD_SECONDS,
    cache: str | None = None,
) -> ClientsResult:
    """Measure with one number of memories."""
    for name, value, least in (("memories", memories, 100), ("clients", clients, 2), ("seconds", seconds, 2)):
        if value < least:
            raise InvalidRequest(f"invalid number of {name}: {value}", code="out_of_range", hint=f"at least {least}")
    embedder = load_uncached(settings)
    cached = VariedEmbedder(CachedEmbedder(embedder, cache_folder(cache)), VARIATION)
    contents = corpus(memories)
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
        own = replace(settings, home=folder, ledger="", read_only=False)
        rows = Path(folder, "rows.jsonl")
        write_rows(rows, contents)
        with Satchel.open(settings=own, actor="bench", embedder=cached) as memory:
            import_rows(memory, rows, len(contents), progress)
            memory.maintenance.index_build(progress=progress)
        rows.unlink()
        questions = asked(contents, QUESTIONS)
        machine = this_machine()
        loads = tuple(_load(own, questions, clients, seconds, pause, progress) for pause in PAUSES_MS)
        held = tuple(_held(own, questions, hold_seconds, server=server) for server in (True, False))
    return ClientsResult(memories, hold_seconds, embedder.name, changed_settings(settings), loads, held, machine)


def _load(
    settings: Settings, questions: Sequence[Text], clients: int, seconds: int, pause: int, progress: Progress
) -> Load:
    home = settings.home_folder
    with serving(home) as pid:
        _warm_up(home, questions)
        resident = [_resident_megabytes(pid)]
        runners = [
            _client_process(home, questions, clients // PROCESSES, seconds, pause, one) for one in range(PROCESSES)
        ]
        started, used = time.perf_counter(), _processor_seconds(pid)
        for runner in runners:
            tell(runner, "go")
        time.sleep(seconds / 2)
        resident.append(_resident_megabytes(pid))
        reports = [json.loads(hear(runner)) for runner in runners]
        taken, used = time.perf_counter() - started, _processor_seconds(pid) - used
        resident.append(_resident_megabytes(pid))
        for runner in runners:
            runner.communicate()
    progress(1, 1, f"{clients} clients")
    errors: Counter[str] = Counter()
    for report in reports:
        errors.update(report["errors"])
    stored = [tuple(one) for report in reports for one in report["stored"]]
    reads, writes = ([one for report in reports for one in report[name]] for name in ("reads", "writes"))
    return Load(
        pause_ms=pause,
        clients=clients,
        seconds=round(taken, 1),
        reads=summed_up(reads),
        writes=summed_up(writes),
        errors=dict(errors),
        cpu_ms=round(1000 * used / (len(reads) + len(writes)), 1),
        lost=_lost(settings, stored),
        resident_mb=(resident[0], resident[1], resident[2]),
    )


def _warm_up(home: Path, questions: Sequence[Text]) -> None:
    for one in questions[-WARM_UP:]:
        _recall_served(home, one)


def _lost(settings: Settings, stored: Sequence[tuple[str, str, str]]) -> int:
    """Count the acknowledged stores that are not there, or not as they were."""
    lost = 0
    with Satchel.open(settings=settings, actor="bench") as memory:
        for id, scope, text in stored:
            try:
                found = memory.get(id, scope=scope).result.memory
                lost += found is None or found.text != text
            except SatchelError:
                lost += 1
    return lost


def _held(settings: Settings, questions: Sequence[Text], seconds: int, *, server: bool) -> HeldStore:
    """Time the recalls of one client with and without a writer, through a server or in this process."""
    home = settings.home_folder
    if server:
        with serving(home):
            _warm_up(home, questions)
            return _with_and_without_writer(
                home, questions, seconds, lambda one: _recall_served(home, one), server=True
            )
    with Satchel.open(settings=settings, actor="bench") as memory:

        def recall(one: Text) -> object:
            return memory.recall(one.question, scope=one.scope)

        for one in questions[-WARM_UP:]:
            recall(one)
        return _with_and_without_writer(home, questions, seconds, recall, server=False)


def _with_and_without_writer(
    home: Path, questions: Sequence[Text], seconds: int, recall: Callable[[Text], object], *, server: bool
) -> HeldStore:
    alone = _timed(questions[:RECALLS], recall, lambda: False)
    with start("bench.clients.holding_process", home / LEDGER, seconds) as holder:
        hear(holder)
        during = _timed(questions[RECALLS : 2 * RECALLS], recall, lambda: holder.poll() is not None)
        holder.terminate()
    return HeldStore(server, alone, during)


def _timed(questions: Sequence[Text], recall: Callable[[Text], object], is_over: Callable[[], bool]) -> Timing:
    times = []
    for one in questions:
        taken = milliseconds(lambda one=one: recall(one))  # type: ignore[misc]
        if is_over():
            break
        times.append(taken)
    return summed_up(times)


def _recall_served(home: Path, one: Text) -> None:
    given = {"query": one.question, "scope": one.scope}
    answer = client.call(home, "recall", given, actor="python", repeatable=True)
    if answer is None or not answer.envelope.get("ok"):
        raise Unavailable("the server did not answer a recall", code="bench_failed")


def _client_process(
    home: Path, questions: Sequence[Text], clients: int, seconds: int, pause: int, number: int
) -> "subprocess.Popen[str]":
    runner = start("bench.clients.client_process", home, clients, seconds, pause, number)
    tell(runner, json.dumps([(one.question, one.scope) for one in questions[number::PROCESSES]]))
    hear(runner)
    return runner


def _resident_megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return 0.0
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024, 1)


def _processor_seconds(pid: int) -> float:
    try:
        # The name of the process, in brackets, may contain anything.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:  # not Linux
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
