"""The fingerprint of the settings: two processes with the same one answer alike. Cheap, since hooks take it, too."""

import hashlib
from pathlib import Path

from satchel.config.environment import PREFIX, variables
from satchel.place import SETTINGS_FILE

# Where the store is: both processes must mean the same one anyway, however they came to it.
_HOME = f"{PREFIX}HOME"
# Where the platform's data folder is, and the models with it.
_PLACES = ("HOME", "XDG_DATA_HOME")


def fingerprint(home: Path, version: str) -> str:
    """Return a digest over everything that decides how the store in a folder answers, its content apart."""
    said = variables()
    names = sorted(name for name in said if (name.startswith(PREFIX) and name != _HOME) or name in _PLACES)
    parts = [version.encode(), *(f"{name}={said[name]}".encode("utf-8", "surrogateescape") for name in names)]
    found = hashlib.sha256(b"\0".join([*parts, b"", _written(home / SETTINGS_FILE)]))
    return found.hexdigest()


def _written(path: Path) -> bytes:
    # A pipe would be waited on, and whoever cannot read the file says so when it reads the settings.
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""
