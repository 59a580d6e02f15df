"""The strict form of scope names, in its own module so that the capture hook loads nothing else."""

DEFAULT_SCOPE = "global"
# Stands for the scope of the project that the caller works in.
AUTO_SCOPE = "auto"
MAX_SCOPE_CHARS = 64
_FIRST = "abcdefghijklmnopqrstuvwxyz0123456789"
_FURTHER = frozenset(f"{_FIRST}._:/-")


def strict_name(text: str, longest: int = MAX_SCOPE_CHARS) -> str | None:
    """Return the name if it is valid, or None."""
    return text if text and len(text) <= longest and text[0] in _FIRST and _FURTHER.issuperset(text) else None
