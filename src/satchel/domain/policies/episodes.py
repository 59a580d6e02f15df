"""How much of a turn is kept and for how long, as an operator sets it."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Knob


class EpisodePolicy(Struct, frozen=True):
    """How much of a turn is kept, and for how long."""

    max_chars: Annotated[
        int, Knob("longest turn that is kept; of a longer one the beginning", least=100, most=100_000)
    ] = 16_000
    conversation_user_days: Annotated[
        int, Knob("days after which 'episodes prune' drops what a user said; 0 keeps it", least=0, most=36_500)
    ] = 60
    conversation_assistant_days: Annotated[
        int, Knob("days after which 'episodes prune' drops what an assistant said; 0 keeps it", least=0, most=36_500)
    ] = 90
    tool_days: Annotated[
        int,
        Knob("days after which 'episodes prune' drops calls and results of tools; 0 keeps them", least=0, most=36_500),
    ] = 30
    alert_days: Annotated[
        int, Knob("days after which 'episodes prune' drops alerts; 0 keeps them", least=0, most=36_500)
    ] = 90

    @property
    def days(self) -> Mapping[str, int]:
        """How many days each type is kept; what is not named is kept for ever."""
        kept = {
            "conversation.user": self.conversation_user_days,
            "conversation.assistant": self.conversation_assistant_days,
            "tool.call": self.tool_days,
            "tool.result": self.tool_days,
            "ops.alert": self.alert_days,
        }
        return {kind: days for kind, days in kept.items() if days}
