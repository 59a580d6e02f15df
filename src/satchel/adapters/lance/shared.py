"""What all readers of a dataset in this process have in common: a server opens a store once for each of its threads."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

T = TypeVar("T")

_lock = threading.Lock()
# Dropped with the last reader.
_known: "WeakValueDictionary[tuple[Callable[[], Any], Path], Any]" = WeakValueDictionary()


def shared(make: Callable[[], T], path: Path) -> T:
    """Return the one that was made for this dataset, or make it."""
    with _lock:
        found = _known.get((make, path))
        if found is None:
            found = _known[make, path] = make()
        return cast("T", found)
