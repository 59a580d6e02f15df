"""Settings: every knob once, with its help, its default and its names; and the sources they are read from."""

from typing import TYPE_CHECKING, Any

from satchel.config.environment import PREFIX, debugging, router_database

if TYPE_CHECKING:
    from satchel.config.settings import EmbeddingSettings, Settings
    from satchel.config.sources import Survey, load, look, surveyed

__all__ = [
    "PREFIX",
    "EmbeddingSettings",
    "Settings",
    "Survey",
    "debugging",
    "load",
    "look",
    "router_database",
    "surveyed",
]

_HOMES = {
    "EmbeddingSettings": "satchel.config.settings",
    "Settings": "satchel.config.settings",
    "Survey": "satchel.config.sources",
    "load": "satchel.config.sources",
    "look": "satchel.config.sources",
    "surveyed": "satchel.config.sources",
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: whoever lets a server do the work needs no setting."""
    if name not in _HOMES:
        raise AttributeError(f"module 'satchel.config' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
