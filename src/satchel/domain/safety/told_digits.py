"""What codes of digits look like, the words that lead to them, and the words that make digits something else."""

import re

from satchel.domain.safety.answers import Value
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.surroundings import line_start

# How far from a word its line is looked at.
WIDEST = 160
# What a code opens or is for; then the word itself.
_KINDS = (
    "access", "alarm", "backup", "building", "confirmation", "door", "entry", "front door", "garage", "gate", "house",
    "host", "keypad", "lock", "login", "meeting", "mfa", "2fa", "one-time", "recovery", "safe", "security", "sign-in", "sms", "unlock",
    "vault", "verification", "disarm", "duress", "buzzer", "intercom", "panel", "entrance", "lockbox", "locker", "key box", "pairing", "notfall", "voicemail", "wifi", "wi-fi", "wlan", "zugangs", "tresor", "tür", "tor", "haustür",
    "sicherheits", "bestätigungs", "entsperr", "freischalt", "wiederherstellungs", "einmal",
)  # fmt: skip
CODE = rf"(?>{'|'.join(f'(?<=(?i:{kind})[Cc])|(?<=(?i:{kind})[ _-][Cc])' for kind in _KINDS)})(?i:odes?)(?![A-Za-z])"
# A verb that says that digits are typed, and the digits or turns of a lock.
TYPED = (
    r"(?i:(?<![^\W\d_])(?:typed?(?: in)?|enter(?:ed)?|press|dial|punch(?: in)?|key in|hit|tap|digitare|digita|inserire|premere|eingeben|eintippen|tippen?|drücken|wählen|"
    r"taper|tapez|composer|composez|saisir|teclear?|teclea|marcar?|pulsar?|introducir|introduce|digitar|digite|wpisz|wpisać|wciśnij|toets|"
    r"geben sie(?: \S{1,12}){0,4}|gib(?: \S{1,12}){0,4}|then|dann|puis|luego|después|poi|потом|затем|slå|zadej|набрать|набери|введите))[ \t:]{1,3}|[输輸]入|按|入力|然后|再"
)
TOLD_DIGITS = (
    r"[\"'`“„«]?(?P<value>[0-9#*](?:[ ]?[0-9#*]){3,9}|[0-9]{1,2}(?:[ -][0-9]{1,2}){2,5}|[0-9]{1,4}[^\W\d_][0-9]{1,4}|[A-Z][0-9]{3,6}|[0-9]{3,6}[A-Z]|[^\W\d_]{1,2}[0-9]{2,4}[^\W\d_]{1,2}[0-9]{2,5}"
    r"|(?i:(?:left|right|links|rechts|gauche|droite|izquierda|derecha|[lr])[ ]?[0-9]{1,2}(?:,? ?(?:then )?(?:left|right|links|rechts|gauche|droite|izquierda|derecha|[lr])[ ]?[0-9]{1,2}){1,4}))"
    r"(?!(?!です|だよ|입니다|이에요|예요)[\w%/]|[.,:-][0-9])"
)
# Words of programs, addresses and shops, whose codes are no secret.
OF_PROGRAM = r"(?i)\b(?:pid|process|thread|mutex|row|table|wait(?:ed|ing)|acquired?|released?|held|logic|error|errors|exit|status|http|line|port|zip|postal|post|area|country|dial(?:l?ing)?|source|qr|bar|hotline|helpline|repo|repository|ticket|issue|branch|commit|product|article|item|airport|city|colou?r|currency)\b|拨打|[电電][话話]|客服|热线"
# What follows the code of a lock.
LOCK_ENDS = r"(?=[\"'`”»]?[ \t]?(?:[.,;!?)，。；]|\r?\n|\Z|です|(?i:then|and|dann|und|puis|et|luego|y|poi|e|potem|потом|затем)\b))"
# What is measured or counted is no code, nor is a lock of a program.
MEASURED = (
    r"(?i)[ \t]*(?:ms|sec|seconds?|min|minutes?|kg|km|cm|mm|m|eur|euros?|usd|dollars?|times?|people|users?|rows?|items?|files?|uhr|stück|°|€|\$|k?wh|kw|mah|lines?|words?|characters?|chars|entries|records|events?|errors?|steps|calories|pages?|points|coins|requests|attempts|tokens|bytes|[kmg]b|"
    r"hours?|days?|weeks?|months?|years?|miles|feet|square|pounds|by|yen|pesos?|rupees|rupien|zeilen|wörter|punkte|tage|jahre|stunden|mots|lignes|"
    r"palabras|líneas|puntos|per|pro|street|st\.|road|avenue|more|less)\b"
)
_DATE = r"(?:19|20)[0-9]{2}(?:(?:0[1-9]|1[0-2])[0-3][0-9])?"
_POSTAL = r"(?i)\b(?:postal|post office|address|addresses|road|street|nagar|marg|colony|district|city|town|village|courier|deliver\w{0,6}|shipping|pin ?code of [a-z]{3,20})\b|\(\w[\w ]{2,20}, \w"
_PLACEHOLDERS = frozenset(["1234", "12345", "123456", "1234567", "12345678", "4321", "123 456"])


def is_code(value: str) -> bool:
    """Return whether a value is mostly digits, not all the same and not counted up."""
    digits = sum(map(str.isdigit, value))
    return digits >= 3 and digits * 2 >= len(value) and len(set(value) - {" ", "-"}) > 1 and value not in _PLACEHOLDERS


def is_year(value: str) -> bool:
    """Return whether digits are a year or a date."""
    return compiled(_DATE).fullmatch(value) is not None


def is_postal(text: str, found: re.Match[str], digits: str) -> bool:
    """Return whether a PIN is a postal code, as in India: six digits, and the line has words of an address."""
    first = line_start(text, found.start(), WIDEST)
    is_six = compiled(r"[1-9][0-9]{2} ?[0-9]{3}").fullmatch(digits) is not None
    # A place after the code, as on an envelope.
    place = compiled(r",? [A-Z][a-z]{2,20}(?:, [A-Z][a-z]{2,20}|\Z|\n)").match(
        text, found.end("digits") if "digits" in found.groupdict() else found.end()
    )
    return is_six and (place is not None or compiled(_POSTAL).search(text, first, found.end() + 40) is not None)


def answers_with_code(one: Value) -> bool:
    """Return whether a message answers with a code."""
    looks_typed = compiled(
        r"[0-9#*]{4,10}|[0-9](?:-[0-9]{1,2}){2,5}|[A-Z]{1,2}[0-9]{3,8}[A-Z]{0,2}[#*]?|[0-9]{3,8}[A-Z]{1,2}"
    ).fullmatch(one.text)
    return looks_typed is not None and (one.fills or one.pointed or one.last) and is_code(one.text)
