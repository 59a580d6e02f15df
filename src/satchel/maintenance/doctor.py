"""Doctor: what each part of a store looks like when it is well, and when it is not."""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from satchel.domain.answers import HealthFinding
from satchel.domain.backup import MAX_AGE_DAYS
from satchel.domain.counting import count
from satchel.domain.embedding import JUDGE_MODEL, NOT_INSTALLED, READER_MODEL, ModelStatus, Space
from satchel.domain.hook_failures import HookFailures
from satchel.domain.moment import DAY_MS, iso
from satchel.domain.server import RunningServer
from satchel.errors import InvalidRequest, Unavailable
from satchel.indexing.values import MANY_FRAGMENTS, MoveProgress
from satchel.ports import ChainState, ChangeFeed, Index, IndexStatus, PassageIndex, ReceiptSize
from satchel.ports.damage import DamagedRecord, name_damaged

# Below this, receipts are not worth pruning.
LARGE_RECEIPTS = 50 << 20
INDEX = "index"
EVIDENCE_INDEX = "evidence index"
_RECORDS = {INDEX: "memories", EVIDENCE_INDEX: "parts of evidence"}
_MODEL_CHECKS = {
    READER_MODEL: ("reader model", "'conversation why' finds only decisions that are stated plainly"),
    JUDGE_MODEL: ("judge model", "'turn before' chooses memories by relevance alone"),
}
"""What a damaged network of the package is reported as, and what it costs, by its name."""


def receipts_finding(chain: ChainState) -> HealthFinding:
    """Judge the receipt chain."""
    if chain.broken_at is None:
        return HealthFinding("receipts", "ok", f"the chain of {count(chain.receipts, 'receipt')} is whole")
    return HealthFinding(
        "receipts", "bad", f"receipt {chain.broken_at}: {chain.problem}", "somebody changed the ledger by hand"
    )


