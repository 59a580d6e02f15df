"""Routing quality and cost: how often an answer is in the first five results, by the router and by each backend alone.

`python -m bench.routing` lists the questions that the router misses.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from bench.report.results import Result as Measured
from bench.report.results import machine
from bench.routing_set import CLASSES, Case, cases, fill
from satchel.adapters.backends.calls import TimedCaller
from satchel.app import Satchel
from satchel.config import load
from satchel.core.parts import without_receipts
from satchel.domain.routing import BackendQuery, RouteItem
from satchel.ports.backend import Backend, BackendOutcome
from satchel.routing.native import native_backends
from satchel.wiring.router_lanes import router_lanes

FIRST = 5
ALONE = ("qmd:search", "qmd:vsearch", "qmd:query", "totalrecall", "cognee", "lossless")

Answer = Callable[[str], tuple[RouteItem, ...]]


def hit(case: Case, items: tuple[RouteItem, ...]) -> bool:
    """Whether one of the first items contains all wanted texts."""
    return any(all(one.casefold() in item.content.casefold() for one in case.wanted) for item in items[:FIRST])


def measured(memory: Satchel) -> dict[str, dict[str, float]]:
    """Return the share of questions answered, by router or backend and class."""
    ways: dict[str, Answer] = {"router": lambda query: memory.routing.route(query).result.results}
    ways |= {name: alone(memory, name) for name in ALONE}
    table: dict[str, dict[str, float]] = {}
    for name, answer in ways.items():
        found = [(case.kind, hit(case, answer(case.query))) for case in cases()]
        table[name] = {kind: _share([right for of, right in found if of == kind]) for kind in CLASSES}
        table[name]["all"] = _share([right for _, right in found])
    return table


def missed(memory: Satchel) -> list[str]:
    """Return the questions that the router misses, with the backends it tried."""
    lines = []
    for case in cases():
        envelope = memory.routing.route(case.query, trace=True).result
        if not hit(case, envelope.results) and envelope.trace:
            tried = " ".join(f"{one.backend}:{one.mode}={one.normalized_relevance}" for one in envelope.trace.attempts)
            lines.append(f"{case.kind:9} {case.query!r} → {envelope.trace.rule.id}, {envelope.routed_to}, {tried}")
    return lines


class Watched(TimedCaller):
    """Adds up the time that backends take."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def start(self, backend: Backend, asked: BackendQuery, seconds: float) -> Callable[[], BackendOutcome]:
        wait = super().start(backend, asked, seconds)

        def waited() -> BackendOutcome:
            result = wait()
            self.seconds += result.seconds
            return result

        return waited


def overhead(memory: Satchel, *, receipts: bool) -> tuple[list[float], list[float]]:
    """Return the cost of routing beyond the backends in sorted milliseconds: wall time and CPU time.

    A receipt is one durable commit, so its cost depends on the disk.
    """
    watched, policies = Watched(), memory.parts.policies
    around = replace(memory.parts.surroundings(), caller=watched)
    kept = replace(policies, receipts=replace(policies.receipts, enabled=receipts))
    routing = Satchel(replace(memory.parts, surroundings=lambda: around, policies=kept)).routing
    routing.route("warm up")
    elapsed, spent = [], []
    for case in cases():
        watched.seconds, started, busy = 0.0, time.perf_counter(), time.thread_time()
        routing.route(case.query)
        # The backends run on threads of their own.
        spent.append(1000 * (time.thread_time() - busy))
        elapsed.append(1000 * (time.perf_counter() - started - watched.seconds))
    return sorted(elapsed), sorted(spent)


def _percentiles(values: list[float]) -> list[float]:
    return [round(values[len(values) // 2], 2), round(values[int(len(values) * 0.95)], 2)]


def alone(memory: Satchel, name: str) -> Answer:
    """Return a function that asks one backend alone."""
    backend, _, mode = name.partition(":")
    own = native_backends(router_lanes(Satchel(without_receipts(memory.parts))), memory.parts.clock.now)[backend]
    return lambda query: own.ask(BackendQuery(query, mode or None, 20, 0.0)).results


def _share(found: list[bool]) -> float:
    return sum(found) / len(found)


def measure() -> Measured:
    """Fill a store with the corpus, ask every question, and time the router."""
    with _filled() as memory:
        return {"machine": machine(), "answered": measured(memory), "overhead": _overheads(memory)}


def main() -> None:
    """Print the questions that the router misses."""
    with _filled() as memory:
        print("\n".join(missed(memory)))


@contextmanager
def _filled() -> Iterator[Satchel]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        settings = load(home=str(folder / "home"), routing={"state": str(folder / "state")})
        with Satchel.open(settings=settings) as memory:
            fill(memory, folder / "ferry")
            yield memory


def _overheads(memory: Satchel) -> dict[str, dict[str, list[float]]]:
    found = {}
    for name, receipts in (("itself", False), ("with its receipt", True)):
        elapsed, spent = overhead(memory, receipts=receipts)
        found[name] = {"elapsed": _percentiles(elapsed), "processor": _percentiles(spent)}
    return found


if __name__ == "__main__":
    main()
