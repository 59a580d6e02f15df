"""Codes to which a sentence leads, in any of the languages: the word for a code, what it is for, a verb, and the code.

Digits follow many words for a code, so the verb must say what the code is or what it was changed to, and nothing on the
line may make it the code of a program, a shop or an address.
"""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.secret_checks import anything, is_example
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.told_digits import (
    LOCK_ENDS,
    MEASURED,
    OF_PROGRAM,
    TOLD_DIGITS,
    WIDEST,
    is_code,
    is_postal,
    is_year,
)

# A code is told after these; locks and keypads have one, too.
_NOUNS = (
    "pin", "nip", "pincode", "pin-code", "pin code", "code", "codes", "passcode", "combination", "combo", "digicode", "türcode", "zugangscode", "zahlencode", "zahlenkombination",
    "keypad", "door", "gate", "locker", "garage", "alarm", "bike lock", "padlock", "lockbox", "key box", "geheimzahl", "código", "codigo", "clave", "combinación", "codice", "combinazione", "pin-kod", "pinkod",
    "kod", "kódu", "kód", "koodi", "ovikoodi", "kode", "koden", "portkoden", "dørkoden", "pinkode", "pincode", "deurcode", "toegangscode", "kodu", "şifresi", "код", "кода", "пин", "пин-код", "κωδικός", "קוד", "رمز", "mã", "kode pintu",
    "verification", "confirmation code", "security code", "guard code", "access code", "entry code", "code d'accès", "code d’accès", "code d'entrée",
)  # fmt: skip
# Also the end of a longer word, which says what the code is for: larmkoden.
_COMPOUND = frozenset(["code", "kode", "koden", "kod", "koodi"])
_UNSPACED_NOUNS = (
    "暗証番号",
    "オートロック",
    "番号",
    "コード",
    "门禁码",
    "門禁碼",
    "门禁密码",
    "开门码",
    "密码",
    "密碼",
    "비밀번호",
    "번호",
)
_NOW = r"(?:(?i:now|still|always|again|set to|jetzt|nun|noch|wieder|ahora|todavía|aún|maintenant|toujours|désormais|ora|adesso|ancora|agora|ainda|teraz|nadal|nu|nå|nyt|теперь|сейчас)[ ])?"
_ARTICLE = r"(?:(?i:the|le|la|el|il|o|die|der|den)[ ])?"
_COPULA = r"[ ](?i:is|was|['’]s|ist|war|lautet|heißt|est|sera|c['’]est|es|será|era|è|é|jest|to|je|är|er|on|var|werd|wordt|это|был|είναι|הוא|היא|هو|là|adalah)[ ]"
_STAYS = (
    r"[ ](?i:(?:quedó|queda|sigue|está)[ ](?:en|siendo)|stays|stay|remains|became|becomes|reste|devient|bleibt|wurde|steht auf|geht auf|resta|rimane|diventa|è diventato|ficou|fica|continua|blev|ble|blir|is nu|nu|"
    r"wants|takes|accepts|needs|opens?[ ](?:with|on)|works[ ]with|unlocks?[ ](?:with|on)|is[ ]on|stands[ ]at|теперь|став|стал)[ ]"
)
_CHANGED = (
    r"[^\r\n0-9.!?;]{0,40}?(?:(?<=[ ,(])(?i:set|changed?|reset|switched|updated|moved|rotated|geändert|gesetzt|umgestellt|cambi\w{1,6}|chang\w{1,4}|pass[eé]|mis|modifié|cambiat[oa]|impostat[oa]|mudou|mudei|alterad[oa]|trocad[oa]|"
    r"zmieni\w{1,6}|ustawi\w{1,6}|změn\w{1,5}|nastav\w{1,5}|ändra[dt]\w{0,2}|bytt|endret|gewijzigd|veranderd|ingesteld|измен\w{1,6}|смен\w{1,6}|поменя\w{1,6})(?:[ ][^\W\d_]{1,12}){0,3}|(?<=[ ])(?i:cambi[éó]|changé)[^\r\n0-9.]{0,20})[ ](?i:to|auf|in|a|à|en|para|por|na|till|til|naar|на)[ ]"
)
_SIGN = r"[ ]{0,2}(?:[:=：→]|->|=>|[—–](?=[ ]))[ ]{0,2}"
_FOR = r"(?:[ ][^\s:=.,;!?0-9]{1,16}){0,6}?"
# A noun right after the word makes it another thing.
_NO_NOUN = r"(?![ _-]?(?i:reviews?|base|paths?|changes?|coverage|freeze|sections?|blocks?|lines?|points?|quality|style|owners?|gen\w*|snippets?|names?|types?|count|panel|number of|events?|bell|clock|keeper|way|valve)\b)"
_LEAD = rf"{_NO_NOUN}(?:{_FOR}(?:(?:{_COPULA}|{_STAYS}){_NOW}{_ARTICLE}|{_SIGN})|{_CHANGED})"
# A verb before the noun: I changed the PIN to …
_CHANGED_BEFORE = r"(?i)(?<![^\W\d_])(?:set|changed?|reset|switched|updated|geändert|ändere|cambi\w{1,3}|changé|modifié|mudei|mudou|zmieni\w{1,6}|změnil\w?|ändrade|endret|сменил\w?|поменял\w?)[ ](?:\S{1,12}[ ]){0,4}\Z"
_CHANGED_TO = r"(?:[ ][^\s:=.,;!?0-9]{1,16}){0,5}?[ ](?i:to|auf|in|a|à|en|para|por|na|till|til|naar|на)[ ]"
# Right after the noun, if the clause ends there: parental control pin 8264 (…
_DIRECT = r"[ ](?=[0-9]{4,8}[#*]?(?:[ ]?[(,;—–]|[.!]?[ \t]*(?:\r?\n|\Z)|[ ](?:still|then|and|valid|expires?)\b))"
_DIRECT_NOUNS = frozenset(["pin", "nip", "passcode", "code", "access code", "entry code", "pin code", "pincode"])
_BARE = frozenset(
    [
        "code",
        "codes",
        "código",
        "codigo",
        "codice",
        "kod",
        "kód",
        "koodi",
        "kode",
        "код",
        "clave",
        "alarm",
        "gate",
        "door",
        "locker",
        "garage",
        "combo",
    ]
)
# Places that have a number and a size, too: the code must end its clause.
_PLACES = frozenset(["alarm", "gate", "door", "locker", "garage", "keypad"])
_OF_OWNER = r"(?i)(?:control|voicemail|card|phone|sim|alarm|door|gate|lock|scratch|backup|recovery|access|entry|safe|tablet|ipad|iphone)[ ]\Z"
_UNSPACED_LEAD = r"(?:[^0-9A-Za-z\s。，；！？]{0,10}?(?:[是為为は가은는이]|が|を|(?:改|换|換|变|變|设|設)(?:成|为|為|到|了)+|[:：])[ ]?)"
_UNSPACED_CODE = r"(?P<value>[0-9#*][0-9#* -]{2,8}[0-9#*]|[A-Z]{0,2}[0-9]{4,8}[#*]?)(?![0-9A-Za-z%]|[ ]?(?:[位个個次年月天日秒分行元块条字人件]|文字|桁|자리|번째|개|초|분))"
# Codes that are no secret, on the same line.
_OF_OTHERS = (
    r"(?i)bar-?code|op-?code|encode|decode|unicode|keycode|geocode|qr-?code|source-?code|quellcode|statuscode|länderkod|landskod|erreur|fehler|\berrore|erro\b|ошибк|błęd|chyb[ay]|\bfel\w{0,3}kod|feilkod|hata|lỗi|hiba|virhe|θφάλμα|שגיאה|خطأ|错误|錯誤|エラー|오류|postal|postleit|plz\b|почт|pocztow|邮政|郵便|우편|"
    r"promo|discount|coupon|voucher|gutschein|rabatt|descuento|sconto|fiscale|steuer|faktur|invoice|rechnung|factura|vat\b|podatk|produ[kc]t|produit|artikel|article|articolo|artículo|"
    r"gpio|arduino|header|connector|numpy|version|release|colou?r|farb|couleur|\bzip\b|postcode|country|area code|model\w?\b|modèle|etage|floor|étage|piso|room|raum|salle|flug|flight|track"
)
# Several groups of letters and digits, as backup codes are printed.
_GROUPED = (
    r"(?P<value>(?=[A-Za-z0-9 -]{0,40}[0-9])(?:(?=[a-z0-9]*[a-z])|(?=[A-Z0-9]*[0-9]))[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,5}|(?=[A-Z0-9 ]{0,40}[0-9])(?=[A-Z0-9 ]{0,40}[A-Z])[A-Z0-9]{4}(?:[ ][A-Z0-9]{4}){2,7}|[0-9]{4}[ ][0-9]{4}|[0-9]{8}|(?=[a-z]*[0-9])[a-z0-9]{8,12}|(?=[A-Z0-9]{0,9}[0-9])(?=[0-9]{0,9}[A-Z])[A-Z0-9]{5,10})"
    r"(?![\w-]|[.:/][\w])"
)
_DATE = r"(?:19|20)[0-9]{2}-[0-9]{2}.*"
_BACKUP = (
    "backup code", "recovery code", "scratch code", "reserve code", "rescue code", "emergency code", "one-time code", "one time code", "guard code", "2fa code", "mfa code", "2fa recovery", "mfa recovery", "recovery key", "notfallcode", "backup-code", "wiederherstellungscode",
    "sicherungscode", "ersatzcode", "code de secours", "code de récupération", "código de respaldo", "código de recuperación", "código de emergencia", "código de recuperação", "código reserva", "codice di backup", "codice di recupero", "codice di riserva",
    "kod zapasowy", "kod awaryjny", "herstelcode", "back-upcode", "reservkod", "nødkode", "záložní kód", "резервный код", "код восстановления", "备用码", "備用碼", "备用验证码", "备份码", "恢复码", "恢復碼", "バックアップコード", "リカバリーコード", "백업 코드", "복구 코드",
)  # fmt: skip
_TO_GROUPED = r"[^\W\d_]{0,4}(?:[ ][^\s:=.;!?0-9(]{1,16}){0,7}?(?:[ ]{0,2}(?:[:：=→,(—–-]|->)[ \t]{0,2}|[ ](?i:is|was|ist|est|es|è|é|jest|je|är|er|это)[ ]|[是は는은][ ]?|[ ])[\"'`“„«]?"


