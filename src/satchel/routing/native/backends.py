"""The native backends that a store's lanes make possible."""

from collections.abc import Callable
from functools import partial

from satchel.routing.native import cognee, lossless, qmd, totalrecall
from satchel.routing.native.lanes import Backends, Lanes, Native


def natives(lanes: Lanes, now: Callable[[], int]) -> Backends:
    """Return the backends of Satchel's own, by name; those without a lane are not among them."""
    made = {
        qmd.NAME: Native(qmd.NAME, partial(qmd.answer, lanes=lanes)),
        totalrecall.NAME: Native(totalrecall.NAME, lambda asked: totalrecall.answer(asked, lanes, now())),
    }
    if lanes.graph is not None:
        made[cognee.NAME] = Native(cognee.NAME, partial(cognee.answer, lanes=lanes))
    if lanes.conversations is not None:
        made[lossless.NAME] = Native(lossless.NAME, partial(lossless.answer, lanes=lanes))
    return made
