"""Codes that people tell each other: PINs, one-time and door codes, combinations of locks.

Digits alone are no secret; the word for such a code and a sign or verb that leads to the value make them one.
"""

import re
from collections.abc import Iterator

from satchel.domain.safety.answers import Value, answers
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import anything, entropy, is_example, is_placeholder_or_code
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start

# Between the word and its value: what the code is for, and then a sign or a verb.
_FOR = r"(?:[ \t](?>for|of|on|to|der|des|fürs?|vom|zum|zur|du|de|del|pour|para|per|do|da)[ \t][^\r\n:=：]{1,40}?)?"
_LEADS = (
    r"(?>['’]s[ ]|[\"']?+[ \t]{0,8}+(?:[:=：~〜→]|=>|-{1,2}+>?+)[ \t]{0,8}+|[ \t]{1,4}+(?:is|was|ist|lautet|es|est|now|to|on)[ \t]{1,4}+"
    r"(?:now|jetzt|still|noch|ahora)?+[ \t]{0,2}+|[ \t]{0,2}+[是为為は][ \t]{0,2}+|[ \t](?=[0-9]{4,8}[#*]?+(?:[ \t]{0,4}(?:[.,;!)/，。\"'\r\n]|\Z|[\u4e00-\u9fff])|[ \t](?:and|then|for|to|valid|und|dann|für|et|puis|pour|y|luego|para|(?i:p(?:in|uk)[12]?))[ \t])))"
)
_QUOTE = r"[\"'`“„«]?+[ ]?+"
# Four to twelve digits, in groups or with the keys of a keypad; not the beginning of a longer value or of a measure.
_DIGITS = (
    r"(?P<digits>[0-9A-Z#*](?:[ -]?+[0-9A-Z#*]){3,11}+)(?![\w%]|[.,:/-][\w%])"
    r"(?![ ]?(?:digits?|characters?|Zeichen|Stellen|chiffres|cifras|位)\b)"
)
_WORD = r"(?P<word>[^\s\"'`“”„«»<>，。；、,;()]{6,60}+)"
_PIN = r"(?:[Gg]eheim(?:zahl|nummer)|[Pp](?:(?<![A-Za-z].)|(?<=[Kk]arten.)|(?<=[Hh]andy.))(?:(?i:in)(?:[ _-]?+(?i:code|nummer|number))?+|(?i:uk)[12]?))(?![A-Za-z0-9])"
_KINDS = (
    "access", "alarm", "backup", "building", "confirmation", "door", "entry", "front door", "garage", "gate", "house",
    "host", "keypad", "lock", "login", "meeting", "mfa", "2fa", "one-time", "recovery", "safe", "security", "sign-in", "sms", "unlock",
    "vault", "verification", "disarm", "duress", "buzzer", "intercom", "panel", "entrance", "lockbox", "locker", "key box", "pairing", "notfall", "voicemail", "wifi", "wi-fi", "wlan", "zugangs", "tresor", "tür", "tor", "haustür",
    "sicherheits", "bestätigungs", "entsperr", "freischalt", "wiederherstellungs", "einmal",
)  # fmt: skip
_CODE = rf"(?>{'|'.join(f'(?<=(?i:{kind})[Cc])|(?<=(?i:{kind})[ _-][Cc])' for kind in _KINDS)})(?i:odes?)(?![A-Za-z])"
_CODE_OF = (
    r"(?>[Cc]ode[ ]?+(?:d'accès|d’accès|d'entrée|de (?:sécurité|vérification|confirmation|la porte|l['’](?:immeuble|alarme|entrée)))|[Cc]ode du (?:portail|coffre|garage|wifi)|"
    r"[Cc](?:ó|o)digo de (?:acceso|seguridad|verificaci(?:ó|o)n|la puerta|la alarma)|验证码|驗證碼|校验码|动态码|門禁碼|门禁码|取件码|提取码|恢复码|恢復碼|激活码|登录码|配对码|开门码|安全码|备用码|暗証番号|認証コード)"
)
# Words for a password of which digits alone may be told, and those digits.
_PASSWORDS = (
    "passcode",
    "password",
    "passwort",
    "kennwort",
    "contraseña",
    "mot de passe",
    "senha",
    "wachtwoord",
    "hasło",
    "heslo",
    "пароль",
)
_DIGITS_OF_CLAUSE = r"(?P<value>[0-9]{4,10}[#*]?)(?=[\"'”»)]?(?>[.,;!](?![\w%])|[ \t]{0,4}(?:\r?\n|\Z)|[ ](?:and|then|und|dann|et|y|or)[ ]|[ ][(–—-]))"
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
_TYPED = (
    r"(?i:(?<![^\W\d_])(?:typed?(?: in)?|enter(?:ed)?|press|dial|punch(?: in)?|key in|hit|tap|digitare|digita|inserire|premere|eingeben|eintippen|tippen?|drücken|wählen|"
    r"taper|tapez|composer|composez|saisir|teclear?|teclea|marcar?|pulsar?|introducir|introduce|digitar|digite|wpisz|wpisać|wciśnij|toets|"
    r"geben sie(?: \S{1,12}){0,4}|gib(?: \S{1,12}){0,4}|then|dann|puis|luego|después|poi|потом|затем|slå|zadej|набрать|набери|введите))[ \t:]{1,3}|[输輸]入|按|入力|然后|再"
)
_OPENED = r"(?i:(?<![a-z])(?:opens? with|unlocks? with|unlock(?:ing)? (?:\S{1,12} ){0,3}with|se abre con|abre com|s['’]ouvre avec|si apre con|si sblocca con|se desbloquea con|se déverrouille avec|öffnet mit|entsperren mit|entsperrt mit|geht auf mit|takes|(?:it|c|that)['’](?:s|est)|is|ist|est|es|è|é|är|er|jest|je|это))[ \t]|(?:[:：=→]|->)[ \t]{0,3}|[是为為は는은][ ]?"
_LOCK_DIGITS = (
    r"[\"'`“„«]?(?P<value>[0-9#*](?:[ ]?[0-9#*]){3,9}|[0-9]{1,2}(?:[ -][0-9]{1,2}){2,5}|[0-9]{1,4}[A-Z][0-9]{1,4}|[A-Z][0-9]{3,6}|[0-9]{3,6}[A-Z]|[^\W\d_]{1,2}[0-9]{2,4}[^\W\d_]{1,2}[0-9]{2,5}"
    r"|(?i:(?:left|right|links|rechts|gauche|droite|izquierda|derecha|[lr])[ ]?[0-9]{1,2}(?:,? ?(?:then )?(?:left|right|links|rechts|gauche|droite|izquierda|derecha|[lr])[ ]?[0-9]{1,2}){1,4}))"
    r"(?!(?!です|だよ|입니다|이에요|예요)[\w%/]|[.,:-][0-9])"
)
_LOCK_ENDS = r"(?=[\"'`”»]?[ \t]?(?:[.,;!?)，。；]|\r?\n|\Z|です|(?i:then|and|dann|und|puis|et|luego|y|poi|e|potem|потом|затем)\b))"
# Locks that a number right after them opens.
_NUMBER_LOCK = (
    r"(?i:bike lock|cycle lock|combination lock|padlock|keypad|lockbox|key box|schlüsselbox|digicode|cadenas|candado)"
)
# What is measured or counted is no code, nor is a lock of a program.
_MEASURED = (
    r"(?i)[ \t]*(?:ms|sec|seconds?|min|minutes?|kg|km|cm|mm|m|eur|euros?|usd|dollars?|times?|people|users?|rows?|items?|files?|uhr|stück|°|€|\$|k?wh|kw|mah|lines?|words?|characters?|chars|entries|records|steps|calories|pages?|points|coins|requests|attempts|tokens|bytes|[kmg]b|"
    r"hours?|days?|weeks?|months?|years?|miles|feet|square|pounds|yen|pesos?|rupees|rupien|zeilen|wörter|punkte|tage|jahre|stunden|mots|lignes|"
    r"palabras|líneas|puntos|per|pro|street|st\.|road|avenue|more|less)\b"
)
# What makes four digits a year: in 2019
_OF_YEAR = r"(?i)\b(?:in|since|until|till|of|from|by|before|after|during|year|seit|bis|im jahr|jahr|von|en|depuis|desde|hasta|em|nel|dal|sinds|sedan)[ \t]\Z"
_OF_PROGRAM = r"(?i)\b(?:pid|process|thread|mutex|row|table|wait(?:ed|ing)|acquired?|released?|held|logic|error|errors|exit|status|http|line|port|zip|postal|post|area|country|dial(?:l?ing)?|source|qr|bar|hotline|helpline|repo|repository|ticket|issue|branch|commit|product|article|item|airport|city|colou?r|currency)\b|拨打|[电電][话話]|客服|热线"
# What a code is for and a verb: code for the cellar is …
_SAID = (
    r"[ \t](?:for|to|fürs?|vom|zum|zur|du|de la|del?|pour|para|per|do|da)[ \t][^\r\n:=.]{1,40}?[ \t](?:is|was|ist|lautet|est|c['’]est|es|é|è|är|er|jest|je)[ \t]{1,2}"
    r"(?P<value>[0-9]{4,8}[#*]?)(?=[.,;!]?[ \t]*(?:\r?\n|\Z)|[,;.][ ])"
)
# What became of a PIN, and then its digits: the PIN was reset by the bank, it's now …
_SAID_LATER = (
    r"[^\r\n0-9.!?:=]{0,40}?[ ](?i:reset|changed|new|updated|chosen|picked|same|again|forgot\w{0,5}|geändert|neue?|wieder|cambió|cambiado|nuevo|changé|nouveau|cambiato|nuovo|mudou|novo)(?![^\W\d_])"
    r"[^\r\n0-9.!?:=]{0,40}?(?:[ ](?i:it['’]?s|it is|is now|now|is|ist jetzt|jetzt|ahora es|ahora|es ahora|c['’]est|maintenant|adesso|ora è|agora|to|auf)[ ]{1,2}|:[ ]{1,2})(?:now[ ])?"
    r"(?P<value>[0-9]{4,8}[#*]?)(?=[.,;!)]?[ \t]*(?:\r?\n|\Z)|[,;.)][ ]|[ ](?i:now|jetzt|ahora|and|und|y|et|e)\b)"
)
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
# In a script without blanks: a word for a code, and what leads from it to the digits.
_UNSPACED_WORD = (
    r"(?:密[码碼](?![学學箱锁本管强重错錯更泄])|口令|暗証番号|パスコード|비밀번호|비번|암호|锁屏|鎖屏|主持人?密[钥鑰])"
)
_UNSPACED = (
    r"(?P<leads>[ ]?|[^0-9\r\n。；;！!？?]{0,24}?(?:(?<![但可要总也于不])是|[换換改设設变變](?:成|为|為|到)了?|[为為成](?=[ ]?[0-9])|加上?(?=[ ]?[0-9])|[:：](?=[ ]?[0-9])|[は는은]|新的)[^0-9\r\n。；;！!？?，,、A-Za-z]{0,16}?)(?<![A-Za-z0-9])"
    r"(?P<value>[0-9]{4,10}[#*]?)(?![ ]?(?:[位个個次年月天日秒分行元块条字人台件份组桁回像%]|小[时時]|毫秒|用[户戶]|文字|자리|번|회|개|년|일|초|비트|분|[x×]|(?i:ms|sec|s|[kmg]b|bytes?|px|users?)\b))"
    r"(?=[，。；、！？）)\s]|[,;](?!\d)|\Z|了|です|だ|吗|吧|啊|呢|입니다|예요|이에요)"
)
_UNSPACED_ABOUT = r"长度|長度|至少|最少|不少|超过|最多|[错錯]误|失败|过期|有效|时间|日期|上次|端口|订单|工单|版本|길이|만료|期限|有効|功能|修改于|耗时|评分|分数|数量|总数|人数|次数|[错錯]误码|索引|大小|字数|[电電][话話]|拨打|客服|热线|联系|전화|문의"
_DATE = r"(?:19|20)[0-9]{2}(?:(?:0[1-9]|1[0-2])[0-3][0-9])?"
_WIDEST = 160
_POSTAL = r"(?i)\b(?:postal|post office|address|addresses|road|street|nagar|marg|colony|district|city|town|village|courier|deliver\w{0,6}|shipping|pin ?code of [a-z]{3,20})\b|\(\w[\w ]{2,20}, \w"
_PLACEHOLDERS = frozenset(["1234", "12345", "123456", "1234567", "12345678", "4321", "123 456"])


