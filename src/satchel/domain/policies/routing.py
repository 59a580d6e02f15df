"""How the dispatch router works, as an operator sets it."""

from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Knob


class RoutingPolicy(Struct, frozen=True):
    """Where the dispatch router finds its files, and how it tries the backends."""

    state: Annotated[str, Knob("folder of backends.json and router.log; empty means ~/.openclaw/state")] = ""
    rules: Annotated[str, Knob("file of rules of one's own; empty means router-config.json in that folder")] = ""
    strategy: Annotated[
        str,
        Knob(
            "try backends one after another (sequential), the first two at once (race), or all, as one list (merge)",
            choices=("sequential", "race", "merge"),
        ),
    ] = "sequential"
