"""What a person sees: the one module that prints."""

import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from satchel.domain.answers import (
    CheckUp,
    Exported,
    Forgotten,
    Found,
    Imported,
    IndexReport,
    Listed,
    ModelStatus,
    Recalled,
    Stats,
    Stored,
)
from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.domain.moment import iso
from satchel.domain.ranking import Hit
from satchel.domain.record import Memory
from satchel.interfaces.demo import Demo
from satchel.interfaces.encode import encoded, envelope
from satchel.ports import ChainState, KeptReceipt

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "bad": ("✗", "red")}
Lines = Iterator[tuple[str, str]]
"""Lines to print, each with its style."""


class Screen:
    """Standard output for answers, standard error for everything said on the way."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._bar: Bar | None = None
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character gets its escape, never an exception.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")

    def show(self, answer: Ok[Any], *, explain: bool) -> None:
        """Print an answer; beside standard output where that holds the memories themselves."""
        aside = isinstance(answer.result, Exported) and answer.result.path == "-"
        if self._as_json:
            print(json.dumps(envelope(answer), ensure_ascii=False), file=sys.stderr if aside else sys.stdout)
            return
        for warning in answer.receipt.warnings:
            self._say(f"⚠️  {warning}", "yellow", error=True)
        if waiting := answer.receipt.considered.get("embeddings_waiting"):
            self._say(f"{waiting} memories wait for a vector: 'satchel index build' makes them all", "dim", error=True)
        for line, style in _lines(answer, explain):
            self._say(line, style, error=aside)
        if answer.receipt.kept and explain:
            self._say(f"receipt {answer.receipt.digest}", "dim")

    def show_failure(self, failure: Failed) -> None:
        """Print an error: one line, or the envelope."""
        if self._as_json:
            print(json.dumps(envelope(failure), ensure_ascii=False))
            return
        hint = f" ({failure.hint})" if failure.hint else ""
        self._say(f"satchel: {failure.message}{hint}", "red", error=True)

    def show_note(self, text: str) -> None:
        """Print something worth knowing while work goes on."""
        if not self._as_json:
            self._say(text, "", error=True)

    def tell(self, text: str) -> None:
        """Print a part of the answer before the rest of it is known."""
        if not self._as_json:
            self._say(text, "")

    def show_progress(self, done: int, total: int, what: str) -> None:
        """Move the progress bar, on a terminal."""
        if self._as_json or not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = _start_bar()
        task = next((task for task in self._bar.tasks if task.description == what), None)
        task_id = self._bar.add_task(what, total=total) if task is None else task.id
        self._bar.update(task_id, completed=done, total=total)

    def end_progress(self) -> None:
        """Take the progress bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _say(self, text: str, style: str, *, error: bool = False) -> None:
        stream = sys.stderr if error else sys.stdout
        if not stream.isatty():
            print(text, file=stream)
            return
        from rich.console import Console

        Console(file=stream, highlight=False, soft_wrap=True).print(
            text, style=style or None, markup=False, emoji=False
        )


def _start_bar() -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar


def _lines(answer: Ok[Any], explain: bool) -> Lines:
    result = answer.result
    if isinstance(result, Recalled):
        yield from _recalled(result, explain)
    elif isinstance(result, tuple):
        yield from _receipt_list(result)
    else:
        shown = _SHOWN.get(type(result))
        yield from shown(result) if shown else _plain(result)


def _stored(result: Stored) -> Lines:
    yield f"stored {result.id}", "green"
    yield f"  {result.kind} · {result.label} · {result.trust} · scope {result.scope}", "dim"
    if result.replaced:
        yield f"  retired {result.replaced}", "dim"


def _recalled(result: Recalled, explain: bool) -> Lines:
    if not result.hits:
        yield f"nothing found in scope {result.scope}", "dim"
    for hit in result.hits:
        yield f"{hit.rank:>2}. {_one_line(hit.memory.text)}", "bold"
        yield f"    {_standing(hit.memory)} · score {hit.score:.4f}", "dim"
        yield f"    {hit.memory.id}", "dim"
        if explain:
            yield from _contributions(hit)
    if explain:
        for out in result.held_out:
            yield f"held out by the rule '{out.rule}': {out.id}", "yellow"


