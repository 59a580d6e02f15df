"""Regular expressions, compiled on first use: all patterns of the rules together take longer than most commands."""

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern."""
    return re.compile(pattern)
