"""The only module that reads environment variables, besides `locations`."""

import os
from collections.abc import Mapping

from satchel.locations import PREFIX as PREFIX


def variables() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ


def router_database() -> str | None:
    """Return MAR_DB_PATH, the database of the attention router's skill, if it is set."""
    return os.environ.get("MAR_DB_PATH") or None


def editor() -> str:
    """Return the command of the person's editor: VISUAL, or EDITOR; empty if neither is set."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def is_debugging() -> bool:
    """Return whether to show tracebacks. Not a setting: it must work when the settings are broken."""
    return bool(os.environ.get(f"{PREFIX}DEBUG"))


def is_asked_by_skill() -> bool:
    """Return whether a skill's script runs the command, for an agent: it sets SATCHEL_SKILL."""
    return bool(os.environ.get(f"{PREFIX}SKILL"))
