"""The adapters of a store on this machine: each is named and opened here, and nowhere else.

What only some commands need is imported when they ask for it: a store must not wait for an embedder.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.adapters.clock import SystemClock
from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.hook_files import clear_failures, read_failures
from satchel.adapters.project import project_scope
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.adapters.sqlite.lost_ledger import check_not_lost
from satchel.core.parts import ExportKey, Parts
from satchel.domain.embedding import ModelStatus, Space, move_target
from satchel.domain.scope import in_project
from satchel.errors import ReadOnlyMode, SatchelError, Unavailable
from satchel.wiring.store_path import ledger_path

if TYPE_CHECKING:
    from satchel.adapters.sql.sql_ledger import SqlLedger
    from satchel.config import Settings
    from satchel.domain.access import AccessToken
    from satchel.domain.policies import PreflightPolicy, RerankPolicy, ScopePolicy
    from satchel.domain.server import RunningServer
    from satchel.ports import (
        AccessStore,
        DiscussionReader,
        Embedder,
        Exchange,
        Files,
        ForeignTable,
        ImportSources,
        Index,
        Ledger,
        PassageIndex,
        Preflight,
        PromptJudge,
        Reranker,
        Transcripts,
        Tree,
    )
    from satchel.ports.backend import RouterPorts
    from satchel.ports.backup import BackupMaker
    from satchel.ports.reading import Reading, ReadUnread, UnreadDiscussion


def random_id() -> str:
    """Return a new random id."""
    return str(uuid.uuid4())


def open_parts(
    settings: Settings,
    *,
    actor: str,
    pipes: bool,
    new_id: Callable[[], str],
    embedder: Embedder | None,
    folder: str | None,
) -> Parts:
    """Open the ledger in the settings' folder, creating it if there is none, and prepare every other part.

    `folder` is where the caller works, for the scope `auto`.
    """
    path, ledger = ledger_path(settings), _ledger(settings)
    # A ledger among other people's files owns only the files that carry its name.
    store, name = path.parent, path.name if settings.has_own_file else ""
    index = store / (f"{name}-index" if name else "index")
    embedders = (lambda _: embedder) if embedder else _embedders(settings, ledger.vectors.space)
    return Parts(
        ledger=ledger,
        index=cache(lambda: _index(ledger, index, settings)),
        tree=cache(lambda: _tree(store)),
        passage_index=cache(lambda: _passage_index(ledger, index, settings)),
        reader=cache(_reader),
        judge=cache(_judge),
        embedder=embedders,
        move_to=lambda: None if embedder else move_target(settings.embedding.provider, ledger.vectors.space()),
        check_models=lambda: () if embedder else _check_models(settings, ledger.vectors.space()),
        server=lambda: _server(store),
        hook_failures=lambda: read_failures(str(settings.evidence_folder)),
        export_key=_export_key(store, name, settings),
        tokens=lambda: _tokens(settings),
        backups=_no_backups if settings.address else cache(lambda: _backups(path)),
        clear_hook_failures=lambda: clear_failures(str(settings.evidence_folder)),
        files=ledger.searched_with(
            _files(StoreFolder(store, name, linked=settings.ledger_file.is_symlink()), index, settings)
        ),
        exchange=open_exchange(settings, pipes=pipes),
        spool=SpoolFolder(settings.evidence_folder),
        clock=SystemClock(),
        new_id=new_id,
        clamp=settings.clamp,
        reranker=cache(lambda: _reranker(settings.rerank)),
        preflight=cache(lambda: _preflight(settings.weiji_memory_preflight)),
        surroundings=cache(lambda: _router(settings, partial(_read_unread, embedders))),
        sources=cache(lambda: _sources(store)),
        lossless=open_lossless,
        foreign_table=partial(_foreign_table, store),
        project_of=partial(project_scope, longest=settings.scope_policy.max_scope_length),
        policies=replace(settings.policies, scope=_scope_policy(settings, folder, ledger)),
        read_only=settings.read_only,
        actor=actor,
    )


def _ledger(settings: Settings) -> SqlLedger:
    if settings.address:
        from satchel.wiring.postgres import open_ledger

        return open_ledger(settings)
    path = ledger_path(settings)
    check_not_lost(path)
    if settings.read_only and not path.exists():
        raise ReadOnlyMode(f"no store in {path.parent}, and read_only is set, so none is created")
    return SqliteLedger(path, read_only=settings.read_only)


def _scope_policy(settings: Settings, folder: str | None, ledger: Ledger) -> ScopePolicy:
    policy = scope_policy_in(settings.scope_policy, folder)
    return replace(policy, existing_scopes=ledger.memories.scopes)


def scope_policy_in(policy: ScopePolicy, folder: str | None) -> ScopePolicy:
    """Return the scope policy for a caller who works in a folder; None if that is unknown."""
    return in_project(policy, None if folder is None else project_scope(folder, policy.max_scope_length))


def open_access(settings: Settings) -> AccessStore:
    """Return the users and tokens of a store, which itself need not be opened for it."""
    if settings.address:
        from satchel.wiring.postgres import database_access

        return database_access(settings.address)
    from satchel.adapters.access_file import AccessFile

    return AccessFile(ledger_path(settings).parent)


def open_exchange(settings: Settings, *, pipes: bool) -> Exchange:
    """Return the files of imports and exports. The store need not be open."""
    return ExchangeFiles(ledger_path(settings).parent, pipes=pipes)


def open_lossless(path: str) -> Transcripts:
    """Return another program's conversations, to read them."""
    from satchel.adapters.sqlite import lossless

    return lossless.open_lossless(Path(os.path.expanduser(path)))  # noqa: PTH111  leaves an unknown ~name as it is, where pathlib raises


