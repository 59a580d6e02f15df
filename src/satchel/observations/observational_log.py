"""The observational log: one-line summaries of observations.

`observe` compresses a full buffer into lines; `reflect` prunes the least important lines. Both are deterministic and
use no model.
"""

from collections.abc import Sequence

from satchel.domain.moment import iso
from satchel.domain.observation import Observation
from satchel.domain.record import Label
from satchel.domain.text import normalize_text
from satchel.ports import NewLogLine, StoredLogLine

MAX_LINE_CHARS = 160
LEVELS = {Label.MUST_REMEMBER: "NOTICE", Label.NICE_TO_HAVE: "INFO", Label.UNKNOWN: "INFO", Label.IGNORE: "DEBUG"}
# NOTICE lines are never pruned.
_PRUNED_FIRST = ("DEBUG", "INFO")


def observe(observations: Sequence[Observation]) -> list[NewLogLine]:
    """Compress observations into lines, in the order in which their events first occurred.

    An event that was repeated gets one line, with how often and until when. DEBUG events of a tool are only counted.
    """
    repeated: dict[tuple[str, str, str, str], list[Observation]] = {}
    for one in observations:
        repeated.setdefault(_event(one), []).append(one)
    return [_line(scope, level, tool, group) for (scope, level, tool, _), group in repeated.items()]


def _event(one: Observation) -> tuple[str, str, str, str]:
    """Return what observations of the same event have in common. A number in it may matter, so it has to be the same."""
    level = LEVELS[one.label]
    what = "" if level == "DEBUG" else normalize_text(one.summary)
    return one.scope, level, one.tool_name or one.kind, what


def _line(scope: str, level: str, tool: str, group: Sequence[Observation]) -> NewLogLine:
    first, last = group[0], group[-1]
    head, tail = f"{_time(first)} {level:6} {tool}: ", f" [{first.id}]"
    if len(group) > 1:
        tail = f"{len(group)} times until {_time(last)}{tail}"
    if len(group) == 1 or level != "DEBUG":
        tail = tail if len(group) == 1 else f" · {tail}"
        room = MAX_LINE_CHARS - len(head) - len(tail)
        head += first.summary if len(first.summary) <= room else first.summary[: max(0, room - 1)] + "…"
    return NewLogLine(scope, first.at, level, head + tail, tuple(one.id for one in group))


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
