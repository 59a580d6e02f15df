"""The files of a local model, and their check against the manifest beside them."""

import hashlib
import json
import mmap
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from satchel.domain.embedding import NOT_INSTALLED, ModelStatus

MANIFEST_FILE = "manifest.json"
GRAPH_FILE = "model.onnx"
TENSORS_FILE = "model.onnx.data"
TOKENIZER_FILE = "tokenizer.json"
SCORES_FILE = "scores.npz"
CHINESE_FILE = "chinese.txt"
"""The Chinese words that a model has vectors for; not every model has the file."""
MODEL_FILES = (GRAPH_FILE, TENSORS_FILE, TOKENIZER_FILE)
NETWORK_FILES = (GRAPH_FILE, TENSORS_FILE, SCORES_FILE)
"""The files of a network that reads texts together: it has the encoder's tokenizer and word vectors."""


def status(name: str, folder: Path, files: Sequence[str] = MODEL_FILES) -> ModelStatus:
    """Check every byte of a model against its manifest."""
    try:
        problem = damage(name, folder, files) if folder.exists() else NOT_INSTALLED
        size = sum((folder / file).stat().st_size for file in _present(folder, files)) if not problem else 0
    except OSError as error:
        problem, size = _unreadable(error), 0
    return ModelStatus(not problem, name, str(folder), size, problem)


def damage(name: str, folder: Path, files: Sequence[str] = MODEL_FILES, *, quick: bool = False) -> str:
    """Return how a model differs from its manifest, which must name these files; empty if it does not.

    A quick check reads every byte too, but compares CRC-32 instead of SHA-256: a prompt waits while a model is loaded.
    """
    try:
        return _problem(name, folder, files, quick)
    except OSError as error:
        return _unreadable(error)


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror}"


def write_manifest(name: str, folder: Path, files: Sequence[str] | None = None, **origin: str) -> None:
    """Write the hashes of a model's files, and where it comes from."""
    hashes = {
        file: {
            "sha256": _sha256(folder / file),
            "crc32": _crc32(folder / file),
            "bytes": (folder / file).stat().st_size,
        }
        for file in files or _present(folder, MODEL_FILES)
    }
    manifest: dict[str, Any] = {"model": name, **origin, "files": hashes}
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _present(folder: Path, files: Sequence[str]) -> tuple[str, ...]:
    return (*files, CHINESE_FILE) if (folder / CHINESE_FILE).exists() else tuple(files)


def _problem(name: str, folder: Path, files: Sequence[str], quick: bool) -> str:
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_bytes())
        # What the manifest names, and the files that the model must have.
        stated = {file: _Stated.of(manifest["files"][file]) for file in {*files, *manifest["files"]}}
    except FileNotFoundError:
        return f"{MANIFEST_FILE} is missing"
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"{MANIFEST_FILE} is damaged"
    if manifest.get("model") != name:
        return "the folder has another model"
    for file, expected in sorted(stated.items()):
        if not (folder / file).is_file():
            return f"{file} is missing"
        if not expected.fits(folder / file, quick):
            return f"{file} is damaged"
    return ""


class _Stated(Struct, frozen=True):
    """What a manifest states of a file."""

    sha256: str
    crc32: str | None
    """None in the manifest of a model that an earlier version installed."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "_Stated":
        return cls(entry["sha256"], entry.get("crc32"))

    def fits(self, path: Path, quick: bool) -> bool:
        return _crc32(path) == self.crc32 if quick and self.crc32 else _sha256(path) == self.sha256


def _crc32(path: Path) -> str:
    with path.open("rb") as file:
        if not path.stat().st_size:  # an empty file cannot be mapped
            return f"{0:08x}"
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return f"{zlib.crc32(data):08x}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