# Loaded when first needed


def _no_backups() -> BackupMaker:
    raise Unavailable(
        "a store in a database has no files to back up",
        code="no_folders",
        hint="use pg_dump, or copy the store with 'satchel move'",
    )


def _index(ledger: SqlLedger, folder: Path, settings: Settings) -> Index:
    if settings.address:
        from satchel.wiring.postgres import ledger_index

        return ledger_index(ledger)
    from satchel.wiring.index import grow_index

    return grow_index(ledger, folder, settings)


def _files(files: StoreFolder, index: Path, settings: Settings) -> Files:
    if not settings.index:
        return files
    from satchel.wiring.index import files_with_bucket

    return files_with_bucket(files, index, settings)


def _reader() -> DiscussionReader:
    from satchel.adapters.reader.reader import NetworkReader

    return NetworkReader()


def _judge() -> PromptJudge:
    from satchel.adapters.reader.judge import NetworkJudge

    return NetworkJudge()


def _passage_index(ledger: Ledger, folder: Path, settings: Settings) -> PassageIndex:
    if settings.address:
        from satchel.wiring.postgres import ledger_passage_index

        return ledger_passage_index(ledger)
    from satchel.wiring.index import grow_passage_index

    return grow_passage_index(ledger, folder, settings)


def _server(store: Path) -> RunningServer | None:
    from satchel.adapters.server_files import ServerFiles

    return ServerFiles(store).running()


def _tokens(settings: Settings) -> Sequence[AccessToken]:
    try:
        return open_access(settings).read().tokens
    except SatchelError:
        return ()


def _export_key(store: Path, name: str, settings: Settings) -> ExportKey:
    def key(*, create: bool) -> bytes | None:
        from satchel.adapters.export_key import ExportKeyFile

        file = store / (f"{name}-export-key" if name else "export-key")
        return ExportKeyFile(file, read_only=settings.read_only)(create=create)

    return key


def _backups(ledger: Path) -> BackupMaker:
    from satchel.wiring.backup import StoreBackups

    return StoreBackups(ledger, ExchangeFiles(ledger.parent, pipes=False))


def _tree(store: Path) -> Tree:
    """Return the folders that documents are read from, without the store's own."""
    from satchel.adapters.tree import DocumentTree
    from satchel.domain.code.kinds import kind_of

    return DocumentTree(store, lambda path: kind_of(path) is not None)


def _sources(store: Path) -> ImportSources:
    from satchel.wiring.importing import SourceOpener

    return SourceOpener(_tree(store), store)


def _foreign_table(store: Path, folder: str, name: str) -> ForeignTable:
    from satchel.wiring.index import open_foreign_table

    return open_foreign_table(folder, name, store)


def _embedders(settings: Settings, space: Callable[[], Space | None]) -> Callable[[str | None], Embedder | None]:
    @cache
    def by_name() -> Callable[[str | None], Embedder | None]:
        from satchel.wiring.embedding import embedders

        return embedders(settings, space)

    return lambda name: by_name()(name)


def _check_models(settings: Settings, space: Space | None) -> Sequence[ModelStatus]:
    from satchel.wiring.embedding import check_models

    return check_models(settings, space)


def _reranker(policy: RerankPolicy) -> Reranker:
    from satchel.wiring.remote import make_reranker

    return make_reranker(policy)


def _preflight(policy: PreflightPolicy) -> Preflight | None:
    if not (policy.url or policy.command):
        return None
    from satchel.wiring.remote import make_preflight

    return make_preflight(policy)


def _router(settings: Settings, read: ReadUnread) -> RouterPorts:
    from satchel.wiring.router import router_ports

    return router_ports(settings, read)


def _read_unread(
    embedders: Callable[[str | None], Embedder | None], question: str, unread: Sequence[UnreadDiscussion]
) -> list[Reading]:
    from satchel.adapters.reader.unread import read_unread

    return read_unread(question, unread, lambda: embedders(None), _reader())
