"""Several codes at once: recovery codes one after another, and codes with labels under one heading."""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import anything
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.told_digits import CODE, is_code, is_postal, is_year

# One of several codes: on a line of its own, perhaps numbered, or after a comma.
_LISTED = r"[\s,;]{0,8}(?:(?:and|und|et|y)[ ]|[-*•][ \t]{1,4}|[0-9]{1,2}[.)][ \t]{1,4})?(?P<code>[A-Za-z0-9]{4,12}(?:[ -][A-Za-z0-9]{4,12}){0,3})(?=[\s,;]|\Z)"
_MOST_LISTED = 20
# Codes with labels under one heading: front 4417, back 9053.
_HEADINGS = (
    ("PINs", r"PINs(?<![A-Za-z]PINs)(?![A-Za-z])"),
    ("PIN", r"PIN(?<![A-Za-z]PIN)(?![A-Za-z])"),
    ("PUKs", r"PUKs(?<![A-Za-z]PUKs)(?![A-Za-z])"),
    ("TAN", r"TAN(?<![A-Za-ln-z.]TAN)(?:s|[ -]?(?i:liste?))(?![A-Za-z])"),
    *(
        (word, in_any_case(word, r"(?<![A-Za-z].)") + r"(?![A-Za-z])")
        for word in ("passcodes", "combos", "combinations")
    ),
    *(
        (word, rf"{word}(?![学學箱锁本管强重错錯更泄])")
        for word in ("密码", "密碼", "口令", "验证码", "備用碼", "备用码", "恢复码")
    ),
)
_HEADING_ENDS = r"[^\r\n:：—–0-9]{0,40}(?:[:：—–]|[ ]-(?=[ ])|\r?\n|[ ](?=[0-9]))"
_LABELLED = (
    r"[\s,，、;/|•·]{0,6}(?:[-*][ \t]{1,4}|(?:and|und|et|y)[ ])?(?:[^\W\d_][^\d\r\n,，、;:：=/|()]{0,24}?[ \t]{0,3}(?:[:：=-][ \t]{0,3})?)?"
    r"(?<![A-Za-z0-9_.-])(?P<code>[0-9]{4,8}[#*]?|[0-9]{1,2}(?:-[0-9]{1,2}){2,4})(?:[ ]?\([^()\d]{1,24}\))?(?=[\s,，、;/|.。)]|\Z)"
)


def _listed(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the codes of a list: several of the same length, with digits, one after another."""
    length, end = 0, found.end()
    for _ in range(_MOST_LISTED):
        code = compiled(_LISTED).match(text, end)
        if not code or (length and len(code["code"]) != length) or not any(map(str.isdigit, code["code"])):
            return
        length, end = len(code["code"]), code.end()
        yield code.span("code")


def _labelled(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the codes under a heading, each with a label: at least two of the same length."""
    heading = compiled(_HEADING_ENDS).match(text, found.end())
    end = heading.end() if heading else 0
    places: list[tuple[int, int]] = []
    while end and len(places) < _MOST_LISTED:
        code = compiled(_LABELLED).match(text, end)
        if not code or not is_code(code["code"]) or (places and len(code["code"]) != places[0][1] - places[0][0]):
            break
        places.append(code.span("code"))
        end = code.end()
    # A PIN code of six digits is a postal code in India.
    are_postal = any(is_postal(text, found, text[start:stop]) for start, stop in places) or (
        heading is not None and "code" in heading.group() and all(stop - start == 6 for start, stop in places)
    )
    if len(places) > 1 and not are_postal and not all(is_year(text[start:stop]) for start, stop in places):
        yield from places


LISTED_CODES: tuple[SecretRule, ...] = (
    SecretRule(
        "recovery-code",
        (
            "codes de secours",
            "codes de récupération",
            "códigos de",
            "notfallcodes",
            "恢复码",
            "備用碼",
            "备用码",
            "バックアップコード",
        ),
        r"(?i:codes de (?:secours|récupération)|códigos de (?:respaldo|recuperación|recuperação|emergencia)|notfallcodes|恢复码|備用碼|备用码|バックアップコード)[^\r\n:：]{0,60}+(?:[:：]|\r?\n)",
        anything,
        inside=True,
        values=_listed,
    ),
    SecretRule(
        "recovery-code",
        ("codes",),
        r"[Cc](?>(?<=(?i:recovery )[Cc])|(?<=(?i:backup )[Cc])|(?<=(?i:wiederherstellungs)[Cc])|(?<=(?i:scratch )[Cc]))(?i:odes)(?:[^\r\n:：]{0,60}+(?:[:：]|\r?\n)|[ \t](?=[A-Za-z0-9]{4,6}-[0-9]))",
        anything,
        inside=True,
        values=_listed,
    ),
    *(
        SecretRule("access-code", (word,), pattern, anything, inside=True, digits=True, values=_labelled)
        for word, pattern in _HEADINGS
    ),
    SecretRule("access-code", ("codes",), rf"[Cc]{CODE}", anything, inside=True, digits=True, values=_labelled),
)