def _line(text: str, found: re.Match[str]) -> Place:
    first = line_start(text, found.start(), WIDEST)
    last = text.find("\n", found.end(), found.end() + WIDEST)
    return first, last if last >= 0 else min(len(text), found.end() + WIDEST)


def _is_of_others(text: str, first: int, last: int) -> bool:
    return any(compiled(words).search(text, first, last) for words in (OF_PROGRAM, _OF_OTHERS))


def _led(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the code to which the words after the noun lead."""
    first, last = _line(text, found)
    patterns = [f"{_LEAD}{TOLD_DIGITS}"]
    if compiled(_CHANGED_BEFORE).search(text, first, found.start()):
        patterns.append(f"{_CHANGED_TO}{TOLD_DIGITS}")
    if found.group().lower() in _DIRECT_NOUNS and compiled(_OF_OWNER).search(text, first, found.start()):
        patterns.append(f"{_DIRECT}{TOLD_DIGITS}")
    codes = (compiled(pattern).match(text, found.end(), last) for pattern in patterns)
    code = next((one for one in codes if one), None)
    # A sign right after the bare word is in many texts of programs; other rules know what such a code is for.
    is_bare = (
        found.group().lower() in _BARE and code and not any(map(str.isalpha, text[found.end() : code.start("value")]))
    )
    if code and not is_bare and _is_told(text, found, code) and not _is_of_others(text, first, last):
        yield code.span("value")


def _is_told(text: str, found: re.Match[str], code: re.Match[str]) -> bool:
    value = code["value"]
    return (
        is_code(value)
        and len(value) >= 4
        and not is_year(value)
        and not is_postal(text, found, value)
        and not compiled(MEASURED).match(text, code.end())
        and (found.group().lower() not in _PLACES or compiled(LOCK_ENDS).match(text, code.end()) is not None)
    )


def _led_unspaced(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the code after a noun in a script without blanks."""
    first, last = _line(text, found)
    code = compiled(_UNSPACED_LEAD + _UNSPACED_CODE).match(text, found.end(), last)
    if code and _is_told(text, found, code) and not _is_of_others(text, first, last):
        yield code.span("value")


def _grouped(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield a single backup code."""
    code = compiled(_TO_GROUPED + _GROUPED).match(text, found.end())
    if code and not is_example(code["value"]) and not compiled(_DATE).fullmatch(code["value"]):
        yield code.span("value")


LED_CODES: tuple[SecretRule, ...] = (
    *(
        SecretRule(
            "access-code",
            (word,),
            in_any_case(word, "" if word in _COMPOUND else r"(?<![^\W\d_].)") + r"(?![^\W\d_])",
            anything,
            inside=True,
            digits=True,
            values=_led,
        )
        for word in dict.fromkeys(_NOUNS)
    ),
    *(
        SecretRule("access-code", (word,), word, anything, inside=True, digits=True, values=_led_unspaced)
        for word in _UNSPACED_NOUNS
    ),
    *(
        SecretRule(
            "recovery-code", (word,), in_any_case(word).replace(r"\ ", "[ _-]"), anything, inside=True, values=_grouped
        )
        for word in _BACKUP
    ),
)
