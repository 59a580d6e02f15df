"""The pages of the inspector, by the first part of their address."""

from msgspec import Struct


class NavigationEntry(Struct, frozen=True):
    """A page in the navigation."""

    path: str
    title: str
    key: str
    """The key that opens it, after g."""


IMPORT_PATH = "/import"

NAVIGATION = (
    NavigationEntry("/", "Home", "h"),
    NavigationEntry("/memories", "Memories", "m"),
    NavigationEntry("/review", "Review", "v"),
    NavigationEntry("/recall", "Recall", "r"),
    NavigationEntry("/turns", "Turns", "t"),
    NavigationEntry("/packs", "Packs", "p"),
    NavigationEntry("/graph", "Graph", "g"),
    NavigationEntry("/facts", "Facts", "f"),
    NavigationEntry("/routes", "Routes", "o"),
    NavigationEntry("/receipts", "Receipts", "c"),
    NavigationEntry(IMPORT_PATH, "Import", "i"),
)
"""All pages, in order. One without routes in `pages.ROUTES` is not shown."""

COOKIE_PREFIX = "satchel-"
"""The name of the cookie of a browser's session, before the port of the server."""
OPEN_PATH = "/open"
END_PATH = "/end"
ASSETS_PATH = "/assets"
UPLOAD_PATH = f"{IMPORT_PATH}/upload"
_OWN = frozenset({OPEN_PATH, END_PATH, ASSETS_PATH, *(one.path for one in NAVIGATION)})


def is_inspector_path(path: str) -> bool:
    """Return whether an address belongs to the inspector."""
    return path in _OWN or any(path.startswith(f"{one}/") for one in _OWN - {"/"})
