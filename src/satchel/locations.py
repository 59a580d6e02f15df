"""Where the store is, and which scope counts when none is named: all that a hook has to know before it can write.

The settings as a whole take longer to load than a hook may take altogether. Most people leave these few as they are:
then what is read here is enough. Where anything else has a say in them, the settings must be asked.
"""

import os
import sys

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
# Where the store is: two processes must mean the same one anyway, however they came to it.
_HOME = f"{PREFIX}HOME"
# Where the platform's data folder is, and the models with it.
_PLACES = ("HOME", "XDG_DATA_HOME")


def plain_place(home: str | None) -> tuple[str, str] | None:
    """Return the folder that events go to and the scope that counts, or None where only the settings can tell."""
    store = home_folder(home)
    scope = strict_name(os.environ.get(f"{PREFIX}SCOPE") or DEFAULT_SCOPE)
    decided = any(value and name.startswith(_DECISIVE) for name, value in os.environ.items())
    if scope is None or decided or _says_more(os.path.join(store, SETTINGS_FILE)):
        return None
    return os.path.dirname(os.path.realpath(os.path.join(store, LEDGER))), scope


def home_folder(given: str | None) -> str:
    """Return the folder of the store: the one given, else that of the environment, else the platform's."""
    if given == "":
        raise InvalidRequest("the store's folder has no name", code="invalid_setting", hint="give --home a folder")
    named = given or os.environ.get(_HOME)
    return folder_name(named) if named else platform_folder_name()


def _says_more(path: str) -> bool:
    """Say whether a settings file may have a word in this. One that cannot be read may."""
    try:
        # Without waiting, as nobody may ever write to a named pipe.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            said = file.read() or b""
    except OSError as error:
        return not isinstance(error, FileNotFoundError)
    return any(word in said for word in _DECISIVE_IN_FILE)


def folder_name(text: str) -> str:
    """Return the folder of a name, or refuse a name that none can have."""
    if text != readable(text) or "\0" in text:
        raise InvalidRequest(f"{text[:80]!r} cannot be the name of a folder", code="invalid_setting")
    found = os.path.expanduser(text)
    if found.startswith("~"):
        raise InvalidRequest(f"{text[:80]!r} names a home folder that does not exist", code="invalid_setting")
    return found


def platform_folder_name() -> str:
    """Return the platform's data folder for satchel."""
    if sys.platform == "linux":
        # What platformdirs says, a test compares: loading it takes longer than everything else here.
        named = os.environ.get("XDG_DATA_HOME", "")
        return os.path.join(named if os.path.isabs(named) else os.path.expanduser("~/.local/share"), "satchel")
    from platformdirs import user_data_dir

    return user_data_dir("satchel", appauthor=False)


def fingerprint(home: str, version: str) -> str:
    """Return a digest over everything that decides how the store in a folder answers, its content apart.

    Two processes with the same one answer alike.
    """
    names = sorted(name for name in os.environ if (name.startswith(PREFIX) and name != _HOME) or name in _PLACES)
    parts = [version.encode(), *(f"{name}={os.environ[name]}".encode("utf-8", "surrogateescape") for name in names)]
    said = b"\0".join([*parts, b"", _written(os.path.join(home, SETTINGS_FILE))])
    return _digest(said)


def _digest(data: bytes) -> str:
    try:
        # hashlib loads OpenSSL, which takes a twentieth of the time that a hook has.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(data, digest_size=32).hexdigest()


def _written(path: str) -> bytes:
    # A pipe would be waited on, and whoever cannot read the file says so when it reads the settings.
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
