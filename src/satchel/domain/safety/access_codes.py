"""Codes that people tell each other: PINs, one-time and door codes, combinations of locks, phrases of a wallet.

Digits alone are no secret; the word for such a code and a sign or verb that leads to the value make them one.
"""

import re
from collections.abc import Iterator

from satchel.domain.safety.answers import Value, answers
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import anything, is_example, is_placeholder_or_code
from satchel.domain.safety.secret_rule import SecretRule

# Between the word and its value: what the code is for, and then a sign or a verb.
_FOR = r"(?:[ \t](?>for|of|on|to|der|des|für|vom|zum|du|de|del|pour|para)[ \t][^\r\n:=：]{1,40}?)?"
_LEADS = (
    r"(?>[\"']?+[ \t]{0,8}+(?:[:=：~〜→]|=>|-{1,2}+>?+)[ \t]{0,8}+|[ \t]{1,4}+(?:is|was|ist|lautet|es|est|now|to|on)[ \t]{1,4}+"
    r"(?:now|jetzt|still|noch|ahora)?+[ \t]{0,2}+|[ \t]{0,2}+[是为為は][ \t]{0,2}+|[ \t](?=[0-9]{4,8}\b))"
)
_QUOTE = r"[\"'`“„«]?+[ ]?+"
# Four to twelve digits, in groups or with the keys of a keypad; not the beginning of a longer value or of a measure.
_DIGITS = (
    r"(?P<digits>[0-9A-Z#*](?:[ -]?+[0-9A-Z#*]){3,11}+)(?![\w%]|[.,:/-][\w%])"
    r"(?![ ]?(?:digits?|characters?|Zeichen|Stellen|chiffres|cifras|位)\b)"
)
_WORD = r"(?P<word>[^\s\"'`“”„«»<>，。；、,;()]{6,60}+)"
_PIN = r"[Pp](?<![A-Za-z].)(?:(?i:in)(?:[ _-]?+(?i:code|nummer|number))?+|(?i:uk))(?![A-Za-z0-9])"
_KINDS = (
    "access", "alarm", "backup", "building", "confirmation", "door", "entry", "front door", "garage", "gate", "house",
    "keypad", "lock", "login", "mfa", "2fa", "one-time", "recovery", "safe", "security", "sign-in", "sms", "unlock",
    "vault", "verification", "voicemail", "wifi", "wi-fi", "wlan", "zugangs", "tresor", "tür", "tor", "haustür",
    "sicherheits", "bestätigungs", "entsperr", "freischalt", "wiederherstellungs", "einmal",
)  # fmt: skip
_CODE = rf"(?>{'|'.join(f'(?<=(?i:{kind})[Cc])|(?<=(?i:{kind})[ _-][Cc])' for kind in _KINDS)})(?i:odes?)(?![A-Za-z])"
_CODE_OF = (
    r"(?>[Cc]ode[ ]?+(?:d'accès|d’accès|d'entrée|de (?:sécurité|vérification|confirmation|la porte|l['’](?:immeuble|alarme|entrée)))|[Cc]ode du (?:portail|coffre|garage|wifi)|"
    r"[Cc](?:ó|o)digo de (?:acceso|seguridad|verificaci(?:ó|o)n|la puerta|la alarma)|验证码|驗證碼|校验码|动态码|門禁碼|门禁码|取件码|暗証番号|認証コード)"
)
_WALLET = r"[SsMmRrWw助](?i:eed (?:phrase|words)|nemonic(?: phrase)?|ecovery phrase|allet (?:phrase|words)|记词|記詞)"
# What is opened with digits, and the verbs for typing them.
_LOCKS = (
    "bike lock", "cycle lock", "combination lock", "padlock", "keypad", "safe", "locker", "gate", "front door", "back door", "garage",
    "alarm", "intercom", "strongbox", "lockbox", "key box", "suitcase", "tresor", "schloss", "schließfach", "spind", "haustür",
    "hoftor", "tor", "alarmanlage", "tastenfeld", "schlüsselbox", "schlüsseltresor", "cancello", "cassaforte", "lucchetto", "portone",
    "allarme", "tastierino", "citofono", "cadenas", "portail", "digicode", "coffre", "alarme", "boîte à clés", "candado", "portón",
    "portal", "caja fuerte", "alarma", "teclado", "cadeado", "portão", "cofre", "sejf", "kłódk", "bram", "domofon", "kluis",
    "hangslot", "poort", "kassaskåp", "hänglås", "trezor", "zámek", "сейф", "домофон", "замок", "保险柜", "保险箱", "保險箱", "门锁", "門鎖", "门禁",
    "金庫", "玄関", "鍵", "자물쇠", "금고", "현관", "도어락",
)  # fmt: skip
_LOCK = "|".join(dict.fromkeys(f"[{lock[0].upper()}{lock[0]}](?i:{re.escape(lock[1:])})" for lock in _LOCKS))
_TYPED = (
    r"(?:(?i:(?<![a-z])(?:type|enter|press|dial|punch in|key in|code|digitare|digita|inserire|premere|eingeben|eintippen|tippen?|drücken|wählen|"
    r"taper|tapez|composer|composez|saisir|teclear?|teclea|marcar?|pulsar?|introducir|introduce|digitar|digite|wpisz|wpisać|wciśnij|toets|"
    r"slå|zadej|набрать|набери|введите))[ \t:]{1,3}|[输輸]入|按|入力|는|은|[:：=][ \t]{0,3})[\"'`“„«]?"
    r"(?P<value>[0-9#*](?:[ ]?[0-9#*]){3,9})(?![\w%/]|[.,:-][0-9])(?=[\"'`”»]?(?:[ \t]?[.,;!)，。]|[ \t]+[^\W\d_]|[\u3040-\u9fff]|[ \t]*(?:\r?\n|\Z)))"
)
# What is measured or counted is no code, nor is a lock of a program.
_MEASURED = r"(?i)[ \t]*(?:ms|sec|seconds?|min|minutes?|kg|km|cm|mm|m|eur|euros?|usd|dollars?|times?|people|users?|rows?|items?|files?|uhr|stück|°|€|\$)\b"
_OF_PROGRAM = r"(?i)\b(?:pid|process|thread|mutex|row|table|wait(?:ed|ing)?|acquired?|released?|held|logic|error|line|port)\b"
# One of several codes: on a line of its own, perhaps numbered, or after a comma.
_LISTED = r"[\s,;]{0,8}(?:[-*•][ \t]{1,4}|[0-9]{1,2}[.)][ \t]{1,4})?(?P<code>[A-Za-z0-9]{4,12}(?:[ -][A-Za-z0-9]{4,12}){0,3})(?=[\s,;]|\Z)"
_MOST_LISTED = 20
_WIDEST = 160
_PLACEHOLDERS = frozenset(["1234", "12345", "123456", "1234567", "12345678", "4321", "123 456"])


