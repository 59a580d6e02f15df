"""The strict form of scope names, in its own module so that the capture hook loads nothing else."""

import re

DEFAULT_SCOPE = "global"
# Stands for the scope of the project that the caller works in.
AUTO_SCOPE = "auto"
MAX_SCOPE_CHARS = 64
_FORM = re.compile(r"[a-z0-9][a-z0-9._:/-]*")


def strict_name(text: str, longest: int = MAX_SCOPE_CHARS) -> str | None:
    """Return the name if it is valid, or None."""
    return text if len(text) <= longest and _FORM.fullmatch(text) else None
