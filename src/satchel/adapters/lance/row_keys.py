"""The ledger keys of a dataset's rows, in memory: reading a column of the few found rows takes Lance half of a search."""

import threading
from collections.abc import Mapping, Sequence

import lance
import numpy as np

from satchel.adapters.lance.dataset import generation
from satchel.adapters.lance.schema import KEY_BYTES

# A row id is the number of its fragment and the place in it.
_PLACE_BITS = 32
_PLACES = (1 << _PLACE_BITS) - 1

Files = tuple[str, ...]


class RowKeys:
    """The keys by data files, which never change. Those of files that are no longer in use are dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Files, bytes] = {}
        self._latest: tuple[tuple[str, int], KeysOfVersion] | None = None
        self._is_first = True

    def at_version(self, dataset: lance.LanceDataset) -> "KeysOfVersion | None":
        """Return the keys of the version that a dataset is at. None for the first search: a process may do only one."""
        with self._lock:
            if self._is_first:
                self._is_first = False
                return None
            state = generation(dataset), dataset.version
            if self._latest is None or self._latest[0] != state:
                fragments = {one.fragment_id: one for one in dataset.get_fragments()}
                self._latest = state, KeysOfVersion(fragments, self._known, self._lock)
            return self._latest[1]


class KeysOfVersion:
    """The keys of one version of a dataset, read when they are first asked for."""

    def __init__(
        self, fragments: Mapping[int, lance.LanceFragment], known: dict[Files, bytes], lock: threading.Lock
    ) -> None:
        self._fragments = fragments
        self._files = {number: tuple(file.path for file in one.data_files()) for number, one in fragments.items()}
        self._known = known
        self._lock = lock
        in_use = set(self._files.values())
        for files in [one for one in known if one not in in_use]:
            del known[files]

    def get(self, row_ids: Sequence[int]) -> list[bytes]:
        """Return the keys of rows."""
        numbers = {row_id >> _PLACE_BITS for row_id in row_ids}
        with self._lock:
            keys = {number: self._of_fragment(number) for number in numbers}
        return [_key(keys[row_id >> _PLACE_BITS], row_id & _PLACES) for row_id in row_ids]

    def _of_fragment(self, number: int) -> bytes:
        files = self._files[number]
        if files not in self._known:
            self._known[files] = _read_keys(self._fragments[number])
        return self._known[files]


def _key(keys: bytes, place: int) -> bytes:
    return keys[place * KEY_BYTES : (place + 1) * KEY_BYTES]


def _read_keys(fragment: lance.LanceFragment) -> bytes:
    """Read the keys of a fragment. A deleted row leaves its place empty."""
    table = fragment.to_table(columns=["ledger_key", "_rowid"])
    keys = np.zeros((fragment.physical_rows, KEY_BYTES), np.uint8)
    read = np.frombuffer(b"".join(table["ledger_key"].to_pylist()), np.uint8)
    keys[table["_rowid"].to_numpy() & _PLACES] = read.reshape(-1, KEY_BYTES)
    return keys.tobytes()