def _is_code(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return digits >= 3 and digits * 2 >= len(value) and len(set(value) - {" ", "-"}) > 1 and value not in _PLACEHOLDERS


def _is_code_or_word(value: str) -> bool:
    if _is_code(value):
        return True
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and not re.match(r"[\d.]+$", value) and not is_placeholder_or_code(value) and not is_example(value)


def _typed(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits that open a lock, if its line says that they are typed, or names nothing else."""
    first = text.rfind("\n", max(0, found.start() - _WIDEST), found.start()) + 1
    last = text.find("\n", found.end(), found.end() + _WIDEST)
    last = last if last >= 0 else min(len(text), found.end() + _WIDEST)
    if compiled(_OF_PROGRAM).search(text, first, last):
        return
    code = compiled(_TYPED).search(text, first, last)
    if code and _is_code(code["value"]) and not compiled(_MEASURED).match(text, code.end()):
        yield code.span("value")


def _answered(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits with which the next messages answer a question for a code."""
    return answers(text, found.start(), found.end(), _answers_with_code)


def _answers_with_code(one: Value) -> bool:
    is_short = 4 <= len(one.text) <= 10
    return is_short and (one.fills or one.pointed or one.last) and _is_code(one.text) and one.text.strip("#*").isdigit()


def _is_phrase(value: str) -> bool:
    words = [word for word in re.split(r"[\s,]+", value) if word.isalpha()]
    return len(words) >= 12 and len(set(words)) >= len(words) - 3


def _listed(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the codes of a list: several of the same length, with digits, one after another."""
    length, end = 0, found.end()
    for _ in range(_MOST_LISTED):
        code = compiled(_LISTED).match(text, end)
        if not code or (length and len(code["code"]) != length) or not any(map(str.isdigit, code["code"])):
            return
        length, end = len(code["code"]), code.end()
        yield code.span("code")


ACCESS_CODES: tuple[SecretRule, ...] = (
    SecretRule("pin", ("pin", "puk"), rf"{_PIN}{_FOR}{_LEADS}{_QUOTE}{_DIGITS}", _is_code, inside=True),
    SecretRule("pin", ("pin", "puk"), _PIN, anything, inside=True, values=_answered),
    SecretRule("access-code", ("code",), rf"[Cc]{_CODE}", anything, inside=True, values=_answered),
    SecretRule("access-code", _LOCKS, rf"(?<![A-Za-z])(?:{_LOCK})", anything, inside=True, values=_typed),
    SecretRule(
        "recovery-code",
        ("codes",),
        r"[Cc](?>(?<=(?i:recovery )[Cc])|(?<=(?i:backup )[Cc])|(?<=(?i:wiederherstellungs)[Cc])|(?<=(?i:scratch )[Cc]))(?i:odes)[^\r\n:：]{0,40}+[:：]",
        anything,
        inside=True,
        values=_listed,
    ),
    SecretRule(
        "access-code",
        ("code",),
        rf"[Cc]{_CODE}{_FOR}{_LEADS}{_QUOTE}(?:{_DIGITS}|{_WORD})",
        _is_code_or_word,
        inside=True,
    ),
    SecretRule(
        "access-code",
        (
            "code",
            "codigo",
            "código",
            "验证码",
            "驗證碼",
            "校验码",
            "动态码",
            "門禁碼",
            "门禁码",
            "取件码",
            "暗証番号",
            "認証コード",
        ),
        rf"{_CODE_OF}{_FOR}{_LEADS}{_QUOTE}(?:{_DIGITS}|{_WORD})",
        _is_code_or_word,
        inside=True,
    ),
    SecretRule(
        "access-code",
        ("code",),
        # A message from a service that one signs in to.
        rf"(?i:use|enter|your)(?i: code):?+[ ]{_DIGITS}(?=[ ](?i:to (?:sign|log|verify|confirm)))",
        _is_code,
    ),
    SecretRule(
        "access-code",
        ("combination", "kombination", "combinaison", "combinación", "combinacion"),
        rf"[CcKk](?i:ombination|ombinaison|ombinaci(?:ó|o)n){_FOR}{_LEADS}{_QUOTE}(?P<value>[0-9]{{1,2}}(?:[ -][0-9]{{1,2}}){{2,5}}+)(?![\w-])",
        _is_code,
    ),
    SecretRule(
        "wallet-phrase",
        ("seed", "mnemonic", "recovery phrase", "wallet", "助记词", "助記詞"),
        rf"{_WALLET}[^\r\n:：=]{{0,80}}+[:：=]?\s{{1,8}}+(?P<value>(?:[0-9]{{1,2}}[.)][ ]?+)?[a-z]{{3,8}}(?:[ ,\r\n]{{1,3}}+(?:[0-9]{{1,2}}[.)][ ]?+)?[a-z]{{3,8}}){{11,23}}+)(?![a-z])",
        _is_phrase,
        inside=True,
    ),
)
