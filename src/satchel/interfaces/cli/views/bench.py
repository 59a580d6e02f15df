"""The benchmarks as tables for a person."""

from collections.abc import Callable, Iterator
from typing import Any

from satchel.interfaces.bench.results import (
    Contest,
    Evidence,
    Figures,
    Governance,
    Machine,
    Packing,
    Precision,
    Rate,
    Retrieval,
    Sized,
    Speed,
    Timing,
)
from satchel.interfaces.cli.views.lines import Lines

NAME_WIDTH = 28
RETRIEVAL_COLUMNS = ("R@1", "R@5", "R@10", "R@20", "any@5", "all@5", "nDCG@10", "MRR")


def _retrieval(result: Retrieval) -> Lines:
    where = "" if result.conversations == 1 else f" in {result.conversations} conversations"
    yield f"{result.set}: {result.level}s, {result.mode}, through {result.through}", "bold"
    yield f"  {result.units} units{where}, {result.questions} questions, {result.depth} asked for each time", "dim"
    yield f"  embedded by {result.embedding_space or 'nothing'}; {_set(result)}", "dim"
    yield f"  store {result.store_digest}", "dim"
    yield _row("", ("n", *RETRIEVAL_COLUMNS)), "dim"
    yield _figures("all" if not result.apart else f"all but {', '.join(result.apart)}", result.overall), "bold"
    for name, one in result.categories.items():
        yield _figures(f"  {name}", one), ""
    yield (
        f"{result.ask_ms_p50:.1f} / {result.ask_ms_p95:.1f} ms a question (p50 / p95), {result.index_seconds:.1f} s to fill",
        "dim",
    )
    yield from _machine(result.machine)
    if result.rankings:
        yield f"rankings in {result.rankings}", ""


def _speed(result: Speed) -> Lines:
    yield f"generated texts of seed {result.seed}, embedded by {result.embedding_space}; {_set(result)}", "dim"
    yield from _machine(result.machine)
    for one in result.sizes:
        yield from _sized(one)


def _sized(one: Sized) -> Lines:
    yield f"{one.memories:,} memories", "bold"
    for contest in one.contests:
        yield from _contest(contest)
    for name, why in one.left_out.items():
        yield f"  {name} was not measured: {why}", "dim"


def _contest(one: Contest) -> Lines:
    ahead = ", ".join(f"{ratio:g}x {name}" for name, ratio in one.ratios.items())
    yield f"  {one.what:<{NAME_WIDTH}}{ahead}", ""
    for name, timing in {"satchel": one.satchel, **one.peers}.items():
        yield f"    {name:<{NAME_WIDTH - 2}}{_timing(timing, one.unit)}", "dim"
    for bar in one.bars:
        yield f"    {bar.asked}: {'met' if bar.met else 'missed'}", "" if bar.met else "red"


def _timing(one: Timing, unit: str) -> str:
    if one.runs == 1:
        return f"{one.p50:,.1f} {unit}"
    return f"p50 {one.p50:,.2f}  p95 {one.p95:,.2f}  p99 {one.p99:,.2f} {unit}  ({one.runs} runs)"


def _governance(result: Governance) -> Lines:
    yield f"invented samples of seed {result.seed}; {_set(result)}", "dim"
    for name, rates in result.subjects.items():
        yield name, "bold"
        for one in rates:
            yield from _rate(one)
    for name, why in result.left_out.items():
        yield f"{name} was not judged: {why}", "dim"
    yield from _machine(result.machine)


def _rate(one: Rate) -> Lines:
    if one.rate is None:
        yield f"  {one.what:<{NAME_WIDTH}}{one.note}", "dim"
    else:
        style = "" if one.rate == one.ideal else "red"
        yield f"  {one.what:<{NAME_WIDTH}}{one.rate:>7.1%}  {one.count} of {one.n} {one.note}", style


def _packing(result: Packing) -> Lines:
    yield f"{result.set}: {result.mode}, through {result.through}", "bold"
    yield f"  embedded by {result.embedding_space or 'nothing'}; {_set(result)}", "dim"
    yield f"  store {result.store_digest}", "dim"
    yield _row("", ("n", "any", "all", "share", "tokens", "over")), "dim"
    for one in result.budgets:
        for name, found in (
            ("pack", one.pack),
            ("dump", one.dump),
            ("words dump", one.words),
            ("plain dump", one.plain),
        ):
            yield _evidence(f"{one.budget:,} tokens, {name}", found), ""
    yield from _machine(result.machine)


def _evidence(name: str, one: Evidence) -> str:
    shares = tuple(f"{share:.3f}" for share in (one.any, one.all, one.share))
    return _row(name, (str(one.n), *shares, f"{one.tokens:.0f}", str(one.over_budget)))


def _precision(result: Precision) -> Lines:
    yield f"{result.beliefs} beliefs, {result.mode}, at least {result.min_relevance:g} relevant; {_set(result)}", "bold"
    yield _row("", ("n", "precision", "recall", "exact")), "dim"
    for name, one in result.groups.items():
        yield _row(name, (str(one.n), *(f"{share:.3f}" for share in (one.precision, one.recall, one.exact)))), ""
    yield from _machine(result.machine)


def _set(result: Retrieval | Speed | Governance | Packing | Precision) -> str:
    said = ", ".join(f"{key} = {value}" for key, value in result.settings.items())
    return f"settings: {said}" if said else "every setting as it comes"


def _figures(name: str, one: Figures) -> str:
    return _row(name, (str(one.n), *(f"{one.metrics[column]:.3f}" for column in RETRIEVAL_COLUMNS)))


def _row(name: str, cells: tuple[str, ...]) -> str:
    return f"{name:<{NAME_WIDTH}}" + "".join(f"{cell:>10}" for cell in cells)


def _machine(machine: Machine) -> Iterator[tuple[str, str]]:
    yield (
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_gb:g} GB, load {machine.load:g}, {machine.date[:10]}",
        "dim",
    )


SHOWN: dict[type, Callable[[Any], Lines]] = {
    Retrieval: _retrieval,
    Speed: _speed,
    Governance: _governance,
    Packing: _packing,
    Precision: _precision,
}
