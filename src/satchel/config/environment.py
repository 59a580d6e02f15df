"""The one reader of the environment."""

import os
from collections.abc import Mapping

PREFIX = "SATCHEL_"


def variables() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ


def debugging() -> bool:
    """Say whether a defect is to be shown with its traceback. Apart from the settings: it must work when they fail."""
    return bool(os.environ.get(f"{PREFIX}DEBUG"))
