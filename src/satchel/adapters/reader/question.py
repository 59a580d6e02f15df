"""What a question about a decision asks for: the reason, the choice, why not, what held before, or when."""

import re

_KINDS = (
    ("before", r"\bbefore\b|\bpreviously\b|\bused to\b|\bprevious\b|\bprior\b|\bearlier\b|\bformer\b|\binitially\b|\boriginally\b"
     r"|\bat first\b|之前|以前|原本|原来|原來|先前|前一個|前一个|本來|本来"),
    ("when", r"^\W*(?:since )?when\b|\bwhat (?:day|date)\b|什么时候|什麼時候|何时|何時|哪天|几时|幾時"),
    ("why_not", r"\bwhy (?:not|no|didn't|don't|did not|do not|aren't|haven't|isn't|wasn't|won't|can't|doesn't|hasn't)\b"
     r"|\bwhy\b[^?]{0,40}\b(?:not|against|reject\w*|drop\w*|instead of|rule\w* out)\b|\bwhat (?:was|is|'s) wrong with\b"
     r"|(?:为什么|為什麼|为何|為何|怎么|怎麼)[^？?]{0,12}(?:不|没|沒|放弃|放棄|否)"),
    ("why", r"\bwhy\b|\breasons?\b|\brationale\b|\bhow come\b|\bwhat (?:made|led|speaks?|spoke|persuaded|convinced|argument)\b"
     r"|为什么|為什麼|为何|為何|为啥|為啥|原因|理由|怎么会|怎麼會"),
)  # fmt: skip


def asks(question: str) -> str:
    """Return what a question asks for: why, why_not, before, when, or what."""
    plain = question.replace("\u2019", "'")
    return next((kind for kind, pattern in _KINDS if re.search(pattern, plain, re.IGNORECASE)), "what")
