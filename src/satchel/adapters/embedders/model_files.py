"""The files of a local model, and their check against the manifest beside them."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satchel.domain.embedding import NOT_INSTALLED, ModelStatus

MANIFEST_FILE = "manifest.json"
GRAPH_FILE = "model.onnx"
TENSORS_FILE = "model.onnx.data"
TOKENIZER_FILE = "tokenizer.json"
CHINESE_FILE = "chinese.txt"
"""The Chinese words that a model has vectors for; not every model has the file."""
MODEL_FILES = (GRAPH_FILE, TENSORS_FILE, TOKENIZER_FILE)


def status(name: str, folder: Path) -> ModelStatus:
    """Check every byte of a model against its manifest."""
    try:
        problem = damage(name, folder) if folder.exists() else NOT_INSTALLED
        size = sum((folder / file).stat().st_size for file in _present(folder)) if not problem else 0
    except OSError as error:
        problem, size = _unreadable(error), 0
    return ModelStatus(not problem, name, str(folder), size, problem)


def damage(name: str, folder: Path, files: Sequence[str] = MODEL_FILES) -> str:
    """Return how a model differs from its manifest, which must name these files; empty if it does not."""
    try:
        return _problem(name, folder, files)
    except OSError as error:
        return _unreadable(error)


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror}"


def write_manifest(name: str, folder: Path, files: Sequence[str] | None = None, **origin: str) -> None:
    """Write the hashes of a model's files, and where it comes from."""
    hashes = {
        file: {"sha256": _sha256(folder / file), "bytes": (folder / file).stat().st_size}
        for file in files or _present(folder)
    }
    manifest: dict[str, Any] = {"model": name, **origin, "files": hashes}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _present(folder: Path) -> tuple[str, ...]:
    return (*MODEL_FILES, CHINESE_FILE) if (folder / CHINESE_FILE).exists() else MODEL_FILES


def _problem(name: str, folder: Path, files: Sequence[str]) -> str:
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_bytes())
        # What the manifest names, and the files that the model must have.
        hashes = {file: manifest["files"][file]["sha256"] for file in {*files, *manifest["files"]}}
    except FileNotFoundError:
        return f"{MANIFEST_FILE} is missing"
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"{MANIFEST_FILE} is damaged"
    if manifest.get("model") != name:
        return "the folder has another model"
    for file, expected in hashes.items():
        if not (folder / file).is_file():
            return f"{file} is missing"
        if _sha256(folder / file) != expected:
            return f"{file} is damaged"
    return ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
