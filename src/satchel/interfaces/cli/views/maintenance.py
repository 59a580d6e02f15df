"""Views of the store as a whole: statistics, health, index, receipts."""

import json

from satchel.domain.server import RunningServer
from satchel.indexing.values import IndexReport, PassageIndexReport
from satchel.interfaces.cli.views.lines import Lines, Views, count, scopes_named, tally
from satchel.interfaces.local_time import local_time, with_local_times
from satchel.interfaces.serialization import to_json
from satchel.maintenance.values import CheckUp, ReceiptComparison, ReceiptDifference, ReceiptsPruned, Stats
from satchel.ports import ChainState, StoredReceipt

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "bad": ("✗", "red")}


def _stats(result: Stats) -> Lines:
    counted = result.tally
    where = scopes_named(result.scope)
    yield f"{count(counted.memories, 'memory')} in {where}", "bold"
    parts = {
        "scope": counted.by_scope,
        "kind": counted.by_kind,
        "importance": counted.by_label,
        "trust": counted.by_trust,
        "state": counted.by_state,
    }
    for name, counts in parts.items():
        if counts:
            yield f"  {name}: {tally(counts)}", ""
    if counted.oldest is not None and counted.newest is not None:
        yield (
            f"  from {local_time(counted.oldest)} to {local_time(counted.newest)}, {counted.text_chars:,} characters",
            "",
        )
    space = result.embedding_space or "none yet"
    waiting, skipped = result.embeddings_waiting, result.embeddings_skipped
    yield f"  embeddings of all scopes: {space}, {waiting:,} waiting, {skipped:,} skipped", ""
    yield f"  files in {result.folder}", "dim"
    if result.server:
        yield f"  server: {_server(result.server)}", "dim"


def _server(server: RunningServer) -> str:
    if server.since is None:
        return "one is starting"
    started = f"process {server.pid}, since {local_time(server.since)}"
    return f"{started}, on demand, until {local_time(server.idle_end)} if unused" if server.idle_end else started


def _check_up(result: CheckUp) -> Lines:
    for finding in result.findings:
        mark, style = MARKS[finding.status]
        yield f"{mark} {finding.check}: {with_local_times(finding.message)}", style
        if finding.fix:
            yield f"    {finding.fix}", "dim"
    yield ("the store is healthy", "bold green") if result.healthy else ("the store needs repair", "bold red")


def _chain(result: ChainState) -> Lines:
    if result.broken_at is None:
        yield f"all receipts are intact and in order: {result.receipts}", "green"
    else:
        yield f"receipt {result.broken_at} is not intact: {result.problem}", "red"


def _pruned(result: ReceiptsPruned) -> Lines:
    done = "would remove" if result.dry_run else "removed"
    receipts = count(result.pruned, "receipt")
    yield f"{done} what {receipts} older than {result.older_than_days} days say: {result.chars:,} characters", "green"
    yield "  their digests and the chain stay: 'satchel receipts verify' checks them", "dim"


def _receipts(receipts: tuple[StoredReceipt, ...]) -> Lines:
    for one in receipts:
        warnings = one.body.get("warnings")
        marked = "  ⚠️" if warnings else ""
        actor = f"  {one.body['actor']}" if "actor" in one.body else ""
        yield f"{local_time(one.at)}  {one.digest[:19]}  {one.operation}{actor}  {one.duration_ms:.1f} ms{marked}", ""
    if not receipts:
        yield "no receipts yet", "dim"


def _receipt(result: StoredReceipt) -> Lines:
    yield f"{result.digest}", "bold"
    yield f"{local_time(result.at)} · {result.operation} · {result.duration_ms:.1f} ms", "dim"
    yield json.dumps(to_json(dict(result.body)), ensure_ascii=False, indent=2), ""


def _comparison(result: ReceiptComparison) -> Lines:
    for one in (result.first, result.second):
        yield f"{one.digest}", "bold"
        yield f"  {local_time(one.at)} · {one.operation} · {one.duration_ms:.1f} ms", "dim"
    if result.equal:
        yield "both say the same", "green"
    for difference in result.differences:
        yield f"{difference.path}: {_ends(difference)}", ""
    if result.more:
        yield f"{result.more} more", "dim"


def _ends(one: ReceiptDifference) -> str:
    first, second = (json.dumps(to_json(value), ensure_ascii=False) for value in (one.first, one.second))
    if one.only_in:
        return f"{first if one.only_in == 'first' else second}, only in the {one.only_in}"
    return f"{first} → {second}"


def _index(result: IndexReport) -> Lines:
    if result.problem:
        yield result.problem, "red"
        yield "  run 'satchel index rebuild'", "dim"
        return
    if result.in_ledger and result.index_from > result.rows:
        yield f"no index is needed: {count(result.rows, 'memory')} can be compared in the ledger", "bold"
        yield f"  one is built from {result.index_from:,} memories on (recall.index_from)", "dim"
    elif not result.exists:
        yield "no index yet: the first recall by meaning or 'satchel index build' creates it", ""
    else:
        yield f"{count(result.rows, 'row')}, {result.rows_with_vectors:,} with a vector", "bold"
        yield f"  searched by {result.vector_index}; {_size(result)}", ""
        yield f"  {_lag(result.behind)}; {count(result.unindexed_rows, 'row')} not in the text index yet", ""
    yield f"  embedding model: {result.space or 'none yet'}", ""
    if result.space_before:
        yield f"  it was {result.space_before}: every text has a new vector", "yellow"
    yield f"  {count(result.embeddings_waiting, 'text')} without a vector yet, {result.embeddings_skipped} skipped", ""
    if move := result.move:
        yield f"  {move.done:,} of {move.total:,} texts have vectors of {move.space}", ""
        yield (
            "  'satchel index rebuild' finishes the move; a running server does too, unless embedding.move is manual",
            "dim",
        )
    if (passages := result.passages) is not None and (passages.exists or passages.embeddings_waiting):
        rows = count(passages.rows, "row")
        yield f"evidence: {rows}, searched by {passages.vector_index}, {_lag(passages.behind)}", "bold"
        if not passages.in_ledger:
            yield f"  {_size(passages)}", ""
        yield (
            f"  {count(passages.embeddings_waiting, 'text')} without a vector yet, {passages.embeddings_skipped} skipped",
            "",
        )
        if passages.problem:
            yield f"  {passages.problem}", "red"
    rows = ", ".join(
        f"{one.name} {one.rows}{f' ({one.wrong} wrong)' if one.wrong else ''}" for one in result.full_texts if one.rows
    )
    if rows:
        yield f"full texts in the ledger: {rows}", "red" if any(one.wrong for one in result.full_texts) else ""
    if result.last_run_at is not None:
        yield f"last built or optimized: {local_time(result.last_run_at)}", "dim"


def _size(report: IndexReport | PassageIndexReport) -> str:
    fragments, versions = count(report.fragments, "fragment"), count(report.versions, "version")
    return f"{fragments}, {versions}, {report.bytes:,} bytes, {report.health}"


def _lag(behind: int) -> str:
    return f"{count(behind, 'change')} behind the ledger" if behind else "up to date with the ledger"


VIEWS: Views = {
    "stats": _stats,
    "doctor": _check_up,
    "check": _check_up,
    "index": _index,
    "receipts list": _receipts,
    "receipts show": _receipt,
    "receipts verify": _chain,
    "receipts compare": _comparison,
    "receipts prune": _pruned,
}
