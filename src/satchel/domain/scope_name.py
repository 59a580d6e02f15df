"""The name of a scope: its form, and nothing else. A hook checks one without loading what scopes are for."""

import re

from satchel.errors import InvalidRequest

DEFAULT_SCOPE = "global"
MAX_SCOPE_CHARS = 64
_FORM = re.compile(r"[a-z0-9][a-z0-9._:/-]*")


def scope_name(text: str) -> str:
    """Return a valid scope name, or refuse it."""
    if len(text) > MAX_SCOPE_CHARS or not _FORM.fullmatch(text):
        raise InvalidRequest(
            f"invalid scope {text[:80]!r}",
            code="invalid_scope",
            hint="a scope is up to 64 of a-z 0-9 . _ : / - and begins with a letter or digit",
        )
    return text
