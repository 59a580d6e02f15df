"""Compare two answers except for what differs between any two calls."""

import re

_UNSTABLE = re.compile(r"sha256:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=[_:-])[0-9a-f]{12,}|\d{13}|\d{4}-\d\d-\d\dT[\d:.]+Z?")  # fmt: skip
_TIMES = re.compile(r'"(duration_ms|latencyMs|ms|total_ms|elapsed_ms)": [0-9.e-]+')
_OTHER_DIGITS = str.maketrans("0123456789", "5678901234")


def lookalike(id: str) -> str:
    """Return an id of the same form and length that no record has."""
    kind, colon, rest = id.rpartition(":")
    return f"{kind}{colon}{rest.translate(_OTHER_DIGITS)}"


def masked(answer: str, id: str) -> str:
    """Replace the id that was asked for, and what differs between any two calls: digests, new ids, times."""
    return _TIMES.sub(r'"\1": 0', _UNSTABLE.sub("#", answer.replace(id, "#")))
