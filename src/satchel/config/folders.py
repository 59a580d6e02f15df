"""Folders by their names, as paths."""

from pathlib import Path

from satchel.locations import folder_name, platform_folder_name


def folder(text: str) -> Path:
    """Return the folder of a name, or refuse a name that none can have."""
    return Path(folder_name(text))


def platform_folder() -> Path:
    """Return the platform's data folder for satchel."""
    return Path(platform_folder_name())
