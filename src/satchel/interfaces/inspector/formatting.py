"""How templates write times, numbers and texts that somebody else wrote."""

from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from satchel.domain.moment import iso
from satchel.domain.safety.compiled import compiled
from satchel.domain.text import replace_undecodable
from satchel.interfaces.hidden_characters import HIDDEN
from satchel.interfaces.local_time import local_time

EXCERPT_CHARS = 240
_RECORD_ID = r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"
_PAGES_OF_RECEIPTS = {
    "turn before": "/turns",
    "turn after": "/turns",
    "turn start": "/turns",
    "pack": "/packs",
    "attention route": "/packs",
    "route": "/routes",
}


def shown_text(text: str | None) -> Markup:
    """Return a text as markup that shows its hidden characters, isolated from the direction of the text around it."""
    parts = [Markup('<bdi class="text">')]
    position = 0
    clean = replace_undecodable(text or "")
    for found in compiled(HIDDEN).finditer(clean):
        code = f"U+{ord(found.group()):04X}"
        parts += (escape(clean[position : found.start()]), Markup('<span class="hidden">{}</span>').format(code))
        position = found.end()
    return Markup("").join([*parts, escape(clean[position:]), Markup("</bdi>")])


def excerpt(text: str | None, chars: int = EXCERPT_CHARS) -> Markup:
    """Return the beginning of a text on one line, as markup."""
    line = " ".join((text or "")[: chars * 4].split())
    return shown_text(line if len(line) <= chars and len(text or "") <= chars * 4 else f"{line[:chars].rstrip()}…")


def linked(text: Markup) -> Markup:
    """Return a shown text with the ids of records that it names as links; only those that Satchel gave are recognized."""
    return Markup(compiled(_RECORD_ID).sub(r'<a href="/memories/\g<0>">\g<0></a>', str(text)))


def plain_text(text: str | None, chars: int = EXCERPT_CHARS) -> str:
    """Return the beginning of a text on one line with its hidden characters named, for places that take no markup."""
    line = " ".join(replace_undecodable(text or "")[: chars * 4].split())
    cut = line if len(line) <= chars else f"{line[:chars].rstrip()}…"
    return compiled(HIDDEN).sub(lambda found: f"U+{ord(found.group()):04X}", cut)


def moment(at: int | None) -> Markup:
    """Return a time as markup, in local time: to the minute, with the exact time in UTC for machines."""
    if at is None:
        return Markup('<span class="none">never</span>')
    exact = iso(at)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(exact, exact, local_time(at)[:16])


def ago(at: int | None, now: int) -> Markup:
    """Return how long ago a time was, as markup with the exact time."""
    if at is None:
        return moment(at)
    exact = iso(at)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(exact, exact, _distance((now - at) // 1000))


def _distance(seconds: int) -> str:
    if seconds < 60:
        return "just now"
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count:,} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def count(number: float) -> str:
    """Return a number with separators between thousands."""
    return f"{number:,}"


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 as a percentage."""
    return "–" if share is None else f"{share:.0%}"


def words(name: str | None) -> str:
    """Return a name such as must_remember as words."""
    return (name or "").replace("_", " ")


def address(path: str, **parameters: object) -> str:
    """Return a path with parameters, without those that are empty."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(given, errors='replace')}" if given else path


def address_before(path: str, name: str, **parameters: object) -> str:
    """Return an address that ends in a parameter without its value."""
    start = address(path, **parameters)
    return f"{start}{'&' if '?' in start else '?'}{name}="


def path_part(name: str) -> str:
    """Return a name as one part of a path."""
    return quote(replace_undecodable(name), safe="")


def receipt_path(operation: str, digest: str) -> str:
    """Return the address of the page that explains a receipt best."""
    return f"{_PAGES_OF_RECEIPTS.get(operation, '/receipts')}/{path_part(digest)}"
