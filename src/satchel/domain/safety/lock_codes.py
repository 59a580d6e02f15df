"""Codes that open a door or a lock, unlock a device, or arrive in a message: what is opened is named, and its digits."""

import re
from collections.abc import Iterator

from satchel.domain.safety.answers import answers
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import anything
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.told_digits import (
    LOCK_ENDS,
    MEASURED,
    OF_PROGRAM,
    TOLD_DIGITS,
    TYPED,
    WIDEST,
    answers_with_code,
    is_code,
)

# What is opened with digits alone, and what a code may be for.
_LOCKS = (
    "bike lock", "cycle lock", "combination lock", "padlock", "keypad", "safe", "locker", "gate", "front door", "back door", "garage",
    "alarm", "intercom", "strongbox", "lockbox", "key box", "suitcase", "tresor", "schloss", "schließfach", "spind", "haustür",
    "hoftor", "alarmanlage", "tastenfeld", "schlüsselbox", "cancello", "cassaforte", "lucchetto", "portone", "allarme",
    "tastierino", "citofono", "cadenas", "portail", "digicode", "coffre", "alarme", "boîte à clés", "candado", "portón", "caja fuerte",
    "alarma", "teclado", "cadeado", "portão", "cofre", "sejf", "kłódk", "bram", "domofon", "kluis", "hangslot", "poort", "kassaskåp",
    "hänglås", "trezor", "zámek", "сейф", "домофон", "замок", "замк", "保险柜", "保险箱", "保險箱", "门锁", "門鎖", "门禁", "金庫", "玄関",
    "자물쇠", "금고", "현관", "도어락", "כספת", "خزنة", "brankas",
    # What is unlocked, and machines that give cash.
    "unlock", "screen lock", "lock screen", "control panel", "cash machine", "entsperr", "sperrbildschirm", "geldautomat", "bankautomat", "déverrouill",
    "distributeur", "desbloque", "cajero", "bloqueo de pantalla", "sblocc", "bancomat", "ontgrendel", "geldautomaat", "odblok", "bankomat", "larm", "porten", "минибанк", "банкомат", "разблок",
    "解锁", "解鎖", "ロック解除", "잠금", "提款", "取款",
)  # fmt: skip
_DOORS = (
    "door", "entrance", "building", "card", "phone", "sim", "tür", "eingang", "karte", "handy", "porte", "immeuble", "carte", "téléphone",
    "puerta", "entrada", "tarjeta", "móvil", "porta", "ingresso", "cartão", "carta", "drzwi", "wejści", "kart", "deur", "ingang", "kaart",
    "dörr", "dør", "kort", "dveř", "ajtó", "ovi", "kapı", "двер", "подъезд", "під'їзд", "карт", "πόρτα", "κάρτα", "דלת", "כניסה", "כרטיס",
    "باب", "بطاقة", "ประตู", "cửa", "pintu", "大门", "門口", "银行卡", "ドア", "カード", "카드", "문",
)  # fmt: skip

# English words that others begin with: safely, gateway, cardinal.
_WHOLE_WORDS = frozenset(["safe", "locker", "gate", "garage", "door", "building", "card", "phone"])
_WORD_ENDS = r"(?![a-rt-z]|s[a-z]|(?<=[A-Z])[A-Z])"
# Messages that bring a code, and devices that ask for one: both are mentioned with many other numbers.
_BRINGERS = (
    "texted", "text message", "sms", "authenticator", "received", "sent me", "bekommen", "erhalten", "reçu", "llegó", "llegado", "arrivato",
    "arrivata", "otrzymał", "пришел", "пришёл", "收到", "短信", "簡訊", "ショートメッセージ", "문자", "tablet", "laptop", "ipad", "iphone", "panel", "telefon",
    "teléfono", "celular", "telemóvel", "telefoon", "mobiel", "手机", "手機", "スマホ", "atm",
)  # fmt: skip

