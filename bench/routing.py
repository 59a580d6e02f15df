"""Routing quality and cost: how often an answer is among the first five, through the router and through each backend alone.

    python -m bench.routing            the table, and what the router itself costs beyond its backends
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.routing_set import CLASSES, Case, cases, fill
from satchel.adapters.backends.timed import TimedCaller
from satchel.areas.lanes import lanes_of
from satchel.bootstrap import Satchel
from satchel.config import load
from satchel.domain.routing import Asked, Item
from satchel.route.backends.native import natives

FIRST = 5
ALONE = ("qmd:search", "qmd:vsearch", "qmd:query", "totalrecall", "cognee", "lossless")

Answer = Callable[[str], tuple[Item, ...]]


def hit(case: Case, items: tuple[Item, ...]) -> bool:
    """Say whether one of the first items holds everything that is wanted."""
    return any(all(one.casefold() in item.content.casefold() for one in case.wanted) for item in items[:FIRST])


def measured(memory: Satchel) -> dict[str, dict[str, float]]:
    """Return the share of questions answered, by way of answering and class."""
    ways: dict[str, Answer] = {"router": lambda query: memory.routing.route(query).result.results}
    ways |= {name: _alone(memory, name) for name in ALONE}
    table: dict[str, dict[str, float]] = {}
    for name, answer in ways.items():
        found = [(case.kind, hit(case, answer(case.query))) for case in cases()]
        table[name] = {kind: _share([right for of, right in found if of == kind]) for kind in CLASSES}
        table[name]["all"] = _share([right for _, right in found])
    return table


def missed(memory: Satchel) -> list[str]:
    """Return the questions that the router does not answer, with where they went."""
    lines = []
    for case in cases():
        envelope = memory.routing.route(case.query, trace=True).result
        if not hit(case, envelope.results) and envelope.trace:
            tried = " ".join(f"{one.backend}:{one.mode}={one.normalized_relevance}" for one in envelope.trace.attempts)
            lines.append(f"{case.kind:9} {case.query!r} → {envelope.trace.rule.id}, {envelope.routed_to}, {tried}")
    return lines


def overhead(memory: Satchel) -> dict[str, float]:
    """Return what routing costs beyond the backend calls, in milliseconds, at the median and for one in twenty."""
    memory.routing.route("warm up")
    extra = []
    for case in cases():
        started = time.perf_counter()
        envelope = memory.routing.route(case.query, trace=True)
        whole = 1000 * (time.perf_counter() - started)
        extra.append(whole - _SpentIn.milliseconds(envelope.result.trace))
    extra.sort()
    return {"p50": extra[len(extra) // 2], "p95": extra[int(len(extra) * 0.95)]}


class _SpentIn:
    """The time that the backends themselves took, measured where they are called: the trace rounds to whole milliseconds."""

    spent = 0.0

    @classmethod
    def milliseconds(cls, trace: object) -> float:
        taken, cls.spent = cls.spent, 0.0
        return taken


class _Watched(TimedCaller):
    """Counts the time of each call."""

    def start(self, backend, asked, seconds):  # type: ignore[no-untyped-def]
        wait = super().start(backend, asked, seconds)

        def waited():  # type: ignore[no-untyped-def]
            result = wait()
            _SpentIn.spent += 1000 * result.seconds
            return result

        return waited


def _alone(memory: Satchel, name: str) -> Answer:
    backend, _, mode = name.partition(":")
    own = natives(lanes_of(memory._parts), memory._parts.clock.now)[backend]
    return lambda query: own.ask(Asked(query, mode or None, 20, 0.0)).results


def _share(found: list[bool]) -> float:
    return sum(found) / len(found)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        settings = load(home=str(folder / "home"), routing={"state": str(folder / "state")})
        with Satchel.open(settings=settings) as memory:
            fill(memory, folder / "ferry")
            table = measured(memory)
            print(f"{'':14}" + "".join(f"{kind:>10}" for kind in (*CLASSES, "all")))
            for name, shares in table.items():
                print(f"{name:14}" + "".join(f"{shares[kind]:>10.1%}" for kind in (*CLASSES, "all")))
            if "--missed" in sys.argv:
                print(*missed(memory), sep="\n")


if __name__ == "__main__":
    main()
