"""Choose the telling lines of a tool's output: what failed and why, the summary, and how it ended.

A test run prints a thousand lines, of which "3 failed, 12 passed" and the failed assertions are worth keeping.
"""

import re
from collections.abc import Iterator, Sequence

from satchel.observations.outcome import fails, names_cause, without_zero_counts

MAX_LINES = 20
MAX_CHARS = 2_000
MAX_LINE_CHARS = 300
MAX_ERRORS, MAX_SUMMARIES = 10, 5
LAST_LINES = 4
# Only the beginning and the end of an output are searched.
MAX_SEARCHED = 1_000
GAP = "…"
_SUMMARY = re.compile(
    r"\b\d[\d,]* (?:tests? )?(?:passed|failed|failures?|skipped|errors?|warnings?|passing|failing)\b|"
    r"^(?:Ran \d+ tests?|Tests?: |Tests run: |test result: |BUILD |Build |Finished |Compiled |Successfully |"
    r"\d+ files? changed|Done in |Found \d+ |ok\s+\S+\s+[\d.]+s)",
)


def telling_lines(text: str) -> str:
    """Return the telling lines of an output in their order, with a mark where lines were left out."""
    printed = text.split("\n")
    if len(printed) > MAX_SEARCHED:
        printed = [*printed[: MAX_SEARCHED // 2], *printed[-MAX_SEARCHED // 2 :]]
    lines = [line for line in map(_shown, printed) if line.strip()]
    if len(lines) <= MAX_LINES and sum(map(len, lines)) <= MAX_CHARS:
        return "\n".join(lines)
    return "\n".join(_with_gaps(lines, _chosen(lines)))


def _shown(line: str) -> str:
    """Return a line as a terminal shows it: what follows the last carriage return, cut if it is long."""
    shown = line.rstrip("\r").rpartition("\r")[2].rstrip()
    return shown if len(shown) <= MAX_LINE_CHARS else shown[: MAX_LINE_CHARS - 1] + GAP


def _chosen(lines: Sequence[str]) -> list[int]:
    """Return the places of the chosen lines, from the most telling kind on, within the limits."""
    last = list(range(max(0, len(lines) - LAST_LINES), len(lines)))
    summaries = [place for place, line in enumerate(lines) if _SUMMARY.search(line)][-MAX_SUMMARIES:]
    errors = [place for place, line in enumerate(lines) if _is_error(line)][:MAX_ERRORS]
    chosen, seen, room = list[int](), set[str](), MAX_CHARS
    for place in dict.fromkeys([*reversed(summaries), *errors, *reversed(last), 0]):
        line = lines[place]
        if line not in seen and len(chosen) < MAX_LINES and len(line) < room:
            chosen.append(place)
            seen.add(line)
            room -= len(line) + 1
    return sorted(chosen)


def _is_error(line: str) -> bool:
    return fails(line) or names_cause(without_zero_counts(line))


def _with_gaps(lines: Sequence[str], chosen: Sequence[int]) -> Iterator[str]:
    previous = -1
    for place in chosen:
        if place > previous + 1:
            yield GAP
        yield lines[place]
        previous = place
