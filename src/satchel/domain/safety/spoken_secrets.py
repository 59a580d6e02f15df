"""Detect secrets in a sentence that are too uncertain to redact, but must not be stored automatically."""

import unicodedata
from itertools import pairwise

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.redact import redacted

_SPOKEN = (
    r"\b(?:pass(?:word|phrase|code|wd)|pin(?: code)?|api key|access key|secret(?: key)?|token|private key|"
    r"recovery code|cvv|cvc|"
    r"security code)\b[^.!?]{0,40}?(?:\bis\b|\bto\b|=|:)\s*[\"'`]?(?=\S{0,60}[\d!@#$%^&*])\S{4,}|"
    r"(?:passw\w{2,5}|salt\d*|secret|credentials?|login|access_?id|activation key|"
    r"license key)\b.{0,30}[\"'=:]\s*[\"']?(?=\S{0,60}\d)(?=\S{0,60}[a-z])[^\s.]{6,}|"
    r"://[^\s/]{1,80}:[^\s/]{1,80}@|\bauthorization\s*:|\bcurlopt_\w+|securestring|--[\w-]{0,30}(?:token|secret|"
    r"password|bearer)[\w-]{0,30}[ =]\S|\bcurl\b.{0,80} -u\s|"
    r"(?:密碼|密码|口令|金鑰|密钥|密鑰|驗證碼|验证码|通行碼|通行码)[^,。]{0,12}?(?:是|為|为|:|=|"
    r"改成)\s*(?=\S{0,60}[\da-z])[^\s,。]{4,}"
)
_CARD = r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)"
_TOKEN = r"[a-z0-9+/=_|-]{12,}"
# Words and version numbers switch between letters and digits once or twice, keys often.
MIN_CHANGES = 3
MIN_LETTERS = 4
MIN_DIGITS = 3


def contains_secret(text: str) -> bool:
    """Return whether a sentence contains a password, a card number, or something that looks like a key."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return (
        bool(redacted(text).found)
        or compiled(_SPOKEN).search(folded) is not None
        or any(_is_card(found.group()) for found in compiled(_CARD).finditer(folded))
        or any(_is_key(found.group()) for found in compiled(_TOKEN).finditer(folded))
    )


def _is_card(number: str) -> bool:
    digits = [int(digit) for digit in number if digit.isdigit()]
    doubled = [digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(digits))]
    return len(digits) >= 13 and sum(doubled) % 10 == 0 and len(set(digits)) > 1


def _is_key(token: str) -> bool:
    marks = [letter for letter in token if letter.isalnum()]
    letters, digits = sum(map(str.isalpha, marks)), sum(map(str.isdigit, marks))
    changes = sum(one.isdigit() != other.isdigit() for one, other in pairwise(marks))
    return letters >= MIN_LETTERS and digits >= MIN_DIGITS and changes >= MIN_CHANGES
