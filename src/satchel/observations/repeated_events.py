"""Recognise repeated events: summaries that are equal up to the numbers, times and ids in them."""

import re
from typing import NamedTuple

# Listed one by one up to this many; more are shown as a range.
MAX_LISTED = 3

# What differs between repetitions. A version or address such as 2.3.1 is a name, and digits inside a word are part of it.
_VARYING = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?|(?<![\w.:])\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?![\w:]))"
    r"|(?P<id>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b)"
    r"|(?P<number>(?<![A-Za-z0-9_.,:/-])\d{1,15}(?:\.\d{1,6})?(?=(?:ns|us|µs|ms|s|m|h|d|B|KB|MB|GB|KiB|MiB|GiB|%)?(?![A-Za-z0-9_:/-])(?![.,]\d)))",
    re.ASCII,
)


class Varying(NamedTuple):
    """The values of one varying place in a repeated summary."""

    values: tuple[str, ...]
    """Distinct values: numbers in order, others as seen. Beyond what is listed, the ends of the range are enough."""
    is_number: bool

    def add(self, other: "Varying") -> "Varying":
        """Return both together."""
        values = [*dict.fromkeys((*self.values, *other.values))]
        if self.is_number:
            values.sort(key=float)
        return Varying(
            tuple(values if len(values) <= MAX_LISTED else (*values[:MAX_LISTED], values[-1])), self.is_number
        )

    def __str__(self) -> str:
        """Return a few numbers as a list, more as a range; times and ids are left out where they differ."""
        if len(self.values) > 1 and not self.is_number:
            return "…"
        return "/".join(self.values) if len(self.values) <= MAX_LISTED else f"{self.values[0]}–{self.values[-1]}"


class Pattern(NamedTuple):
    """A summary as its fixed text and the places that vary between repetitions."""

    fixed: tuple[str, ...]
    places: tuple[Varying, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for repetitions of one event, whatever the case."""
        kinds = ("number" if one.is_number else "other" for one in self.places)
        return (*(text.casefold() for text in self.fixed), *kinds)

    def add(self, other: "Pattern") -> "Pattern":
        """Return the pattern of both repetitions; their keys must be equal."""
        pairs = zip(self.places, other.places, strict=True)
        return Pattern(self.fixed, tuple(ours.add(theirs) for ours, theirs in pairs))

    def __str__(self) -> str:
        """Return the summary with the values of every place."""
        filled = (
            text for place, after in zip(self.places, self.fixed[1:], strict=True) for text in (str(place), after)
        )
        return self.fixed[0] + "".join(filled)


def pattern_of(summary: str) -> Pattern:
    """Split a summary into fixed text and varying places."""
    fixed, places, start = list[str](), list[Varying](), 0
    for found in _VARYING.finditer(summary):
        fixed.append(summary[start : found.start()])
        places.append(Varying((found.group(),), found.lastgroup == "number"))
        start = found.end()
    return Pattern((*fixed, summary[start:]), tuple(places))


def exact_pattern(summary: str) -> Pattern:
    """Return a pattern in which nothing varies: a rule with another number is another rule."""
    return Pattern((summary,), ())
