"""Moving a store from a file into a database, or back."""

from msgspec import Struct


class StoreMoved(Struct, frozen=True):
    """A store was copied into another place, and the copy verified. The store itself stays where it was."""

    source: str
    target: str
    rows: int
    digest: str
    """Of every row; the same in both places."""
    setting: str
    """The value of the setting `ledger` with which the copy is used; empty for the ledger in the home folder."""
