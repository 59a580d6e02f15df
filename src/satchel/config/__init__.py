"""Settings: every knob once, with its help, its default and its names; and the sources they are read from."""

from satchel.config.environment import PREFIX, debugging, router_database
from satchel.config.settings import EmbeddingSettings, Settings
from satchel.config.survey import Survey, load, look, surveyed

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
