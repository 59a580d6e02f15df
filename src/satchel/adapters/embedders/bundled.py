"""The model that is part of Satchel: satchel-encoder-2, in the package itself."""

from functools import cache
from pathlib import Path

from satchel.adapters.embedders import model_files
from satchel.adapters.embedders.model_files import NETWORK_FILES
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.domain.embedding import BUNDLED_MODEL, ModelStatus

FOLDER = Path(__file__).parents[2] / "models" / BUNDLED_MODEL
# Its files come with the package, so only the package can bring them back.
REINSTALL_HINT = "reinstall Satchel: pip install --force-reinstall --no-deps satchel-memory"


@cache
def bundled_encoder(threads: int | None = None) -> OnnxEncoder:
    """Return the bundled encoder, loaded when first used: one for all stores of a process, since it keeps nothing of a text."""
    return OnnxEncoder(BUNDLED_MODEL, FOLDER, REINSTALL_HINT, threads)


def status() -> ModelStatus:
    """Check every byte of the bundled model."""
    return model_files.status(BUNDLED_MODEL, FOLDER)


def network_status(name: str) -> ModelStatus:
    """Check every byte of a network that comes with the bundled model."""
    return model_files.status(name, FOLDER.with_name(name), NETWORK_FILES)
