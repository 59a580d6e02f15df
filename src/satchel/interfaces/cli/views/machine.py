"""The embedding model, the demo and the evaluation, as a person sees them."""

from collections.abc import Callable

from satchel.domain.embedding import ModelStatus
from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.demo import Demo
from satchel.interfaces.evaluation.golden import UNNAMED
from satchel.interfaces.evaluation.metrics import HYBRID, Evaluation, Figures, ModeReport

# The rest stands in the JSON.
SHOWN_MISSES = 20
NAME_WIDTH = 20
HEAD = ("n", "hit@1", "hit@3", "hit@5", "MRR", "wrong scope", "p50", "p95")
WIDTHS = (5, 7, 7, 7, 7, 13, 11, 11)


def _evaluation(result: Evaluation) -> Lines:
    """Yield the lines of the table, each with its style."""
    where = " of your store" if result.own_store else ""
    asked, over = _counted(result.cases, "case", "cases"), _counted(result.memories, "memory", "memories")
    yield f"{asked} ({result.source}) over {over}{where}", "bold"
    yield f"  {result.limit} asked for each time; embedded by {result.embedding_space or 'nothing'}", "dim"
    yield " " * NAME_WIDTH + _columns(HEAD), "dim"
    for report in result.modes:
        yield from _mode(report)
    for report in result.modes:
        if report.mode == HYBRID or len(result.modes) == 1:
            yield from _misses(report)
    yield from _verdict(result.holds)


def _mode(report: ModeReport) -> Lines:
    if report.overall is None:
        yield f"{report.mode:<{NAME_WIDTH}}unavailable: {report.problem}", "yellow"
        return
    yield _row(report.mode, report.overall), "bold"
    for label, groups in (("", report.families), ("language ", report.languages)):
        # Where no case names its group, the group would say once more what the mode says.
        for name, figures in groups.items() if set(groups) != {UNNAMED} else ():
            yield _row(f"  {label}{name}", figures), ""


def _row(name: str, figures: Figures) -> str:
    shares = (figures.hit_at_1, figures.hit_at_3, figures.hit_at_5, figures.mrr, figures.wrong_scope)
    times = (f"{figures.p50_ms:.1f} ms", f"{figures.p95_ms:.1f} ms")
    # A long name takes its own room and pushes its figures aside: cut, it would be another name.
    return f"{name:<{NAME_WIDTH}}" + _columns((str(figures.n), *(f"{share:.3f}" for share in shares), *times))


def _columns(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def _misses(report: ModeReport) -> Lines:
    if report.misses:
        missed = _counted(len(report.misses), "case", "cases")
        yield f"{report.mode} found no answer among the first five for {missed}:", ""
    for miss in report.misses[:SHOWN_MISSES]:
        yield f"  {miss.id}  {' '.join(miss.query.split())[:100]}  ({miss.scope})", "dim"
    if len(report.misses) > SHOWN_MISSES:
        yield f"  and {len(report.misses) - SHOWN_MISSES} more; --json names them all", "dim"


def _verdict(holds: bool | None) -> Lines:
    if holds is None:
        yield "hybrid was not compared with the other modes", "dim"
    elif holds:
        yield "hybrid finds at least as much among the first five as the other modes", "bold green"
    else:
        yield "hybrid finds less among the first five than another mode", "bold red"


def _model(result: ModelStatus) -> Lines:
    if result.installed:
        yield f"{result.name} is installed and sound: {result.bytes:,} bytes in {result.folder}", "green"
    else:
        yield f"{result.name}: {result.problem}", "red"
        yield "  satchel model install", "dim"


def _demo(result: Demo) -> Lines:
    yield ("the demo did what it promised", "bold green") if result.passed else ("the demo failed", "bold red")
    for step in result.steps:
        if not step.passed:
            yield f"  {step.title}: {step.reason or 'it did not come out as promised'}", "red"
    yield f"its files are in {result.folder}; remove the folder when you have seen enough", "dim"


VIEWS: dict[str, Callable[..., Lines]] = {
    "model": _model,
    "demo": _demo,
    "eval": _evaluation,
}
