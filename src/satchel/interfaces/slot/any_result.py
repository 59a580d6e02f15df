"""Any result as lines for a model, for the tools without a text of their own.

Names and values are on lines of their own making only: a text that is more than one word is in quotes, on one line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from satchel.domain.canonical import Json
from satchel.domain.moment import LAST_MOMENT, iso
from satchel.interfaces.slot.text import quoted

# What lies deeper is shown as JSON.
MAX_DEPTH = 6
# How a result was made: in the structured content, and not for reading.
_HOW_IT_WAS_MADE = ("debug", "trace")
# Needs no quotes: it can neither be a sentence nor end one.
_WORD = re.compile(r"[\w.:/@+#-]{1,100}")


def lines_of_any(result: Json) -> Iterator[str]:
    """Yield the fields of a result; empty ones are omitted, except for lists of the result itself."""
    if isinstance(result, Mapping):
        result = {name: value for name, value in result.items() if name not in _HOW_IT_WAS_MADE}
    yield from _lines(result, "", 0)
    if isinstance(result, Mapping):
        yield from (f"{_word(name)}: none" for name, value in result.items() if value == [])


def _lines(value: Json, indent: str, depth: int, mark: str = "") -> Iterator[str]:
    """Yield a value: what is short on the first line, after the mark of a list's entry; the rest below it."""
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        fields = {name: one for name, one in value.items() if one not in (None, "", [], {})}
        short = [f"{_word(name)} {_word(_readable(name, one))}" for name, one in fields.items() if not _is_nested(one)]
        if short:
            yield f"{indent}{mark}{', '.join(short)}"
        inner = f"{indent}{' ' * len(mark)}"
        for name, one in fields.items():
            if _is_nested(one):
                yield from _field(name, one, inner, depth)
    elif isinstance(value, Sequence) and not isinstance(value, str) and depth < MAX_DEPTH:
        for entry in value:
            yield from _lines(entry, indent, depth + 1, "- ")
    else:
        yield f"{indent}{mark}{_word(value)}"


def _field(name: str, value: Json, indent: str, depth: int) -> Iterator[str]:
    if isinstance(value, Sequence) and not any(_is_nested(one) for one in value):
        yield f"{indent}{_word(name)}: {', '.join(map(_word, value))}"
        return
    yield f"{indent}{_word(name)}:"
    yield from _lines(value, f"{indent}  ", depth + 1)


def _is_nested(value: Json) -> bool:
    return isinstance(value, (Mapping, Sequence)) and not isinstance(value, str)


def _readable(name: str, value: Json) -> Json:
    """Return a moment in milliseconds as a date and time."""
    if (name != "at" and not name.endswith("_at")) or not isinstance(value, int) or isinstance(value, bool):
        return value
    return iso(value) if 0 < value <= LAST_MOMENT else value


def _word(value: Json) -> str:
    # Some invisible characters are letters.
    in_quotes = quoted(value)
    return value if isinstance(value, str) and _WORD.fullmatch(value) and in_quotes == f'"{value}"' else in_quotes
