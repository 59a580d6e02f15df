"""The environment that tests run in: none of the settings of the person who runs them."""

import os

from satchel.config import load
from satchel.errors import InvalidRequest

MODELS = "SATCHEL_MODELS"
PERSONAL = ("SATCHEL_", "OPENCLAW_", "MAR_")


def is_personal(variable: str) -> bool:
    """Say whether a variable could change what Satchel does. Where the models are does not, so it stays."""
    return variable.startswith(PERSONAL) and variable != MODELS


def clean() -> None:
    """Remove the person's settings from this process, and note where their models are.

    A model is installed once per machine, by the person's settings; the tests have home folders of their own.
    """
    models = _models_folder()
    for name in filter(is_personal, list(os.environ)):
        del os.environ[name]
    os.environ[MODELS] = models or str(load(home=os.devnull).models_folder)


def _models_folder() -> str:
    try:
        return str(load().models_folder)
    except InvalidRequest:
        return ""
