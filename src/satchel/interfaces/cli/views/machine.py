"""Views of the embedding models, the demo and the evaluation."""

from satchel.domain.embedding import NOT_INSTALLED, LocalModels, ModelStatus
from satchel.interfaces.cli.views.lines import Lines, Views, count
from satchel.interfaces.demo import Demo
from satchel.interfaces.evaluation.golden import UNNAMED
from satchel.interfaces.evaluation.metrics import HYBRID, Evaluation, Figures, ModeReport

# Maximum number of misses to print; the JSON has all of them.
MAX_MISSES = 20
NAME_WIDTH = 20
HEAD = ("n", "hit@1", "hit@3", "hit@5", "MRR", "wrong scope", "p50", "p95")
WIDTHS = (5, 7, 7, 7, 7, 13, 11, 11)


def _evaluation(result: Evaluation) -> Lines:
    where = " of your store" if result.own_store else ""
    asked, over = count(result.cases, "case"), count(result.memories, "memory")
    yield f"{asked} ({result.source}) over {over}{where}", "bold"
    yield f"  limit {result.limit}; embedded by {result.embedding_space or 'nothing'}", "dim"
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
        # If no case names its group, the only group repeats the row of the mode.
        for name, figures in groups.items() if set(groups) != {UNNAMED} else ():
            yield _row(f"  {label}{name}", figures), ""


def _row(name: str, figures: Figures) -> str:
    shares = (figures.hit_at_1, figures.hit_at_3, figures.hit_at_5, figures.mrr, figures.wrong_scope)
    times = (f"{figures.p50_ms:.1f} ms", f"{figures.p95_ms:.1f} ms")
    # A long name shifts its figures: cut short, it could read as another name.
    return f"{name:<{NAME_WIDTH}}" + _columns((str(figures.n), *(f"{share:.3f}" for share in shares), *times))


def _columns(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def _misses(report: ModeReport) -> Lines:
    if report.misses:
        yield f"{report.mode} has no answer in the first five for {count(len(report.misses), 'case')}:", ""
    for miss in report.misses[:MAX_MISSES]:
        yield f"  {miss.id}  {' '.join(miss.query.split())[:100]}  ({miss.scope})", "dim"
    if len(report.misses) > MAX_MISSES:
        yield f"  and {len(report.misses) - MAX_MISSES} more; --json lists all", "dim"


def _verdict(holds: bool | None) -> Lines:
    if holds is None:
        yield "hybrid was not compared with the other modes", "dim"
    elif holds:
        yield "hybrid ranks at least as well as the other modes", "bold green"
    else:
        yield "another mode ranks better than hybrid", "bold red"


def _models(result: LocalModels) -> Lines:
    own = (result.satchel, result.reader, result.judge)
    for one in own:
        yield from _model(one)
    if any(one.problem for one in own):
        yield "  reinstall Satchel to get its files back", "dim"
    yield from _model(result.minilm)
    if result.minilm.problem:
        yield "  run 'satchel model install minilm' if you use it", "dim"


def _model(result: ModelStatus) -> Lines:
    if result.installed:
        yield f"{result.name} is installed and intact: {result.bytes:,} bytes in {result.folder}", "green"
    else:
        yield f"{result.name}: {result.problem}", "" if result.problem == NOT_INSTALLED else "red"


def _demo(result: Demo) -> Lines:
    yield ("the demo passed", "bold green") if result.passed else ("the demo failed", "bold red")
    for step in result.steps:
        if not step.passed:
            yield f"  {step.title}: {step.reason or 'unexpected result'}", "red"
    yield f"look at it in the browser: satchel open --home {result.folder}", ""
    yield f"its files are in {result.folder}; you can delete the folder", "dim"


VIEWS: Views = {
    "model install": _model,
    "model status": _models,
    "demo": _demo,
    "eval": _evaluation,
}
