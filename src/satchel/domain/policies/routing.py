"""Settings of the dispatch router."""

from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Setting


class RoutingPolicy(Struct, frozen=True):
    """Files of the dispatch router, and how it tries the backends."""

    state: Annotated[str, Setting("folder of backends.json and router.log; empty means ~/.openclaw/state")] = ""
    rules: Annotated[str, Setting("file of custom rules; empty means router-config.json in that folder")] = ""
    strategy: Annotated[
        str,
        Setting(
            "try backends one after another (sequential), the first two at once (race), or all and merge the results (merge)",
            choices=("sequential", "race", "merge"),
        ),
    ] = "sequential"
