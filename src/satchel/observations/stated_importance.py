"""Read an importance as an event states it."""

import re
import unicodedata

_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s{0,3}(%|/\s{0,3}(\d{1,3}))?")


def read_importance(value: object) -> float | None:
    """Read an importance such as 0.86, 86, "86%" or "86/100", in any digits, as a share from 0 to 1."""
    if isinstance(value, dict):
        return read_importance(value.get("score"))
    if isinstance(value, str):
        return _parse_share(unicodedata.normalize("NFKC", value[:40]).strip())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return _share(float(value), is_whole=isinstance(value, int))


def _parse_share(text: str) -> float | None:
    found = _SHARE.fullmatch(text)
    if found is None:
        return None
    number, sign, of = float(found.group(1)), found.group(2), found.group(3)
    if of is not None:
        return number / float(of) if float(of) and number <= float(of) else None
    if sign:
        return number / 100 if number <= 100 else None
    return _share(number, is_whole="." not in text)


def _share(number: float, *, is_whole: bool) -> float | None:
    if 0.0 <= number <= 1.0:
        return number
    # A whole number from 2 up can only be a percentage.
    return number / 100 if is_whole and 2 <= number <= 100 else None
