"""Where a value near a word starts and ends."""

import re

from satchel.domain.safety.compiled import compiled

Place = tuple[int, int]

# Quoted, or without a blank, a quote or a bracket.
VALUE = (
    # A quote within quotes is escaped.
    r"(?<!\\)\"(?P<within>[^\"\\\r\n]{1,80}+(?:\\\"[^\"\\\r\n]{0,80}+){1,6}+)\""
    r"|\\?\"(?P<double>[^\"\r\n]{1,200}+)\"|\\?'(?P<single>[^'\r\n]{1,200}+)'|`(?P<tick>[^`\r\n]{1,200}+)`"
    r"|[“„](?P<curly>[^“”\r\n]{1,200}+)[“”]|「(?P<corner>[^「」\r\n]{1,200}+)」|«\s?(?P<angle>[^«»\r\n]{1,200}?)\s?»"
    r"|(?P<bare>[^\s\"'`“”„「」«»，。；、|<>(){}\[\],;：\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,400}+(?:(?<=[A-Za-z0-9])'[A-Za-z0-9!#$%&*+_.-]{3,40}+(?![\"'`]))?+)"
)


def place_of(one: re.Match[str]) -> Place:
    """Return where a value starts and ends, without the signs before it and the end of a sentence after it."""
    start, end = one.span(one.lastgroup or 0)
    if one.lastgroup != "bare":
        return start, end
    text = one.string
    while start < end and text[start] in "=:>":
        start += 1
    if text[start : start + 3].upper() in ("%3D", "%3A"):
        # In a URL within a URL: up to the sign that ends a parameter there.
        start += 3
        ending = compiled(r"%3[Bb]|%26").search(text, start, end)
        end = ending.start() if ending else end
    parameter = compiled(r"&(?:amp;)?[A-Za-z_][\w.-]{1,40}=").search(text, start, end)
    end = parameter.start() if parameter else end
    entity = compiled(r"&(?:quot|apos|lt|gt|nbsp)\b").search(text, start, end)
    end = entity.start() if entity else end
    while start < end and text[end - 1] in ".:,":
        end -= 1
    return start, end
