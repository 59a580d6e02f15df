"""The observational log: compact lines over observations, one for each distinct event.

`observe` compresses a full buffer into lines; `reflect` prunes the least important ones. Both are deterministic and
use no model.
"""

from collections.abc import Iterable, Sequence

from satchel.domain.moment import iso
from satchel.domain.observation import Observation, ObservationId
from satchel.domain.record import Label
from satchel.errors import InvalidRequest
from satchel.observations.repeated_events import Pattern, exact_pattern, pattern_of
from satchel.ports import NewLogLine, StoredLogLine

MAX_LINE_CHARS = 160
# Enough to name one of a hundred million observations; `get` accepts any unique beginning.
CITED_CHARS = 16
NOTICE, INFO, DEBUG = LEVELS = ("NOTICE", "INFO", "DEBUG")
_LEVEL_OF = {Label.MUST_REMEMBER: NOTICE, Label.NICE_TO_HAVE: INFO, Label.UNKNOWN: INFO, Label.IGNORE: DEBUG}
# NOTICE lines are never pruned.
_PRUNED_FIRST = (DEBUG, INFO)


class _Group:
    """The repetitions of one event."""

    def __init__(self, first: Observation, level: str, tool: str, pattern: Pattern) -> None:
        self.scope, self.level, self.tool = first.scope, level, tool
        self.patterns = {pattern.key: pattern}
        self.since = self.until = first.at
        self.ids: list[ObservationId] = [first.id]

    def add(self, one: Observation, pattern: Pattern) -> None:
        known = self.patterns.get(pattern.key)
        self.patterns[pattern.key] = pattern if known is None else known.add(pattern)
        self.since, self.until = min(self.since, one.at), max(self.until, one.at)
        self.ids.append(one.id)

    def line(self) -> NewLogLine:
        first, *others = self.patterns.values()
        times = f" ×{len(self.ids)}" if len(self.ids) > 1 else ""
        kinds = f", {len(others)} more kinds" if others else ""
        head = f"{_period(self.since, self.until)} {self.level:6} {self.tool}: "
        tail = f"{kinds}{times} [{self.ids[0][:CITED_CHARS]}]"
        text = head + _cut(str(first), MAX_LINE_CHARS - len(head) - len(tail)) + tail
        return NewLogLine(self.scope, self.since, self.level, text, tuple(self.ids))


def observe(observations: Iterable[Observation]) -> list[NewLogLine]:
    """Compress observations into lines: one for each distinct event, and one for the routine of each tool."""
    groups: dict[tuple[object, ...], _Group] = {}
    for one in observations:
        level, tool = _LEVEL_OF[one.label], one.tool_name or one.kind
        pattern = exact_pattern(one.summary) if level == NOTICE else pattern_of(one.summary)
        key = (one.scope, level, tool, () if level == DEBUG else pattern.key)
        if (group := groups.get(key)) is None:
            groups[key] = _Group(one, level, tool, pattern)
        else:
            group.add(one, pattern)
    return [group.line() for group in groups.values()]


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)] + "…"


def _period(since: int, until: int) -> str:
    first, last = (iso(at)[:16].replace("T", " ") for at in (since, until))
    if first == last:
        return first
    return f"{first}–{last[11:] if first[:10] == last[:10] else last}"


def levels_from(lowest: str) -> tuple[str, ...]:
    """Return a level and those above it, or raise InvalidRequest."""
    if lowest not in LEVELS:
        raise InvalidRequest(f"unknown level {lowest[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(LEVELS)}")
    return LEVELS[: LEVELS.index(lowest) + 1]


def log_size(lines: Iterable[NewLogLine | StoredLogLine]) -> int:
    """Return the characters of a log, with its line ends."""
    return sum(len(one.text) + 1 for one in lines)


def reflect(lines: Sequence[NewLogLine], max_chars: int) -> list[NewLogLine]:
    """Return the lines that remain so that the log fits: the lowest level goes first, the oldest first."""
    excess = log_size(lines) - max_chars
    pruned = set[int]()
    for level in _PRUNED_FIRST:
        for place, one in enumerate(lines):
            if excess <= 0:
                break
            if one.level == level:
                pruned.add(place)
                excess -= len(one.text) + 1
    return [one for place, one in enumerate(lines) if place not in pruned]
