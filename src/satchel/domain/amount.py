"""Amounts: how many of something is asked for."""

from satchel.errors import InvalidRequest


def amount(value: int, name: str, least: int, most: int, hint: str = "") -> int:
    """Return a whole number within its limits, or refuse it."""
    if type(value) is not int or not least <= value <= most:
        raise InvalidRequest(f"{name} {value!r} is not a number from {least} to {most}", code="out_of_range", hint=hint)
    return value