def receipt_size_findings(size: ReceiptSize, now: int) -> list[HealthFinding]:
    """Report how much receipts take, once that is worth knowing."""
    if size.chars < LARGE_RECEIPTS or size.since is None:
        return []
    days = max(1, (now - size.since) // DAY_MS)
    growth = f"{size.chars >> 20} MB in {size.receipts:,} receipts, {size.chars / days / (1 << 20):.1f} MB a day"
    return [HealthFinding("receipts size", "ok", growth, "satchel receipts prune --older-than 90 removes old ones")]


def quarantine_findings(quarantined: Sequence[DamagedRecord]) -> list[HealthFinding]:
    """Report the damaged records that were mended."""
    if not quarantined:
        return []
    message = f"{len(quarantined)} restored, quarantined or removed: {name_damaged(quarantined)}"
    return [HealthFinding("damaged records", "ok", message, "satchel get ID shows one, satchel forget ID erases it")]


def server_findings(server: RunningServer | None) -> list[HealthFinding]:
    """Report the server that keeps the store open, if one does."""
    if server is None:
        return []
    if server.pid is None or server.since is None:
        return [HealthFinding("server", "ok", "one is starting")]
    message = f"process {server.pid}, version {server.version}, since {iso(server.since)}"
    if server.idle_end is None:
        return [HealthFinding("server", "ok", message)]
    end = f"{message}; started on demand, ends at {iso(server.idle_end)} if nobody uses it until then"
    return [
        HealthFinding("server", "ok", end, "satchel config set serve.on_demand false keeps hooks from starting one")
    ]


def hook_findings(failures: HookFailures | None, *, cleared: bool) -> list[HealthFinding]:
    """Report the hooks that failed. A host goes on without them, so nobody else says so."""
    if failures is None:
        return []
    times = f"{failures.times} failed since {iso(failures.since)}"
    if cleared:
        return [HealthFinding("hooks", "ok", f"{times}; the record was cleared")]
    message = f"{times}, last: {failures.event} of {failures.host}: {failures.reason}"
    return [HealthFinding("hooks", "warning", message, "satchel doctor --fix clears this record")]


def backup_finding(last: int | None, now: int) -> HealthFinding:
    """Report how old the last backup is."""
    if last is None:
        return HealthFinding("backup", "ok", "none was made yet", "satchel backup FILE makes one")
    days = max(0, now - last) // DAY_MS
    message = f"the last one was made at {iso(last)}, {count(days, 'day')} ago"
    if days <= MAX_AGE_DAYS:
        return HealthFinding("backup", "ok", message)
    return HealthFinding(
        "backup", "warning", message, "satchel backup FILE makes one; --every prints lines for a timer"
    )


def server_backup_finding() -> HealthFinding:
    """Say how a store in a database is backed up."""
    hint = "pg_dump of the store's schema makes one, or move a copy into a file"
    return HealthFinding("backup", "ok", "backups are made on the database server", hint)


def erasure_finding(unscrubbed: int) -> HealthFinding:
    """Judge whether everything forgotten has left the files."""
    if not unscrubbed:
        return HealthFinding("forgotten memories", "ok", "no trace of them is left in the ledger's files")
    message = f"the ledger's files may still hold traces of {unscrubbed}: another process kept them open"
    return HealthFinding("forgotten memories", "bad", message, "close other programs, then run satchel doctor --fix")


def embeddings_finding(
    waiting: int, skipped: int, try_embedder: Callable[[], object], space: Space | None = None
) -> HealthFinding:
    """Check the vectors, which are of a space, and the embedder."""
    of_model = f" of {space.name}" if space else ""
    try:
        try_embedder()
    except (Unavailable, InvalidRequest) as error:
        return HealthFinding("embeddings", "warning", f"{error.message}; recall works by words only", error.hint)
    if skipped:
        return HealthFinding(
            "embeddings", "warning", f"{count(skipped, 'text')} got no vector", "satchel index build tries them again"
        )
    if waiting:
        return HealthFinding(
            "embeddings",
            "ok",
            f"{count(waiting, 'text')} without a vector{of_model} yet; recall finds them by words until then",
        )
    return HealthFinding("embeddings", "ok", f"every text has its vector{of_model}")


def model_findings(models: Sequence[ModelStatus]) -> list[HealthFinding]:
    """Judge the files of the local models. A missing one is left to the embedder's own finding."""
    return [_model_finding(one) for one in models if one.problem != NOT_INSTALLED]


def _model_finding(model: ModelStatus) -> HealthFinding:
    check, consequence = _MODEL_CHECKS.get(model.name, ("embedding model", "its vectors cannot be trusted"))
    if not model.problem:
        return HealthFinding(check, "ok", f"{model.name}: all {model.bytes:,} bytes are as published")
    message = f"{model.name}: {model.problem}; {consequence}"
    return HealthFinding(check, "bad", message, "satchel model status says how to get it back")


def move_findings(move: MoveProgress | None, own: Space | None) -> list[HealthFinding]:
    """Report a move to another embedding space that is due or under way."""
    if move is None or own is None:
        return []
    message = f"{move.done:,} of {move.total:,} texts have vectors of {move.space}; until all have, the vectors of {own.name} stay"
    fix = "satchel index rebuild finishes the move; a running server does too, unless embedding.move is manual"
    return [HealthFinding("embedding space", "ok", message, fix)]


def index_findings(index: Index | PassageIndex, feed: ChangeFeed, name: str = INDEX) -> list[HealthFinding]:
    """Compare an index with the ledger it is derived from."""
    status = index.status()
    try:
        finding = _index_finding(
            status, name, feed.behind(status.applied_seq), feed.fingerprints(), index.fingerprints()
        )
    except Unavailable as error:
        finding = _index_finding(replace(status, problem=error.message), name, 0, (), ())
    return [replace(finding, check=name), *_vector_index_findings(status)]


def _index_finding(
    status: IndexStatus, name: str, behind: int, ledger: Iterable[tuple[str, str]], index: Iterable[tuple[str, str]]
) -> HealthFinding:
    if status.problem:
        return HealthFinding(INDEX, "bad", status.problem, "satchel doctor --fix rebuilds it")
    if status.missing is not None:
        message = f"{status.rows:,} vectors are compared one by one in the ledger: {status.missing.message}"
        return HealthFinding(INDEX, "warning", message, status.missing.hint)
    if status.in_ledger and not status.rows:
        return HealthFinding(INDEX, "ok", f"none is needed: there are no {_RECORDS[name]} yet")
    if status.in_ledger:
        return HealthFinding(
            INDEX, "ok", f"none is needed: {status.rows} {_RECORDS[name]} are few enough to compare in the ledger"
        )
    if not status.exists:
        return HealthFinding(INDEX, "ok", "not built yet; the first recall by meaning builds it")
    if behind:
        return HealthFinding(
            INDEX, "ok", f"{count(status.rows, 'row')}, {count(behind, 'change')} behind; the next recall catches up"
        )
    if differing := _first_difference(ledger, index):
        return HealthFinding(
            INDEX, "bad", f"differs from the ledger at {differing}", "satchel doctor --fix rebuilds it"
        )
    return HealthFinding(INDEX, "ok", f"all {count(status.rows, 'row')} equal the ledger")


def _vector_index_findings(status: IndexStatus) -> list[HealthFinding]:
    findings = []
    if status.outgrown:
        message = f"{status.rows_with_vectors} vectors are searched one by one"
        findings.append(HealthFinding("vector index", "warning", message, "satchel index optimize builds one"))
    if status.small_fragments > MANY_FRAGMENTS:
        message = f"{status.small_fragments} small fragments slow recall down"
        fix = "satchel index optimize merges them; a running server does so by itself"
        findings.append(HealthFinding("index fragments", "warning", message, fix))
    return findings


def _first_difference(ledger: Iterable[tuple[str, str]], index: Iterable[tuple[str, str]]) -> str | None:
    """Walk both, ordered by id, and return the first id that is not the same in both."""
    end = ("", "")
    left, right = iter(ledger), iter(index)
    while True:
        one, other = next(left, end), next(right, end)
        if one != other:
            return min(filter(None, (one[0], other[0])))
        if one == end:
            return None
