"""The settings that a figure depends on: those that are not as they come."""

from satchel.config import Settings
from satchel.config.catalogue import catalogue
from satchel.config.settings import value_of
from satchel.domain.canonical import Json

# Where things are says nothing of how they work.
_PLACES = ("home", "ledger", "models", "read_only")


def differing(settings: Settings) -> dict[str, Json]:
    """Return every setting with another value than its default; what is secret only as being set."""
    found = ((one, value_of(settings, one)) for one in catalogue(Settings).settings if one.key not in _PLACES)
    return {
        one.key: "set" if one.knob.secret else list(value) if isinstance(value, tuple) else value
        for one, value in found
        if value != one.default
    }
