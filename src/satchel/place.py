"""Where the store is, and which scope counts when none is named: all that a hook has to know before it can write.

The settings as a whole take longer to load than a hook may take altogether. Most people leave these few as they are:
then what is read here is enough. Where anything else has a say in them, the settings must be asked.
"""

import os
from pathlib import Path
from typing import NamedTuple

from satchel.domain.scope_name import DEFAULT_SCOPE, strict_name
from satchel.domain.text import readable
from satchel.errors import InvalidRequest

PREFIX = "SATCHEL_"
LEDGER = "ledger.sqlite3"
SETTINGS_FILE = "config.toml"

# Whatever in the environment or in the settings file can change the answer has one of these in its name.
_DECISIVE = (f"{PREFIX}LEDGER", f"{PREFIX}READ_ONLY", f"{PREFIX}SCOPE_POLICY_")
# A backslash may spell any of them another way.
_DECISIVE_IN_FILE = (b"ledger", b"read_only", b"scope", b"\\")


class Place(NamedTuple):
    """Where events go."""

    folder: Path
    default_scope: str


def plain_place(home: str | None) -> Place | None:
    """Return where events go, or None where only the settings can tell."""
    store = home_folder(home)
    scope = strict_name(os.environ.get(f"{PREFIX}SCOPE") or DEFAULT_SCOPE)
    decided = any(value and name.startswith(_DECISIVE) for name, value in os.environ.items())
    if scope is None or decided or _says_more(store / SETTINGS_FILE):
        return None
    return Place((store / LEDGER).resolve().parent, scope)


def home_folder(given: str | None) -> Path:
    """Return the folder of the store: the one given, else that of the environment, else the platform's."""
    if given == "":
        raise InvalidRequest("the store's folder has no name", code="invalid_setting", hint="give --home a folder")
    named = given or os.environ.get(f"{PREFIX}HOME")
    return folder(named) if named else platform_folder()


def _says_more(path: Path) -> bool:
    """Say whether a settings file may have a word in this. One that cannot be read may."""
    try:
        # Without waiting, as nobody may ever write to a named pipe.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            said = file.read() or b""
    except OSError as error:
        return not isinstance(error, FileNotFoundError)
    return any(word in said for word in _DECISIVE_IN_FILE)


def folder(text: str) -> Path:
    """Return the folder of a name, or refuse a name that none can have."""
    if text != readable(text) or "\0" in text:
        raise InvalidRequest(f"{text[:80]!r} cannot be the name of a folder", code="invalid_setting")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise InvalidRequest(f"{text[:80]!r} names a home folder that does not exist", code="invalid_setting") from None


def platform_folder() -> Path:
    """Return the platform's data folder for satchel."""
    from platformdirs import user_data_path

    return user_data_path("satchel", appauthor=False)