def _is_code(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    return digits >= 3 and digits * 2 >= len(value) and len(set(value) - {" ", "-"}) > 1 and value not in _PLACEHOLDERS


def _is_code_or_word(value: str) -> bool:
    if _is_code(value):
        return True
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and not re.match(r"[\d.]+$", value) and not is_placeholder_or_code(value) and not is_example(value)


def _told_pin(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits of a PIN, unless it is a postal code."""
    if _is_code(found["digits"]) and not _is_postal(text, found, found["digits"]):
        yield found.span("digits")


def _is_postal(text: str, found: re.Match[str], digits: str) -> bool:
    """Return whether a PIN is a postal code, as in India: six digits, and the line has words of an address."""
    first = line_start(text, found.start(), _WIDEST)
    is_six = compiled(r"[1-9][0-9]{2} ?[0-9]{3}").fullmatch(digits) is not None
    return is_six and compiled(_POSTAL).search(text, first, found.end() + 40) is not None


def _opens_lock(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits that open a lock: its line leads to them, or the next message tells them."""
    direct = compiled(rf"[ \t]{_LOCK_DIGITS}{_LOCK_ENDS}").match(text, found.end())
    if direct and compiled(_NUMBER_LOCK).fullmatch(found.group()) and _is_code(direct["value"]):
        yield direct.span("value")
        return
    places = list(_opens_door(text, found)) or list(
        _on_line_of(text, found, f"(?:{_OPENED}){_LOCK_DIGITS}{_LOCK_ENDS}")
    )
    yield from places or answers(text, found.start(), found.end(), _answers_with_code)


def _opens_door(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits of a line that names what they are for, and that they are a code or are typed."""
    return _on_line_of(text, found, f"(?:{_CODE_WORDS}|{_TYPED}){_LOCK_DIGITS}")


def _comes_with_code(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits to which the word for a code leads, or that are typed."""
    return _on_line_of(text, found, f"(?:{_CODE_NEAR}|{_TYPED}){_LOCK_DIGITS}")


def _on_line_of(text: str, found: re.Match[str], pattern: str) -> Iterator[tuple[int, int]]:
    first = line_start(text, found.start(), _WIDEST)
    last = text.find("\n", found.end(), found.end() + _WIDEST)
    first, last = max(first, found.start() - _WIDEST), last if last >= 0 else min(len(text), found.end() + _WIDEST)
    code = None if compiled(_OF_PROGRAM).search(text, first, last) else compiled(pattern).search(text, first, last)
    if not code or compiled(r"[A-Z]{2,5}[ ]\Z").search(text, max(first, code.start("value") - 6), code.start("value")):
        # A standard: DIN 18101
        return
    is_year = compiled(r"(?:19|20)[0-9]{2}").fullmatch(code["value"]) and (
        not compiled(_LOCK_ENDS).match(text, code.end())
        or compiled(_OF_YEAR).search(text, max(first, code.start("value") - 12), code.start("value"))
    )
    if not is_year and _is_lock_code(code["value"]) and not compiled(_MEASURED).match(text, code.end()):
        yield code.span("value")


def _is_told_code(value: str) -> bool:
    return _is_code(value) and not _is_year(value)


def _is_lock_code(value: str) -> bool:
    return _is_code(value) or (sum(map(str.isdigit, value)) >= 3 and any(map(str.isalpha, value)))


def _answered(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits with which the next messages answer a question for a code."""
    return answers(text, found.start(), found.end(), _answers_with_code, only_asked=True)


def _asked(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the code that answers a question for one, or that is typed in the next sentence; not the code of a program."""
    first = line_start(text, found.start(), _WIDEST)
    if compiled(_OF_PROGRAM).search(text, first, found.end() + 40):
        return
    typed = compiled(f"(?:{_TYPED}){_LOCK_DIGITS}").search(text, found.end(), found.end() + _WIDEST)
    told = compiled(rf"{_FOR}[:：][ \t]{{0,3}}(?P<value>[0-9]{{4,8}}[#*]?)(?=[.,;]?\s|\Z)").match(text, found.end())
    said = compiled(_SAID).match(text, found.end())
    later = compiled(_SAID_LATER).match(text, found.end()) if compiled(_PIN).fullmatch(text, *found.span()) else None
    if later and _is_year(later["value"]):
        later = None
    for one in (typed, told, said, later):
        if one and _is_code(one["value"]) and not _is_postal(text, found, one["value"]):
            yield one.span("value")
            return
    yield from _answered(text, found)


def _answers_with_code(one: Value) -> bool:
    is_code = compiled(
        r"[0-9#*]{4,10}|[0-9](?:-[0-9]{1,2}){2,5}|[A-Z]{1,2}[0-9]{3,8}[A-Z]{0,2}[#*]?|[0-9]{3,8}[A-Z]{1,2}"
    ).fullmatch(one.text)
    return is_code is not None and (one.fills or one.pointed or one.last) and _is_code(one.text)


def _is_base32(value: str) -> bool:
    """Accept letters and digits at random: not a constant, and not words of four letters."""
    groups = value.split(" ")
    without_vowel = sum(not set("aeiou") & set(group.lower()) or not group.isalpha() for group in groups)
    return entropy(value) >= 2.8 and (len(groups) == 1 or 2 * without_vowel >= len(groups))


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
        if not code or not _is_code(code["code"]) or (places and len(code["code"]) != places[0][1] - places[0][0]):
            break
        places.append(code.span("code"))
        end = code.end()
    # A PIN code of six digits is a postal code in India.
    is_postal = any(_is_postal(text, found, text[start:stop]) for start, stop in places) or (
        heading is not None and "code" in heading.group() and all(stop - start == 6 for start, stop in places)
    )
    if len(places) > 1 and not is_postal and not all(_is_year(text[start:stop]) for start, stop in places):
        yield from places


def _is_year(value: str) -> bool:
    return compiled(_DATE).fullmatch(value) is not None


def _unspaced(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits that follow the word for a code, or to which its sentence leads, in a script without blanks."""
    code = compiled(_UNSPACED).match(text, found.end())
    if code and _is_code(code["value"]) and not compiled(_UNSPACED_ABOUT).search(code["leads"]):
        is_direct = len(code["leads"].strip()) <= 1
        if (is_direct and len(code["value"]) <= 6) or not _is_year(code["value"]):
            yield code.span("value")


ACCESS_CODES: tuple[SecretRule, ...] = (
    SecretRule(
        "pin",
        ("pin", "puk", "geheim"),
        rf"{_PIN}{_FOR}{_LEADS}{_QUOTE}{_DIGITS}",
        anything,
        inside=True,
        digits=True,
        values=_told_pin,
    ),
    SecretRule(
        # In a message, without the word for a code: the SMS said 660912
        "access-code",
        ("sms", "text", "nachricht", "mensaje", "messaggio", "message"),
        r"(?<![^\W\d_])(?i:sms|text(?:ed)?|nachricht|mensaje|messaggio|message)(?>[ \t](?!(?i:with|said|says|saying|kam|reads|mit|con|avec)[ ])[^\s.,;:]{1,12}+){0,2}+[ \t]"
        r"(?i:with|said|says|saying|kam|reads|mit|con|avec)[ \t]{1,2}+(?P<value>[0-9]{5,8}+)(?=[ \t]?[,.?!;]|[ \t](?:and|und|et|y|e|but|aber)[ \t]|[ \t]{0,8}+(?:\r?\n|\Z))",
        _is_code,
        digits=True,
    ),
    SecretRule("pin", ("pin", "puk"), _PIN, anything, inside=True, values=_asked, digits=True),
    SecretRule(
        "access-code",
        ("code", "kod", "codice", "código", "код", "קוד"),
        r"(?i:codes?|kod(?:en?|u|y)?|codice|código|код|קוד)(?![a-z])",
        anything,
        inside=True,
        values=_asked,
        digits=True,
    ),
    SecretRule(
        "card-code",
        ("cvv", "cvc", "prüfnummer", "kartenprüf"),
        r"(?<![A-Za-z])(?i:cvv2?|cvc2?|(?:karten)?prüfnummer)(?![A-Za-z])[ \t:=]{1,4}+(?>(?i:is|ist|est|es)[ ])?(?P<value>[0-9]{3,4}+)(?![\w.-])",
        _is_code,
        inside=True,
        digits=True,
    ),
    SecretRule(
        # Before the verb: 4915 eingeben
        "access-code",
        ("eingeben", "eintippen", "drücken", "wählen", "を入力", "を押"),
        r"(?<![\w.,-])(?!(?:19|20)[0-9]{2}[ ])(?P<value>[0-9#*]{4,8}+)(?=[ ](?:eingeben|eintippen|drücken|wählen)|を(?:入力|押))",
        _is_code,
        inside=True,
        digits=True,
    ),
    SecretRule(
        # Before the word: … is your verification code
        "access-code",
        ("code", "pin", "otp"),
        r"(?<![\w.-])(?P<value>(?:[A-Z]{1,3}+-)?+[0-9]{4,8}+)[ ](?>(?i:is|ist|est|es|é|è|er|är))[ ](?>(?i:your|the|dein|ihr|der|votre|le|tu|su|el|il tuo|o seu))[ ]"
        r"(?:[^\s.:]{1,20}+[ ]){0,3}(?>(?i:\w{0,20}code|pin|otp|c[óo]digo|codice))(?![a-z])",
        _is_code,
        inside=True,
        digits=True,
    ),
    # One rule for each word: a text has few of them.
    *(
        SecretRule(
            "access-code",
            (word,),
            in_any_case(word, r"(?<![A-Za-z].)") + (r"(?![a-z])" if len(word) <= 3 else ""),
            anything,
            inside=True,
            values=values,
            digits=True,
        )
        for words, values in ((_LOCKS, _opens_lock), (_DOORS, _opens_door), (_BRINGERS, _comes_with_code))
        for word in words
    ),
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
        # A shared secret for one-time codes, after the word for them.
        "otp-secret",
        ("totp", "2fa", "mfa", "otp", "authenticator"),
        r"(?<![A-Za-z0-9])(?i:totp|2fa|mfa|otp|authenticator)(?![A-Za-z0-9])[^\r\n]{0,40}?[\s:=\"'(](?P<value>[A-Z2-7]{16,64}|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![A-Za-z0-9+/=]|[ ][a-z])",
        _is_base32,
    ),
    SecretRule(
        "recovery-code",
        ("codes",),
        r"[Cc](?>(?<=(?i:recovery )[Cc])|(?<=(?i:backup )[Cc])|(?<=(?i:wiederherstellungs)[Cc])|(?<=(?i:scratch )[Cc]))(?i:odes)(?:[^\r\n:：]{0,60}+(?:[:：]|\r?\n)|[ \t](?=[A-Za-z0-9]{4,6}-[0-9]))",
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
            "提取码",
            "恢复码",
            "恢復碼",
            "激活码",
            "登录码",
            "配对码",
            "开门码",
            "安全码",
            "备用码",
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
        digits=True,
    ),
    SecretRule(
        "access-code",
        (" to sign", " to log", " to verify", " to confirm", " to authenticate", " to complete"),
        # Without the word: use … to confirm your sign-in
        r"(?i:use|enter|type|gib|utilisez)[ ](?P<value>(?!(?:19|20)[0-9]{2}\b)[0-9]{4,8}+)[ ](?i:to|um|pour)[ ](?i:sign|log|verify|confirm|authenticate|complete)[ ]?(?i:in\b|your|the (?:login|payment|transfer|sign))",
        _is_code,
        digits=True,
    ),
    SecretRule(
        "access-code",
        ("otp", "one-time", "einmal", "mtan", "tan:"),
        rf"(?<![A-Za-z])(?i:otp(?:[ ]code)?|one-time[ ](?:password|pin|passcode)|einmal(?:passwort|kennwort)|m?tan)(?![A-Za-z]){_FOR}{_LEADS}{_QUOTE}(?P<value>[0-9]{{4,8}}+)(?![\w-])",
        _is_code,
        inside=True,
        digits=True,
    ),
    SecretRule(
        "pin",
        ("密码", "密碼", "口令", "暗証番号", "パスコード", "비밀번호", "비번", "암호", "锁屏", "鎖屏", "主持"),
        _UNSPACED_WORD,
        anything,
        inside=True,
        digits=True,
        values=_unspaced,
    ),
    *(
        SecretRule("access-code", (word,), pattern, anything, inside=True, digits=True, values=_labelled)
        for word, pattern in _HEADINGS
    ),
    SecretRule("access-code", ("codes",), rf"[Cc]{_CODE}", anything, inside=True, digits=True, values=_labelled),
    *(
        SecretRule(
            # Digits alone after a word for a password: passcode 550316, …
            "pin",
            (word,),
            in_any_case(word, r"(?<![A-Za-z].)") + rf"(?![A-Za-z]){_FOR}{_LEADS}{_QUOTE}{_DIGITS_OF_CLAUSE}",
            _is_told_code,
            digits=True,
        )
        for word in _PASSWORDS
    ),
    SecretRule(
        # Before the word: … as the PIN
        "pin",
        (" pin", " passcode", " code"),
        r"(?<![\w.,/-])(?!(?:19|20)[0-9]{2}[ ])(?P<value>[0-9]{4,8})[ ](?>(?i:as|als|comme|como|come))[ ](?:(?>(?i:the|my|her|his|our|their|a|die|den|meine|le|la|el|il))[ ])?(?:[a-z]{2,12}[ ])?(?>P[IU][NK]|pin|passcode|(?:door|access|unlock|entry|lock|safe|gate) code)(?![A-Za-z])",
        _is_code,
        digits=True,
    ),
    SecretRule(
        # Who may use it: host key, participant code.
        "access-code",
        (
            "host",
            "moderator",
            "chair",
            "leader",
            "organi",
            "presenter",
            "participant",
            "attendee",
            "conference",
            "dial-in",
            "teilnehmer",
        ),
        r"(?<![A-Za-z])(?>(?i:host|moderator(?:en)?|chair(?:person|man)?|leader|organi[sz]er|presenter|participant|attendee|conference|dial-in|teilnehmer))"
        rf"[ _-]?+(?>(?i:key|code|pin|passcode))(?![A-Za-z]){_FOR}{_LEADS}{_QUOTE}(?P<value>[0-9]{{4,10}}[#*]?)(?![\w%]|[.,:/-][\w%])",
        _is_code,
        digits=True,
    ),
    SecretRule(
        # What a mail program logs in with: four groups of four letters.
        "app-password",
        (
            "app password",
            "app-password",
            "app passwor",
            "app-passwort",
            "application password",
            "app-specific password",
        ),
        r"(?i:app(?:lication)?(?:-specific)?[ -]?passwor[dt])[^\r\n:=]{0,30}?[\s:=]{1,4}+[\"'`]?(?P<value>[a-z]{4}(?:[ -][a-z]{4}){3})(?![ -]?[A-Za-z])",
        anything,
        inside=True,
    ),
    SecretRule(
        "access-code",
        ("combination", "combo", "kombination", "combinaison", "combinación", "combinacion"),
        rf"[CcKk](?i:ombination|ombo(?![a-z])|ombinaison|ombinaci(?:ó|o)n){_FOR}{_LEADS}{_QUOTE}(?P<value>[0-9]{{1,2}}(?:[ -][0-9]{{1,2}}){{2,5}}+)(?![\w-])",
        _is_code,
        digits=True,
    ),
)
