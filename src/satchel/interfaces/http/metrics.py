"""Counters of a server, in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
REFUSED = "satchel.refused"
"""The key in a request's ASGI scope under which the code of its refusal is, if it was refused."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the durations that are counted together, in seconds."""

Labels = Mapping[str, str]


class Sample(Struct, frozen=True):
    """One number of a family."""

    value: float
    labels: Labels = {}
    suffix: str = ""


class Family(Struct, frozen=True):
    """Numbers of one name, which differ in their labels."""

    name: str
    kind: str
    """counter, gauge or histogram"""
    help: str
    samples: Sequence[Sample]


class Metrics:
    """Counts the requests of a server. Only the thread of the event loop uses it."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._refused: Counter[str] = Counter()
        self._durations: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def record(self, route: str, status: int, seconds: float, refused: str | None) -> None:
        """Count a request. The route and the code must come from closed sets, never from the request."""
        self._requests[route, status] += 1
        self._durations.setdefault(route, [0] * (len(BUCKETS) + 1))[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds
        if refused is not None:
            self._refused[refused] += 1

    def families(self) -> Iterator[Family]:
        """Return what was counted."""
        requests = [
            Sample(count, {"route": route, "status": str(status)})
            for (route, status), count in sorted(self._requests.items())
        ]
        yield Family("satchel_requests_total", "counter", "Requests by route and status.", requests)
        refused = [Sample(count, {"reason": reason}) for reason, count in sorted(self._refused.items())]
        yield Family("satchel_refused_requests_total", "counter", "Refused requests by error code.", refused)
        durations = [sample for route in sorted(self._durations) for sample in self._histogram(route)]
        yield Family("satchel_request_duration_seconds", "histogram", "Time to the response.", durations)

    def _histogram(self, route: str) -> Iterator[Sample]:
        label = {"route": route}
        bounds = [*(f"{bound:g}" for bound in BUCKETS), "+Inf"]
        counts = list(accumulate(self._durations[route]))
        for bound, count in zip(bounds, counts, strict=True):
            yield Sample(count, {**label, "le": bound}, "_bucket")
        yield Sample(self._seconds[route], label, "_sum")
        yield Sample(counts[-1], label, "_count")


def gauge(name: str, help: str, value: float) -> Family:
    """Return a number that goes up and down."""
    return Family(name, "gauge", help, [Sample(value)])


def gauges(name: str, help: str, label: str, values: Mapping[str, float]) -> Family:
    """Return numbers that go up and down, by the value of one label."""
    return Family(name, "gauge", help, [Sample(value, {label: name}) for name, value in values.items()])


def text_of(families: Iterable[Family]) -> str:
    """Return families in the text format."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help}"
    yield f"# TYPE {family.name} {family.kind}"
    for one in family.samples:
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in one.labels.items())
        yield f"{family.name}{one.suffix}{f'{{{labels}}}' if labels else ''} {one.value:.12g}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
