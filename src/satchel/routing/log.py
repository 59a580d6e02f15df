"""Lines of the router's log, in the form of its specification. No text in them can begin a line of its own."""

from satchel.domain.moment import iso
from satchel.domain.routing import Outcome
from satchel.domain.text import readable
from satchel.routing.dispatch import Mishap

MAX_QUERY_CHARS = 200
MAX_ERROR_CHARS = 500


def line(mishap: Mishap, query: str, now: int) -> str:
    """Return the line that tells of a step which failed or took too long."""
    attempt, following = mishap.attempt, mishap.following or "none"
    head = f'[{iso(now)[:19]}Z] {{}} query="{_quoted(query, MAX_QUERY_CHARS)}" backend={attempt.backend}'
    if attempt.outcome is Outcome.TIMEOUT:
        return f"{_marked(head, 'TIMEOUT')} duration_ms={attempt.duration_ms} next={following}"
    code = _word(attempt.error_code or "")
    message = _quoted(attempt.error_message or "", MAX_ERROR_CHARS)
    return f'{_marked(head, "FALLBACK")} error_code={code} error_message="{message}" next={following}'


def _marked(head: str, word: str) -> str:
    return head.replace("{}", word, 1)


def _word(text: str) -> str:
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else "_" for letter in text)[:60]


def _quoted(text: str, limit: int) -> str:
    """Return a text with quotes, backslashes and whatever could end or colour a line written as escapes."""
    cut = readable(text[:limit])
    return "".join(_escaped(letter) for letter in cut)


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
