"""Results as text tables for a terminal."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import astuple

from bench.attention import AttentionFigures, AttentionResult
from bench.clients.results import ClientsResult
from bench.governance.checks import Rate
from bench.governance.run import GovernanceResult
from bench.injection import CaughtShare, InjectionResult
from bench.machine import Machine
from bench.metrics import Figures
from bench.pack import Evidence, PackResult
from bench.precision import PrecisionResult
from bench.retrieval import RetrievalResult
from bench.routes import RoutesResult
from bench.secrets import Family, SecretsResult
from bench.shards import ShardsResult
from bench.speed.results import Contest, Sized, SpeedResult, Timing
from bench.team.results import TeamResult
from bench.turns import TurnFigures, TurnsResult
from bench.upkeep import UpkeepResult
from bench.why import WhyResult

NAME_WIDTH = 28
RETRIEVAL_COLUMNS = ("R@1", "R@5", "R@10", "R@20", "any@5", "all@5", "nDCG@10", "MRR")

Configured = (
    RetrievalResult
    | PackResult
    | PrecisionResult
    | SpeedResult
    | ClientsResult
    | TeamResult
    | GovernanceResult
    | TurnsResult
    | AttentionResult
    | RoutesResult
    | WhyResult
    | UpkeepResult
)
Result = Configured | SecretsResult | InjectionResult | ShardsResult


def table(result: Result) -> Iterator[str]:
    """Yield the lines that show a result."""
    yield from _TABLES[type(result)](result)


def _retrieval(result: RetrievalResult) -> Iterator[str]:
    where = "" if result.conversations == 1 else f" in {result.conversations} conversations"
    yield f"{result.set}: {result.level}s, {result.mode}, through {result.through}"
    yield f"  {result.units} units{where}, {result.questions} questions, {result.depth} units asked for by each"
    yield f"  embedded by {result.embedding_space or 'nothing'}; {_settings(result)}"
    yield f"  store {result.store_digest}"
    yield _row("", ("n", *RETRIEVAL_COLUMNS))
    yield _figures("all" if not result.apart else f"all but {', '.join(result.apart)}", result.overall)
    for name, one in result.categories.items():
        yield _figures(f"  {name}", one)
    times = f"{result.ask_ms_p50:.1f} / {result.ask_ms_p95:.1f} ms a question (p50 / p95)"
    yield f"{times}, {result.index_seconds:.1f} s to fill"
    yield _machine(result.machine)
    if result.rankings:
        yield f"rankings in {result.rankings}"


def _speed(result: SpeedResult) -> Iterator[str]:
    yield f"generated texts of seed {result.seed}, embedded by {result.embedding_space}; {_settings(result)}"
    yield _machine(result.machine)
    for one in result.sizes:
        yield from _sized(one)


def _clients(result: ClientsResult) -> Iterator[str]:
    yield f"{result.memories:,} memories, embedded by {result.embedding_space}; {_settings(result)}"
    yield _machine(result.machine)
    for one in result.loads:
        failed = ", ".join(f"{name} {number}" for name, number in one.errors.items()) or "none"
        yield f"{one.clients} clients for {one.seconds:g} s, {one.pause_ms} ms between requests"
        yield f"  recall   {_timing(one.reads, 'ms')}, {one.reads.runs / one.seconds:.0f}/s"
        yield f"  store    {_timing(one.writes, 'ms')}, {one.writes.runs / one.seconds:.0f}/s, lost {one.lost}"
        yield f"  errors   {failed}"
        yield f"  server   {one.cpu_ms:g} ms of processor time for a request"
        yield f"  resident {' / '.join(f'{size:g}' for size in one.resident_mb)} MB at the start, middle and end"
    for held in result.held:
        yield f"one client, {'with' if held.server else 'without'} a server"
        yield f"  recall   {_timing(held.alone, 'ms')}"
        yield f"  … during a write transaction of {result.hold_seconds:g} s   {_timing(held.during_write, 'ms')}"


def _team(result: TeamResult) -> Iterator[str]:
    failed = ", ".join(f"{name} {number}" for name, number in result.errors.items()) or "none"
    yield f"{result.memories:,} memories of {result.agents} agents in {result.server}; {_settings(result)}"
    yield _machine(result.machine)
    yield f"filled with {result.fill_rows_a_second:,.0f} memories a second, {result.bytes_a_memory:,.0f} bytes each"
    yield f"{result.processes} processes for {result.seconds:g} s"
    yield f"  recall   {_timing(result.recalls, 'ms')}, {result.recalls.runs / result.seconds:.0f}/s"
    yield f"  pgvector {_timing(result.plain, 'ms')}, a plain query by meaning alone"
    yield f"  store    {_timing(result.stores, 'ms')}, {result.stores.runs / result.seconds:.0f}/s"
    yield f"  errors   {failed}; hits of other scopes: {result.leaks}"


def _shards(result: ShardsResult) -> Iterator[str]:
    yield f"{result.memories:,} memories in {result.scopes:,} scopes, the largest with {result.largest_scope:,.0f}"
    yield f"  {result.recalls_a_second:,.0f} recalls a second of {result.recall_ms:g} ms each, {result.cores} cores a server"
    for one in result.spreads:
        yield (
            f"  {one.shards:>4} servers: the fullest has {one.largest_memories / one.mean_memories:.2f} of the mean, "
            f"{one.largest_bytes / 1e9:,.0f} GB; the busiest is busy for {one.busiest:.0%}; "
            f"recall p50 {one.recall_ms_p50:g} ms, p95 {one.recall_ms_p95:g} ms"
        )
    yield _machine(result.machine)


def _sized(one: Sized) -> Iterator[str]:
    yield f"{one.memories:,} memories"
    for contest in one.contests:
        yield from _contest(contest)
    for name, why in one.left_out.items():
        yield f"  {name} was not measured: {why}"


def _contest(one: Contest) -> Iterator[str]:
    ahead = ", ".join(f"{ratio:g}x {name}" for name, ratio in one.ratios.items())
    yield f"  {one.what:<{NAME_WIDTH}}{ahead}".rstrip()
    for name, timing in {"satchel": one.satchel, **one.peers}.items():
        yield f"    {name:<{NAME_WIDTH - 2}}{_timing(timing, one.unit)}"
    for bar in one.bars:
        yield f"    {bar.asked}: {'met' if bar.met else 'MISSED'}"


def _timing(one: Timing, unit: str) -> str:
    if one.runs == 1:
        return f"{one.p50:,.1f} {unit}"
    return f"p50 {one.p50:,.2f}  p95 {one.p95:,.2f}  p99 {one.p99:,.2f} {unit}  ({one.runs} runs)"


def _governance(result: GovernanceResult) -> Iterator[str]:
    yield f"invented samples of seed {result.seed}; {_settings(result)}"
    for name, rates in result.subjects.items():
        yield name
        yield from map(_rate, rates)
    for name, why in result.left_out.items():
        yield f"{name} was not checked: {why}"
    yield _machine(result.machine)


def _injection(result: InjectionResult) -> Iterator[str]:
    for title, shares in (("attacks caught", result.attacks), ("harmless texts caught", result.harmless)):
        if shares:
            yield f"{title:<44}{'n':>7}{'all':>9}{'held n':>9}{'held':>9}"
            yield from (_caught(name, one) for name, one in shares.items())
    yield _machine(result.machine)


def _caught(name: str, one: CaughtShare) -> str:
    held = f"{one.caught_held / one.n_held:.1%}" if one.n_held else "-"
    return f"  {name:<42}{one.n:>7,}{one.caught / one.n:>9.1%}{one.n_held:>9,}{held:>9}"


def _rate(one: Rate) -> str:
    if one.rate is None:
        return f"  {one.what:<{NAME_WIDTH}}{one.note}"
    missed = "" if one.rate == one.ideal else f" (ideal: {one.ideal:.0%})"
    return f"  {one.what:<{NAME_WIDTH}}{one.rate:>7.1%}  {one.count} of {one.n} {one.note}{missed}"


def _pack(result: PackResult) -> Iterator[str]:
    yield f"{result.set}: {result.mode}, through {result.through}"
    yield f"  embedded by {result.embedding_space or 'nothing'}; {_settings(result)}"
    yield f"  store {result.store_digest}"
    yield _row("", ("n", "any", "all", "share", "tokens", "over", "answered", "words", "all words"))
    for one in result.budgets:
        for name, found in (
            ("pack", one.pack),
            ("dump", one.dump),
            ("words dump", one.words),
            ("plain dump", one.plain),
        ):
            yield _evidence(f"{one.budget:,} tokens, {name}", found)
    yield _machine(result.machine)


def _evidence(name: str, one: Evidence) -> str:
    shares = tuple(f"{share:.3f}" for share in (one.any, one.all, one.share))
    words = tuple(f"{share:.3f}" for share in (one.words, one.all_words)) if one.answered else ("–", "–")
    return _row(name, (str(one.n), *shares, f"{one.tokens:.0f}", str(one.over_budget), str(one.answered), *words))


def _precision(result: PrecisionResult) -> Iterator[str]:
    yield f"{result.beliefs} beliefs, {result.mode}, relevance at least {result.min_relevance:g}; {_settings(result)}"
    yield _row("", ("n", "precision", "recall", "exact"))
    for name, one in result.groups.items():
        yield _row(name, (str(one.n), *(f"{share:.3f}" for share in (one.precision, one.recall, one.exact))))
    yield _machine(result.machine)


def _turns(result: TurnsResult) -> Iterator[str]:
    yield f"{result.stores} stores, {result.prompts} prompts, embedded by {result.embedding_space}; {_settings(result)}"
    for way, parts in result.ways.items():
        for part, families in parts.items():
            yield _row(f"{way}, {part}", ("n", "wanted", "complete", "stale", "off topic", "items", "chars"))
            for family, one in families.items():
                yield _turn_figures(f"  {family}", one)
    yield _machine(result.machine)


def _turn_figures(name: str, one: TurnFigures) -> str:
    shares = ("" if value is None else f"{value:.3f}" for value in (one.wanted, one.complete, one.stale, one.off_topic))
    return _row(name, (str(one.n), *shares, f"{one.items:.1f}", f"{one.characters:.0f}"))


def _attention(result: AttentionResult) -> Iterator[str]:
    yield f"{result.stores} stores, {result.requests} steps, embedded by {result.embedding_space}; {_settings(result)}"
    for way, halves in result.ways.items():
        for half, languages in halves.items():
            yield _row(f"{way}, {half}", ("n", "wanted", "complete", "important", "unwanted", "nothing", "rules"))
            for language, one in languages.items():
                yield _attention_figures(f"  {language}", one)
    yield _machine(result.machine)


def _attention_figures(name: str, one: AttentionFigures) -> str:
    means = (one.wanted, one.complete, one.important, one.unwanted, one.nothing, one.every_step)
    return _row(name, (str(one.n), *("" if value is None else f"{value:.3f}" for value in means)))


def _routes(result: RoutesResult) -> Iterator[str]:
    yield f"{result.questions} questions, embedded by {result.embedding_space}; {_settings(result)}"
    for way, halves in result.ways.items():
        for half, rules in halves.items():
            yield _row(f"{way}, {half}", ("n", "right", "first", "status"))
            for rule, one in rules.items():
                yield _row(f"  {rule}", tuple(map(str, (one.n, one.right, one.first, one.status))))
    yield f"right without the model, wrong with it: {', '.join(f'{half} {n}' for half, n in result.worse.items())}"
    yield _machine(result.machine)


def _why(result: WhyResult) -> Iterator[str]:
    yield f"{result.questions} questions, embedded by {result.embedding_space}; {_settings(result)}"
    for part, all_answers in result.parts.items():
        yield _row(part, ("n", "answered", "decision", "right", "stale", "shown", "others", "invented"))
        yield _row("  all answers", tuple(map(str, astuple(all_answers))))
        for least, one in result.by_likelihood[part].items():
            yield _row(f"  likelihood from {least}", tuple(map(str, astuple(one))))
        for fault, count in result.faults[part].items():
            yield _row(f"  {fault}", (str(count),))
    yield _machine(result.machine)


def _secrets(result: SecretsResult) -> Iterator[str]:
    if result.classes:
        yield _row("", ("secrets", "masked", "recall", "harmless", "flagged"))
    for name, one in result.classes.items():
        yield _family(name, one)
    for text in result.classes.get("all", Family()).missed:
        yield f"  missed: {text[:160]!r}"
    if result.hostile:
        yield _row("hostile text", ("s per MB",))
    for name, seconds in result.hostile.items():
        yield _row(f"  {name}", (f"{seconds:.2f}",))
    yield _machine(result.machine)


def _family(name: str, one: Family) -> str:
    recall = f"{one.found / one.secrets:.3f}" if one.secrets else "–"
    return _row(name, (str(one.secrets), str(one.found), recall, str(one.clean), str(one.flagged)))


def _settings(result: Configured) -> str:
    changed = ", ".join(f"{key} = {value}" for key, value in result.settings.items())
    return f"settings: {changed}" if changed else "default settings"


def _figures(name: str, one: Figures) -> str:
    return _row(name, (str(one.n), *(f"{one.metrics[column]:.3f}" for column in RETRIEVAL_COLUMNS)))


def _row(name: str, cells: tuple[str, ...]) -> str:
    return f"{name:<{NAME_WIDTH}}" + "".join(f"{cell:>10}" for cell in cells)


def _machine(machine: Machine) -> str:
    return f"{machine.cpu}, {machine.cores} cores, {machine.memory_gb:g} GB, load {machine.load:g}, {machine.date[:10]}"


def _upkeep(result: UpkeepResult) -> Iterator[str]:
    yield f"{result.memories:,} memories, another process stores one every 50 ms; {_settings(result)}"
    yield _row("", ("seconds", "reports", "stores", "longest wait", "errors"))
    for one in result.steps:
        figures = (
            f"{one.seconds:.1f}",
            str(one.reports),
            str(one.stores),
            f"{one.longest_wait:.2f} s",
            str(one.errors),
        )
        yield _row(one.name, figures)
    yield f"docs ingest of {result.files:,} files: estimated after a tenth at {result.estimate:.0%} of what it took"
    if result.slow:
        yield f"another process waited longer than a second during: {', '.join(result.slow)}"
    if result.silent:
        yield f"without progress: {', '.join(result.silent)}"
    yield _machine(result.machine)


_TABLES: dict[type, Callable[[Any], Iterator[str]]] = {
    RetrievalResult: _retrieval,
    PackResult: _pack,
    TurnsResult: _turns,
    AttentionResult: _attention,
    RoutesResult: _routes,
    WhyResult: _why,
    PrecisionResult: _precision,
    SpeedResult: _speed,
    ClientsResult: _clients,
    TeamResult: _team,
    ShardsResult: _shards,
    GovernanceResult: _governance,
    SecretsResult: _secrets,
    InjectionResult: _injection,
    UpkeepResult: _upkeep,
}
