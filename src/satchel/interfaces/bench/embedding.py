"""The embedder of a benchmark: loaded once for all its stores, and remembering what it has embedded before."""

from pathlib import Path

from satchel.config import Settings
from satchel.config.folders import folder, platform_folder
from satchel.errors import EmbeddingFailed, InvalidRequest, Unavailable
from satchel.ports import Embedder
from satchel.recall.question import Mode
from satchel.wiring.adapters import make_embedder, remembering

DEFAULT = "minilm"


def loaded_embedder(settings: Settings, mode: Mode, name: str | None, cache: str | None) -> Embedder | None:
    """Return the embedder that a mode needs; None for words alone. One that does not work is an error, not a low figure."""
    if mode is Mode.LEXICAL:
        return None
    embedder = make_embedder(name or settings.embedding.provider or DEFAULT, settings)
    if embedder is None:
        hint = "--embedder minilm, or --mode lexical"
        raise InvalidRequest(f"{mode} needs an embedder", code="no_embedder", hint=hint)
    try:
        embedder.embed(["ready?"])
    except EmbeddingFailed as error:
        raise Unavailable(f"{mode} needs an embedder: {error.message}", code=error.code, hint=error.hint) from None
    return remembering(embedder, cache_folder(cache))


def cache_folder(named: str | None) -> Path:
    """Return the folder where vectors are kept between runs."""
    return folder(named) if named else platform_folder() / "bench"
