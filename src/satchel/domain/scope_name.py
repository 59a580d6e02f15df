"""The name of a scope: its strict form, and nothing else. A hook checks one without loading what scopes are for."""

import re

DEFAULT_SCOPE = "global"
MAX_SCOPE_CHARS = 64
_FORM = re.compile(r"[a-z0-9][a-z0-9._:/-]*")


def strict_name(text: str, longest: int = MAX_SCOPE_CHARS) -> str | None:
    """Return a name that has the strict form, or None."""
    return text if len(text) <= longest and _FORM.fullmatch(text) else None
