"""Settings: each defined once with help, default and limits, and read from flags, environment and file."""

from typing import TYPE_CHECKING, Any

from satchel.config.environment import PREFIX, editor, is_asked_by_skill, is_debugging, router_database

if TYPE_CHECKING:
    from satchel.config.settings import EmbeddingSettings, Settings
    from satchel.config.sources import SettingsSources, load, read_sources, sources_of

_LAZY = {
    "EmbeddingSettings": "satchel.config.settings",
    "Settings": "satchel.config.settings",
    "SettingsSources": "satchel.config.sources",
    "load": "satchel.config.sources",
    "read_sources": "satchel.config.sources",
    "sources_of": "satchel.config.sources",
}

__all__ = [
    "PREFIX",
    "EmbeddingSettings",
    "Settings",
    "SettingsSources",
    "editor",
    "is_asked_by_skill",
    "is_debugging",
    "load",
    "read_sources",
    "router_database",
    "sources_of",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use: a command that a server performs needs no settings."""
    if name not in _LAZY:
        raise AttributeError(f"module 'satchel.config' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
