"""Settings of episodes: length and retention."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Setting


class EpisodePolicy(Struct, frozen=True):
    """How much of a turn is kept, and for how long."""

    max_chars: Annotated[int, Setting("maximum length of a turn; the rest is cut off", 100, 100_000)] = 16_000
    conversation_user_days: Annotated[
        int, Setting("days after which 'episodes prune' removes user turns; 0 keeps them", 0, 36_500)
    ] = 60
    conversation_assistant_days: Annotated[
        int, Setting("days after which 'episodes prune' removes assistant turns; 0 keeps them", 0, 36_500)
    ] = 90
    tool_days: Annotated[
        int, Setting("days after which 'episodes prune' removes tool calls and results; 0 keeps them", 0, 36_500)
    ] = 30
    alert_days: Annotated[int, Setting("days after which 'episodes prune' removes alerts; 0 keeps them", 0, 36_500)] = (
        90
    )

    @property
    def days(self) -> Mapping[str, int]:
        """Days to keep each type; types not listed are kept forever."""
        kept = {
            "conversation.user": self.conversation_user_days,
            "conversation.assistant": self.conversation_assistant_days,
            "tool.call": self.tool_days,
            "tool.result": self.tool_days,
            "ops.alert": self.alert_days,
        }
        return {kind: days for kind, days in kept.items() if days}
