"""Satchel: one memory for every agent a person runs.

from satchel import Satchel

with Satchel.open() as memory:
    memory.store("We ship on Thursdays", kind="decision")
    for hit in memory.recall("when do we release?").result.hits:
        print(hit.memory.text)
"""

# As in typing, which would have to be loaded for it: a hook that only captures an event cannot wait for that.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from satchel.app import Satchel
    from satchel.config import Settings
    from satchel.domain.envelope import Ok
    from satchel.errors import SatchelError

__version__ = "0.1.0"
__all__ = ["Ok", "Satchel", "SatchelError", "Settings", "__version__"]

_HOMES = {
    "Ok": "satchel.domain.envelope",
    "Satchel": "satchel.app",
    "SatchelError": "satchel.errors",
    "Settings": "satchel.config",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: a hook that only needs the version must not pay for the rest."""
    if name not in _HOMES:
        raise AttributeError(f"module 'satchel' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
