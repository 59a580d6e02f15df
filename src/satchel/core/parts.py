"""The parts of a store: every port a feature can ask for, and the operator's policies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.policies import Policies
from satchel.errors import Unavailable

if TYPE_CHECKING:
    from satchel.domain.access import AccessToken
    from satchel.domain.answers import HealthFinding
    from satchel.domain.embedding import Clamp, ModelStatus
    from satchel.domain.hook_failures import HookFailures
    from satchel.domain.observation import Grader
    from satchel.domain.server import RunningServer
    from satchel.ports import (
        Clock,
        DiscussionReader,
        Embedder,
        Exchange,
        Files,
        ForeignTable,
        ImportSources,
        Index,
        Ledger,
        Observer,
        PassageIndex,
        Preflight,
        PromptJudge,
        Reranker,
        Spool,
        Transcripts,
        Tree,
    )
    from satchel.ports.backend import RouterPorts
    from satchel.ports.backup import BackupMaker


def _no_passage_index() -> PassageIndex:
    raise Unavailable("there is no passage index", code="index_unusable", hint="run 'satchel doctor'")


def _no_backups() -> BackupMaker:
    raise Unavailable("this store has no files to back up", code="no_folders")


def _no_tree() -> Tree:
    raise Unavailable("this store has no access to document folders", code="no_folders")


def _no_sources() -> ImportSources:
    raise Unavailable("this store cannot read files to import", code="no_folders")


def _no_lossless(path: str) -> Transcripts:
    raise Unavailable("this store cannot read other conversation databases")


def _no_foreign_table(folder: str, name: str) -> ForeignTable:
    raise Unavailable("this store has no access to tables of other programs")


def _no_surroundings() -> RouterPorts:
    raise Unavailable("this store was opened without a router")


class ExportKey(Protocol):
    """Returns the key by which a store recognises its own exports, made if wanted; None if there is none."""

    def __call__(self, *, create: bool) -> bytes | None: ...


def _no_key(*, create: bool) -> bytes | None:
    return None


class Parts(Struct, frozen=True):
    """What a store is made of. The index, the embedder and other costly parts are callables, made when first needed."""

    ledger: Ledger
    index: Callable[[], Index]
    embedder: Callable[[str | None], Embedder | None]
    files: Files
    exchange: Exchange
    spool: Spool
    clock: Clock
    new_id: Callable[[], str]
    reranker: Callable[[], Reranker]
    clamp: Clamp
    move_to: Callable[[], str | None] = lambda: None
    """The name of the embedder that the store should move to; None if it stays with its own."""
    check_models: Callable[[], Sequence[ModelStatus]] = tuple
    """Checks the files of the local models that serve this store: the one that embeds comes first."""
    server: Callable[[], RunningServer | None] = lambda: None
    """The process that keeps this store open for others; None if there is none."""
    hook_failures: Callable[[], HookFailures | None] = lambda: None
    """The record of failed hooks; None if none failed."""
    clear_hook_failures: Callable[[], bool] = lambda: True
    check_configuration: Callable[[], Iterable[HealthFinding]] = tuple
    """Checks the settings and the configurations of hosts; the caller that opened the store knows them."""
    export_key: ExportKey = _no_key
    tokens: Callable[[], Sequence[AccessToken]] = tuple
    """The tokens of programs; none if their file cannot be read."""
    backups: Callable[[], BackupMaker] = _no_backups
    passage_index: Callable[[], PassageIndex] = _no_passage_index
    reader: Callable[[], DiscussionReader | None] = lambda: None
    """Reads discussions for decisions; None if there is none."""
    judge: Callable[[], PromptJudge | None] = lambda: None
    """Reads prompts and memories together; None if there is none."""
    tree: Callable[[], Tree] = _no_tree
    preflight: Callable[[], Preflight | None] = lambda: None
    """An external check before a write; None means the built-in one."""
    surroundings: Callable[[], RouterPorts] = _no_surroundings
    """The router's files and external backends."""
    sources: Callable[[], ImportSources] = _no_sources
    """The files and databases of other programs, to import them."""
    lossless: Callable[[str], Transcripts] = _no_lossless
    """Opens another program's conversation database, read-only."""
    foreign_table: Callable[[str, str], ForeignTable] = _no_foreign_table
    """Opens a table of another program: the folder of its database, and its name."""
    project_of: Callable[[str], str | None] = lambda folder: None
    """Returns the scope of the project that a folder belongs to; None if it belongs to none."""
    policies: Policies = field(default_factory=Policies)
    read_only: bool = False
    """Whether the operator switched writing off."""
    actor: str = "python"
    grader: Grader | None = None
    """Grades observations; None means the built-in heuristic."""
    observer: Observer | None = None
    """Compresses observations into the log; None means the built-in one."""


def without_receipts(parts: Parts) -> Parts:
    """Return the same store for one lane of a larger answer, whose own receipt covers the lane."""
    receipts = replace(parts.policies.receipts, enabled=False)
    return replace(parts, policies=replace(parts.policies, receipts=receipts))
