"""Choose the part of a long text that a result shows: the one with most of the question's words."""

import re

from satchel.domain.routing import MAX_CONTENT_CHARS
from satchel.domain.words import question_terms, text_terms
from satchel.recall.relevance import word_forms

GAP = "… "
# How much of a text is read.
MAX_CHARS = 20_000
# A line that starts a list item or heading, or follows an empty one, starts a sentence; others may only be wrapped.
_SENTENCES = re.compile(r".+?(?:[.!?](?=\s)|[。！？]|\n(?=\s*\n|[ \t]*[-*#>|])|\Z)\s*", re.DOTALL)


def excerpt(text: str, question: str, limit: int = MAX_CONTENT_CHARS) -> str:
    """Return a text of at most `limit` characters, or the part of it with most of the question's words.

    Of equal parts, the first one. A text shows its beginning if no part has more of the words.
    """
    if len(text) <= limit:
        return text
    forms = [word_forms(term) for term in question_terms(question)]
    sentences = list(_SENTENCES.finditer(text[:MAX_CHARS]))
    words = [text_terms(one.group()) for one in sentences]

    def held(place: int) -> int:
        """Count the words that a part starting with this sentence has in whole sentences."""
        end = sentences[place].start() + limit - len(GAP)
        last = place + 1
        while last < len(sentences) and sentences[last].end() <= end:
            last += 1
        shown = frozenset[str]().union(*words[place:last])
        return sum(not shown.isdisjoint(form) for form in forms)

    best = max(range(len(sentences)), key=lambda place: (held(place), -place), default=0)
    start = sentences[best].start() if best else 0
    return f"{GAP}{text[start:]}" if start else text
