"""The store as a whole, as a person sees it."""

import json
from collections.abc import Callable

from satchel.domain.moment import iso
from satchel.indexing.values import IndexReport
from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.encode import encoded
from satchel.maintenance.values import CheckUp, Stats
from satchel.ports import ChainState, StoredReceipt

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "bad": ("✗", "red")}


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


def _receipts(receipts: tuple[StoredReceipt, ...]) -> Lines:
    """Yield receipts, one to a line."""
    for one in receipts:
        warnings = one.body.get("warnings")
        marked = "  ⚠️" if warnings else ""
        yield f"{iso(one.at)}  {one.digest[:19]}  {one.operation}  {one.duration_ms:.1f} ms{marked}", ""
    if not receipts:
        yield "no receipts yet", "dim"


def _receipt(result: StoredReceipt) -> Lines:
    yield f"{result.digest}", "bold"
    yield f"{iso(result.at)} · {result.operation} · {result.duration_ms:.1f} ms", "dim"
    yield json.dumps(encoded(dict(result.body)), ensure_ascii=False, indent=2), ""


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
    if (passages := result.passages) is not None and (passages.exists or passages.embeddings_waiting):
        behind = f"{passages.behind} changes behind" if passages.behind else "up to date"
        yield f"evidence: {passages.rows} rows, searched by {passages.vector_index}, {behind}", "bold"
        yield f"  {passages.embeddings_waiting} texts wait for a vector, {passages.embeddings_skipped} got none", ""
        if passages.problem:
            yield f"  {passages.problem}", "red"


VIEWS: dict[str, Callable[..., Lines]] = {
    "stats": _stats,
    "doctor": _check_up,
    "index": _index,
    "receipts list": _receipts,
    "receipts show": _receipt,
    "receipts verify": _chain,
}
