"""Where the store is, and which scope counts when none is named: all that a hook has to know before it can write.

The settings as a whole take longer to load than a hook may take altogether; these two are read from here alone.
"""

import os
from pathlib import Path

from satchel.domain.scope_name import DEFAULT_SCOPE, scope_name
from satchel.domain.text import readable
from satchel.errors import InvalidRequest

PREFIX = "SATCHEL_"


def home_folder(given: str | None) -> Path:
    """Return the folder of the store: the one given, else that of the environment, else the platform's."""
    if given == "":
        raise InvalidRequest("the store's folder has no name", code="invalid_setting", hint="give --home a folder")
    named = given or os.environ.get(f"{PREFIX}HOME")
    return folder_named(named) if named else platform_folder()


def default_scope() -> str:
    """Return the scope of what names none."""
    return scope_name(os.environ.get(f"{PREFIX}SCOPE") or DEFAULT_SCOPE)


def folder_named(text: str) -> Path:
    """Return the folder of a name as people write it."""
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
