"""Commit the changes of a bulk operation in batches, so that other writers wait for one batch at most."""

from collections.abc import Callable, Iterator
from itertools import islice

from satchel.domain.automatic_tags import CHANGES_PER_BATCH
from satchel.domain.receipt import Receipt
from satchel.ports import Change, MemoryStore


def commit_all_but_last(
    memories: MemoryStore, changes: Iterator[Change], total: int, receipt: Callable[[int], Receipt]
) -> None:
    """Commit all batches but the last, which belongs with the edges. `receipt` is given the size of a batch."""
    for _ in range(0, total - CHANGES_PER_BATCH, CHANGES_PER_BATCH):
        # What a batch changes is read under the write lock, too.
        with memories.transaction():
            batch = list(islice(changes, CHANGES_PER_BATCH))
            memories.commit(batch, receipt(len(batch)))
