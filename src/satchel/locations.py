"""Find the store's folder and the default scope without loading the settings, which takes longer than a hook may run.

Most users leave ledger, read_only and scope_policy at their defaults; then this is enough. Otherwise the caller loads
the settings.
"""

import os
import sys

from satchel.domain.scope_name import DEFAULT_SCOPE, strict_name
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest
from satchel.os_calls import READ_NOW

PREFIX = "SATCHEL_"
LEDGER = "ledger.sqlite3"
SETTINGS_FILE = "config.toml"
# The server's socket, token and status.
SOCKET, TOKEN, STATUS = "serve.sock", "serve.token", "serve.json"
# Files that a browser sent to be imported.
UPLOADS = "uploads"

# Variables that change where the store is, and words in the settings file that may.
_VARIABLES = (f"{PREFIX}LEDGER", f"{PREFIX}READ_ONLY")
# A TOML escape may spell any of the words, so a backslash counts too.
_FILE_WORDS = (b"ledger", b"read_only", b"\\")
_SCOPE_VARIABLES = f"{PREFIX}SCOPE_POLICY_"
# Settings of the scope policy that do not change which scope names are valid.
_HARMLESS = ("default_scope", "fallback_scopes", "fallback_marker", "skip_fallback_on_invalid_scope")
_HOME = f"{PREFIX}HOME"
# Not part of the fingerprint: the folder, which both processes have in common, and how a server elsewhere is reached.
_WITHOUT_EFFECT = (_HOME, f"{PREFIX}URL", f"{PREFIX}TOKEN", f"{PREFIX}CA_FILE")
# These set the platform's data folder, where the models are.
_FOLDER_VARIABLES = ("HOME", "XDG_DATA_HOME")


def default_location(home: str | None) -> tuple[str, str] | None:
    """Return the folder for events and the default scope; None if the settings must be loaded to know."""
    folder = store_location(home)
    if folder is None or any(value and name.startswith(_SCOPE_VARIABLES) for name, value in os.environ.items()):
        return None
    scope = _written_scope(os.path.join(home_folder(home), SETTINGS_FILE))
    scope = scope and strict_name(os.environ.get(f"{PREFIX}SCOPE") or scope)
    return (folder, scope) if scope else None


def store_location(home: str | None) -> str | None:
    """Return the folder of the store's files; None if the settings must be loaded to know."""
    store = home_folder(home)
    overridden = any(value and name.startswith(_VARIABLES) for name, value in os.environ.items())
    content = _settings_content(os.path.join(store, SETTINGS_FILE))
    if overridden or content is None or any(word in content for word in _FILE_WORDS):
        return None
    return os.path.dirname(os.path.realpath(os.path.join(store, LEDGER)))


def home_folder(given: str | None) -> str:
    """Return the store's folder: as given, else from the environment, else the platform's default."""
    if given == "":
        raise InvalidRequest("the home folder is empty", code="invalid_setting", hint="give --home a folder")
    named = given or os.environ.get(_HOME)
    return folder_name(named) if named else platform_folder_name()


def _settings_content(path: str) -> bytes | None:
    """Return the content of the settings file, empty if there is none; None if it cannot be read."""
    try:
        # Non-blocking: a named pipe would hang the hook.
        with os.fdopen(os.open(path, READ_NOW), "rb") as file:
            return file.read() or b""
    except OSError as error:
        return b"" if isinstance(error, FileNotFoundError) else None


def _written_scope(path: str) -> str | None:
    """Return the default scope of the settings file; None if the file says more about scopes, or is invalid."""
    content = _settings_content(path)
    if content is not None and b"scope" not in content:
        return DEFAULT_SCOPE
    import tomllib  # only where a scope is set

    try:
        policy = tomllib.loads((content or b"").decode()).get("scope_policy", {})
    except ValueError:
        return None
    if not isinstance(policy, dict) or not policy.keys() <= set(_HARMLESS):
        return None
    found = policy.get("default_scope", DEFAULT_SCOPE)
    return found if isinstance(found, str) else None


def folder_name(text: str) -> str:
    """Return the path of a folder name, or raise InvalidRequest if it cannot be one."""
    if text != replace_undecodable(text) or "\0" in text:
        raise InvalidRequest(f"{text[:80]!r} is not a valid folder name", code="invalid_setting")
    found = os.path.expanduser(text)
    if found.startswith("~"):
        raise InvalidRequest(f"{text[:80]!r} names a home folder that does not exist", code="invalid_setting")
    return found


def platform_folder_name() -> str:
    """Return the platform's data folder for satchel."""
    if sys.platform == "linux":
        # The same as platformdirs (a test compares), which is slow to load.
        named = os.environ.get("XDG_DATA_HOME", "")
        return os.path.join(named if os.path.isabs(named) else os.path.expanduser("~/.local/share"), "satchel")
    from platformdirs import user_data_dir

    return user_data_dir("satchel", appauthor=False)


def fingerprint(home: str, version: str) -> str:
    """Return a digest of the version and all settings: processes with the same digest give the same answers."""
    names = sorted(
        name
        for name in os.environ
        if (name.startswith(PREFIX) and name not in _WITHOUT_EFFECT) or name in _FOLDER_VARIABLES
    )
    parts = [version.encode(), *(f"{name}={os.environ[name]}".encode("utf-8", "surrogateescape") for name in names)]
    return digest_of(b"\0".join([*parts, b"", _file_content(os.path.join(home, SETTINGS_FILE))]))


def digest_of(data: bytes) -> str:
    """Return the digest of some bytes."""
    try:
        # hashlib loads OpenSSL, which costs a twentieth of a hook's time.
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(data, digest_size=32).hexdigest()


def _file_content(path: str) -> bytes:
    # A named pipe would block. An unreadable file is reported when the settings are loaded.
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
