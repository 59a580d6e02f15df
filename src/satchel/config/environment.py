"""The one reader of the environment."""

import os
from collections.abc import Mapping

from satchel.locations import PREFIX as PREFIX


def variables() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ


def router_database() -> str | None:
    """Return the database of the attention router's skill, where its own variable names one."""
    return os.environ.get("MAR_DB_PATH") or None


def debugging() -> bool:
    """Say whether a defect is to be shown with its traceback. Apart from the settings: it must work when they fail."""
    return bool(os.environ.get(f"{PREFIX}DEBUG"))