# Words for a code, which may be told apart from its digits, and verbs and signs that lead to them.
_CODE_WORD = (
    r"(?i:(?<![^\W\d_])(?:\w{0,20}codes?|pin|puk|clave|contraseña|senha|lösenord(?:et)?|kennwort|passwort|password|passcode|mot de passe|hasło|пароль|wachtwoord|geheimzahl|pin-?kode?|kode?n?|kód|koodi|codice|c[óo]digo|код\w{0,2}|п[иі]н(?:-код)?|κωδικός|ה?קוד|הצופן|الرمز|رمز|کد|कोड|รหัส|mã|kodu)(?![^\W\d_])"
    r"|コード|暗証番号|코드|번호|密码|密碼)"
)
_CODE_WORDS = _CODE_WORD + r"[^\r\n.]{0,50}?(?<![\w.,/$€£¥-])"
_CODE_NEAR = _CODE_WORD + (
    r"(?:[ \t]{0,3}|[^\r\n.,]{0,40}?(?:[:=：→]|->|[ \t](?i:is|was|ist|war|lautet|es|est|c['’]est|è|é|är|er|jest|je|это)|[是为為は는은])[ \t]{0,3})(?<![\w.,/$€£¥-])"
)
_OPENED = r"(?i:(?<![a-z])(?:opens? with|unlocks? with|unlock(?:ing)? (?:\S{1,12} ){0,3}with|se abre con|abre com|s['’]ouvre avec|si apre con|si sblocca con|se desbloquea con|se déverrouille avec|öffnet mit|entsperren mit|entsperrt mit|geht auf mit|takes|(?:it|c|that)['’](?:s|est)|is|ist|est|es|è|é|är|er|jest|je|это))[ \t]|(?:[:：=→]|->)[ \t]{0,3}|[是为為は는은][ ]?"
# Locks that a number right after them opens.
_NUMBER_LOCK = (
    r"(?i:bike lock|cycle lock|combination lock|padlock|keypad|lockbox|key box|schlüsselbox|digicode|cadenas|candado)"
)
# What makes four digits a year: in 2019
_OF_YEAR = r"(?i)\b(?:in|since|until|till|of|from|by|before|after|during|year|seit|bis|im jahr|jahr|von|en|depuis|desde|hasta|em|nel|dal|sinds|sedan)[ \t]\Z"


def _opens_lock(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits that open a lock: its line leads to them, or the next message tells them."""
    direct = compiled(rf"[ \t]{TOLD_DIGITS}{LOCK_ENDS}").match(text, found.end())
    if direct and compiled(_NUMBER_LOCK).fullmatch(found.group()) and is_code(direct["value"]):
        yield direct.span("value")
        return
    places = list(_opens_door(text, found)) or list(_on_line_of(text, found, f"(?:{_OPENED}){TOLD_DIGITS}{LOCK_ENDS}"))
    yield from places or answers(text, found.start(), found.end(), answers_with_code)


def _opens_door(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits of a line that names what they are for, and that they are a code or are typed."""
    return _on_line_of(text, found, f"(?:{_CODE_WORDS}|{TYPED}){TOLD_DIGITS}")


def _comes_with_code(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits to which the word for a code leads, or that are typed."""
    return _on_line_of(text, found, f"(?:{_CODE_NEAR}|{TYPED}){TOLD_DIGITS}")


def _on_line_of(text: str, found: re.Match[str], pattern: str) -> Iterator[tuple[int, int]]:
    first = line_start(text, found.start(), WIDEST)
    last = text.find("\n", found.end(), found.end() + WIDEST)
    first, last = max(first, found.start() - WIDEST), last if last >= 0 else min(len(text), found.end() + WIDEST)
    code = None if compiled(OF_PROGRAM).search(text, first, last) else compiled(pattern).search(text, first, last)
    if not code or compiled(r"[A-Z]{2,5}[ ]\Z").search(text, max(first, code.start("value") - 6), code.start("value")):
        # A standard: DIN 18101
        return
    is_year = compiled(r"(?:19|20)[0-9]{2}").fullmatch(code["value"]) and (
        not compiled(LOCK_ENDS).match(text, code.end())
        or compiled(_OF_YEAR).search(text, max(first, code.start("value") - 12), code.start("value"))
    )
    if not is_year and _is_lock_code(code["value"]) and not compiled(MEASURED).match(text, code.end()):
        yield code.span("value")


def _is_lock_code(value: str) -> bool:
    return is_code(value) or (sum(map(str.isdigit, value)) >= 3 and any(map(str.isalpha, value)))


def _end_of(word: str) -> str:
    """Return a condition on what follows a word: most are stems, which others begin with."""
    return r"(?![a-z])" if len(word) <= 3 else _WORD_ENDS if word in _WHOLE_WORDS else ""


LOCK_CODES: tuple[SecretRule, ...] = (
    # One rule for each word: a text has few of them.
    *(
        SecretRule(
            "access-code",
            (word,),
            in_any_case(word, r"(?<![A-Za-z].)") + _end_of(word),
            anything,
            inside=True,
            values=values,
            digits=True,
        )
        for words, values in ((_LOCKS, _opens_lock), (_DOORS, _opens_door), (_BRINGERS, _comes_with_code))
        for word in words
    ),
)
