"""Wishes that last: how a person says how they want things to be, beyond the moment. English and Chinese."""

import re

# A wish stands early in what is said; the rest of a long paste is not read.
MAX_READ_CHARS = 2_000

_LASTING_WISH = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\bplease )(?:always|never|from now on|going forward|in (?:the )?future|whenever|every time)\b"
    r"|\b(?:when(?:ever)?|each time|every time) i ask\b"
    r"|\bi(?:['’]d| would)? (?:\w+ )?(?:prefer|rather)\b|\bmy preference\b|\bi (?:\w+ )?(?:like|hate) (?:it|my|to) "
    r"|总是|總是|永远不要|永遠不要|从现在起|從現在起|以后[请都不别]|以後[請都不別]|每次我|每当我|每當我|[请請]务必|務必"
    r"|我(?:更|比较|比較|不|很|最)?(?:喜欢|喜歡|偏好)|我(?:宁愿|寧願|习惯|習慣)",
    re.IGNORECASE,
)


def is_lasting_wish(text: str) -> bool:
    """Say whether a text states how something is wanted from now on, or in general."""
    return _LASTING_WISH.search(text[:MAX_READ_CHARS]) is not None
