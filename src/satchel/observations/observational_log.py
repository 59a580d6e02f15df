"""The observational log: one-line summaries of observations.

`observe` compresses a full buffer into lines; `reflect` prunes the least important lines. Both are deterministic and
use no model.
"""

from collections.abc import Sequence
from itertools import groupby

from satchel.domain.moment import iso
from satchel.domain.observation import Observation
from satchel.domain.record import Label
from satchel.ports import NewLogLine, StoredLogLine

MAX_LINE_CHARS = 160
LEVELS = {Label.MUST_REMEMBER: "NOTICE", Label.NICE_TO_HAVE: "INFO", Label.UNKNOWN: "INFO", Label.IGNORE: "DEBUG"}
# NOTICE lines are never pruned.
_PRUNED_FIRST = ("DEBUG", "INFO")


def observe(observations: Sequence[Observation]) -> list[NewLogLine]:
    """Compress observations into lines: important ones get a line each, DEBUG ones are counted together."""
    return [
        line
        for (scope, level, tool), group in groupby(observations, _sort)
        for line in _lines(scope, level, tool, list(group))
    ]


def _sort(one: Observation) -> tuple[str, str, str]:
    return one.scope, LEVELS[one.label], one.tool_name or one.kind


def _lines(scope: str, level: str, tool: str, group: list[Observation]) -> list[NewLogLine]:
    if level != "DEBUG" or len(group) == 1:
        return [NewLogLine(scope, one.at, level, _line(one, level, tool), (one.id,)) for one in group]
    first, last = group[0], group[-1]
    text = f"{_time(first)} {level:6} {tool}: {len(group)} times until {_time(last)} [{first.id}]"
    return [NewLogLine(scope, first.at, level, text, tuple(one.id for one in group))]


def _line(one: Observation, level: str, tool: str) -> str:
    head, tail = f"{_time(one)} {level:6} {tool}: ", f" [{one.id}]"
    room = MAX_LINE_CHARS - len(head) - len(tail)
    return head + (one.summary if len(one.summary) <= room else one.summary[: max(0, room - 1)] + "…") + tail


def _time(one: Observation) -> str:
    return iso(one.at)[:16].replace("T", " ")


def reflect(lines: Sequence[StoredLogLine], max_chars: int) -> list[int]:
    """Return the lines to remove so that the log fits: lowest level first, oldest first."""
    excess = sum(len(one.text) + 1 for one in lines) - max_chars
    pruned: list[int] = []
    for level in _PRUNED_FIRST:
        for one in lines:
            if excess <= 0:
                return pruned
            if one.level == level:
                pruned.append(one.number)
                excess -= len(one.text) + 1
    return pruned
