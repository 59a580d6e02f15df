"""Folder names from settings, as paths."""

from pathlib import Path

from satchel.locations import folder_name, platform_folder_name


def folder(text: str) -> Path:
    """Return the path of a folder name, or raise InvalidRequest if it cannot be one."""
    return Path(folder_name(text))


def platform_folder() -> Path:
    """Return the platform's data folder for satchel."""
    return Path(platform_folder_name())