def _contributions(hit: Hit) -> Lines:
    for part in hit.contributions:
        yield f"      + {part.value:.4f}  {part.lane} rank {part.rank} (its own score {part.lane_score:.4g})", "cyan"


def _found(result: Found) -> Lines:
    yield result.memory.text, "bold"
    yield _standing(result.memory), "dim"
    for name, value in dict(encoded(result.memory)).items():  # type: ignore[arg-type]
        if name != "text" and value not in (None, [], ""):
            yield f"  {name}: {_shown(name, value)}", ""
    for event in result.history:
        reason = f": {event.reason}" if event.reason else ""
        yield f"  {iso(event.at)}  #{event.seq} {event.operation} by {event.actor}{reason}", "dim"


def _shown(name: str, value: Json) -> str:
    if isinstance(value, int) and name in ("created_at", "updated_at", "valid_from", "valid_to"):
        return iso(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _listed(result: Listed) -> Lines:
    for memory in result.memories:
        yield f"{memory.id}  {_one_line(memory.text, 80)}", ""
        yield f"  {_standing(memory)}", "dim"
    if not result.memories:
        yield "no memories", "dim"
    if result.next:
        yield f"more: --after {result.next}", "dim"


def _forgotten(result: Forgotten) -> Lines:
    if result.action == "candidates":
        for one in result.candidates:
            yield f"{one.id}  {_one_line(one.text, 80)}", ""
        yield (
            "nothing was erased; 'satchel forget ID' erases one of them" if result.candidates else "no candidates",
            "dim",
        )
        return
    yield f"forgotten {result.id}", "green"
    yield f"  erased from: {', '.join(result.erased_from)}", "dim"
    if result.pending:
        yield f"  still to be cleared, another process holds it: {', '.join(result.pending)}", "red"
    if check := result.check:
        searched = f"{check.fragments} pieces of the text in {check.files} files ({check.bytes:,} bytes)"
        if not check.conclusive:
            yield f"  not proven: {check.note}", "yellow"
        elif check.found_after:
            yield f"  FOUND AGAIN in {', '.join(check.found_after)}: searched {searched}", "red"
        else:
            yield f"  proven: searched {searched}; found in {check.found_before} before, in none now", "green"


def _exported(result: Exported) -> Lines:
    where = "standard output" if result.path == "-" else result.path
    yield f"wrote {result.count} of {result.matched} memories to {where} ({result.bytes:,} bytes)", "green"
    if result.redacted is None:
        yield "  secrets were not masked: keep the file to yourself", "yellow"
    elif result.redacted:
        kinds = ", ".join(f"{kind} {count}" for kind, count in result.redacted.items())
        yield f"  masked {sum(result.redacted.values())} secrets: {kinds}", "yellow"


def _imported(result: Imported) -> Lines:
    done = "would be imported; nothing was written" if result.dry_run else "imported"
    yield f"{result.imported} of {result.parsed} memories {done}", "green" if not result.failed else "yellow"
    if result.skipped:
        by = ", ".join(f"{count} by {sign}" for sign, count in result.skipped_by.items())
        yield f"  {result.skipped} were there already: {by}", "dim"
    if result.renamed:
        yield f"  {result.renamed} got another id, since theirs was taken", "dim"
    if result.trust_lowered:
        yield f"  {result.trust_lowered} claimed more trust than a file can give", "dim"
    if result.unknown_fields:
        yield f"  {result.unknown_fields} unknown fields were left out", "dim"
    place = "row" if result.format == "json" else "line"
    for failure in result.failures:
        yield f"  {place} {failure.index}: {failure.reason}", "red"
    if result.failures_unlisted:
        yield f"  and {result.failures_unlisted} more", "red"


def _stats(result: Stats) -> Lines:
    tally = result.tally
    yield (
        f"{tally.memories} {'memory' if tally.memories == 1 else 'memories'} in {'all scopes' if result.scope == '*' else f'scope {result.scope}'}",
        "bold",
    )
    parts = {
        "scope": tally.by_scope,
        "kind": tally.by_kind,
        "importance": tally.by_label,
        "trust": tally.by_trust,
        "state": tally.by_state,
    }
    for name, counts in parts.items():
        if counts:
            yield f"  {name}: {', '.join(f'{key} {count}' for key, count in counts.items())}", ""
    if tally.oldest is not None and tally.newest is not None:
        yield f"  from {iso(tally.oldest)} to {iso(tally.newest)}, {tally.text_chars:,} characters", ""
    space = result.embedding_space or "none yet"
    yield f"  embeddings: {space}, {result.embeddings_waiting} waiting, {result.embeddings_skipped} skipped", ""
    yield f"  files in {result.folder}", "dim"


def _check_up(result: CheckUp) -> Lines:
    for finding in result.findings:
        mark, style = MARKS[finding.status]
        yield f"{mark} {finding.check}: {finding.message}", style
        if finding.fix:
            yield f"    {finding.fix}", "dim"
    yield ("the store is sound", "bold green") if result.healthy else ("the store needs mending", "bold red")


def _chain(result: ChainState) -> Lines:
    if result.broken_at is None:
        yield f"all {result.receipts} receipts are whole and in order", "green"
    else:
        yield f"receipt {result.broken_at} does not fit: {result.problem}", "red"


def _receipt_list(receipts: tuple[KeptReceipt, ...]) -> Lines:
    for one in receipts:
        warnings = one.body.get("warnings")
        marked = "  ⚠️" if warnings else ""
        yield f"{iso(one.at)}  {one.digest[:19]}  {one.operation}  {one.duration_ms:.1f} ms{marked}", ""
    if not receipts:
        yield "no receipts yet", "dim"


def _receipt(result: KeptReceipt) -> Lines:
    yield f"{result.digest}", "bold"
    yield f"{iso(result.at)} · {result.operation} · {result.duration_ms:.1f} ms", "dim"
    yield json.dumps(encoded(dict(result.body)), ensure_ascii=False, indent=2), ""


def _model(result: ModelStatus) -> Lines:
    if result.installed:
        yield f"{result.name} is installed and sound: {result.bytes:,} bytes in {result.folder}", "green"
    else:
        yield f"{result.name}: {result.problem}", "red"
        yield "  satchel model install", "dim"


def _index(result: IndexReport) -> Lines:
    if result.problem:
        yield result.problem, "red"
        yield "  satchel index rebuild", "dim"
        return
    if not result.exists:
        yield "there is no index yet; the first recall by meaning, or 'satchel index build', makes it", ""
    else:
        yield f"{result.rows} rows, {result.rows_with_vectors} of them with a vector ({result.space})", "bold"
        yield f"  searched by {result.vector_index}; {result.fragments} fragments, {result.bytes:,} bytes", ""
        behind = f"{result.behind} changes behind the ledger" if result.behind else "up to date with the ledger"
        yield f"  {behind}; {result.unindexed_rows} rows not in the text index yet", ""
    yield f"  {result.embeddings_waiting} texts wait for a vector, {result.embeddings_skipped} got none", ""


def _demo(result: Demo) -> Lines:
    yield ("the demo did what it promised", "bold green") if result.passed else ("the demo failed", "bold red")
    yield f"its files are in {result.folder}; remove the folder when you have seen enough", "dim"


def _plain(result: Any) -> Lines:
    for name, value in dict(encoded(result)).items():  # type: ignore[arg-type]
        yield f"{name.replace('_', ' ')}: {value}", ""


_SHOWN: dict[type, Callable[[Any], Lines]] = {
    Stored: _stored,
    Found: _found,
    Listed: _listed,
    Forgotten: _forgotten,
    Exported: _exported,
    Imported: _imported,
    Stats: _stats,
    CheckUp: _check_up,
    ChainState: _chain,
    KeptReceipt: _receipt,
    ModelStatus: _model,
    IndexReport: _index,
    Demo: _demo,
}


def _standing(memory: Memory) -> str:
    state = "" if memory.state == "active" else f" · {memory.state}"
    return f"{memory.kind} · {memory.label} · {memory.trust}{state} · {memory.scope} · {iso(memory.created_at)[:10]}"


def _one_line(text: str, width: int = 200) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
