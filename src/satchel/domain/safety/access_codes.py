"""Codes that people tell each other after the word for one: PINs, one-time codes, combinations of locks.

Digits alone are no secret; the word for such a code and a sign or verb that leads to the value make them one.
"""

import re
from collections.abc import Iterator

from satchel.domain.safety.answers import answers
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.listed_codes import LISTED_CODES
from satchel.domain.safety.lock_codes import LOCK_CODES
from satchel.domain.safety.secret_checks import anything, entropy, is_example, is_placeholder_or_code
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.told_digits import (
    CODE,
    OF_PROGRAM,
    TOLD_DIGITS,
    TYPED,
    WIDEST,
    answers_with_code,
    is_code,
    is_postal,
    is_year,
)

# Words that begin the next clause of a sentence.
_CONJUNCTIONS = "and|or|und|et|y|if|when|while|until|because|in case|falls|wenn|weil|si|quand|cuando|porque"
# Between the word and its value: what the code is for, and then a sign or a verb.
_FOR = r"(?:[ \t](?>for|of|on|to|der|des|fürs?|vom|zum|zur|du|de|del|pour|para|per|do|da)[ \t][^\r\n:=：]{1,40}?)?"
_LEADS = (
    r"(?>['’]s[ ]|[\"']?+[ \t]{0,8}+(?:[:=：~〜→]|=>|-{1,2}+>?+)[ \t]{0,8}+|[ \t]{1,4}+(?:is|was|ist|lautet|es|est|now|to|on)[ \t]{1,4}+"
    r"(?:now|jetzt|still|noch|ahora)?+[ \t]{0,2}+|[ \t]{0,2}+[是为為は][ \t]{0,2}+|[ \t](?=[0-9]{4,8}[#*]?+(?:[ \t]{0,4}(?:[.,;!)/，。\"'\r\n]|\Z|[\u4e00-\u9fff])|[ \t](?:"
    + _CONJUNCTIONS
    + r"|then|for|to|valid|dann|für|puis|pour|luego|para|(?i:p(?:in|uk)[12]?))[ \t])))"
)
_QUOTE = r"[\"'`“„«]?+[ ]?+"
# Four to twelve digits, in groups or with the keys of a keypad; not the beginning of a longer value or of a measure.
_DIGITS = (
    r"(?P<digits>[0-9A-Z#*](?:[ -]?+[0-9A-Z#*]){3,11}+)(?![\w%]|[.,:/-][\w%])"
    r"(?![ ]?(?:digits?|characters?|Zeichen|Stellen|chiffres|cifras|位)\b)"
)
_WORD = r"(?P<word>[^\s\"'`“”„«»<>，。；、,;()]{6,60}+)"
_PIN = r"(?:[Gg]eheim(?:zahl|nummer)|[Pp](?:(?<![A-Za-z].)|(?<=[Kk]arten.)|(?<=[Hh]andy.))(?:(?i:in)(?:[ _-]?+(?i:code|nummer|number))?+|(?i:uk)[12]?))(?![A-Za-z0-9])"
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
_DIGITS_OF_CLAUSE = (
    r"(?P<value>[0-9]{4,10}[#*]?)(?=[\"'”»)]?(?>[.,;!](?![\w%])|[ \t]{0,4}(?:\r?\n|\Z)|[ ](?:"
    + _CONJUNCTIONS
    + r"|then|dann)[ ]|[ ][(–—-]))"
)
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


def _is_code_or_word(value: str) -> bool:
    if is_code(value):
        return True
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and not re.match(r"[\d.]+$", value) and not is_placeholder_or_code(value) and not is_example(value)


def _told_pin(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits of a PIN, unless it is a postal code."""
    if is_code(found["digits"]) and not is_postal(text, found, found["digits"]):
        yield found.span("digits")


def _is_told_code(value: str) -> bool:
    return is_code(value) and not is_year(value)


def _answered(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits with which the next messages answer a question for a code."""
    return answers(text, found.start(), found.end(), answers_with_code, only_asked=True)


def _asked(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the code that answers a question for one, or that is typed in the next sentence; not the code of a program."""
    first = line_start(text, found.start(), WIDEST)
    if compiled(OF_PROGRAM).search(text, first, found.end() + 40):
        return
    typed = compiled(f"(?:{TYPED}){TOLD_DIGITS}").search(text, found.end(), found.end() + WIDEST)
    told = compiled(rf"{_FOR}[:：][ \t]{{0,3}}(?P<value>[0-9]{{4,8}}[#*]?)(?=[.,;]?\s|\Z)").match(text, found.end())
    said = compiled(_SAID).match(text, found.end())
    later = compiled(_SAID_LATER).match(text, found.end()) if compiled(_PIN).fullmatch(text, *found.span()) else None
    if later and is_year(later["value"]):
        later = None
    for one in (typed, told, said, later):
        if one and is_code(one["value"]) and not is_postal(text, found, one["value"]):
            yield one.span("value")
            return
    yield from _answered(text, found)


def _is_base32(value: str) -> bool:
    """Accept letters and digits at random: not a constant, and not words of four letters."""
    groups = value.split(" ")
    without_vowel = sum(not set("aeiou") & set(group.lower()) or not group.isalpha() for group in groups)
    return entropy(value) >= 2.8 and (len(groups) == 1 or 2 * without_vowel >= len(groups))


def _unspaced(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the digits that follow the word for a code, or to which its sentence leads, in a script without blanks."""
    code = compiled(_UNSPACED).match(text, found.end())
    if code and is_code(code["value"]) and not compiled(_UNSPACED_ABOUT).search(code["leads"]):
        is_direct = len(code["leads"].strip()) <= 1
        if (is_direct and len(code["value"]) <= 6) or not is_year(code["value"]):
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
        is_code,
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
        is_code,
        inside=True,
        digits=True,
    ),
    SecretRule(
        # Before the verb: 4915 eingeben
        "access-code",
        ("eingeben", "eintippen", "drücken", "wählen", "を入力", "を押"),
        r"(?<![\w.,-])(?!(?:19|20)[0-9]{2}[ ])(?P<value>[0-9#*]{4,8}+)(?=[ ](?:eingeben|eintippen|drücken|wählen)|を(?:入力|押))",
        is_code,
        inside=True,
        digits=True,
    ),
    SecretRule(
        # Before the word: … is your verification code
        "access-code",
        ("code", "pin", "otp"),
        r"(?<![\w.-])(?P<value>(?:[A-Z]{1,3}+-)?+[0-9]{4,8}+)[ ](?>(?i:is|ist|est|es|é|è|er|är))[ ](?>(?i:your|the|dein|ihr|der|votre|le|tu|su|el|il tuo|o seu))[ ]"
        r"(?:[^\s.:]{1,20}+[ ]){0,3}(?>(?i:\w{0,20}code|pin|otp|c[óo]digo|codice))(?![a-z])",
        is_code,
        inside=True,
        digits=True,
    ),
    # Before the rules below, which take more than digits for a code.
    *LOCK_CODES,
    *LISTED_CODES,
    SecretRule(
        # A shared secret for one-time codes, after the word for them.
        "otp-secret",
        ("totp", "2fa", "mfa", "otp", "authenticator"),
        r"(?<![A-Za-z0-9])(?i:totp|2fa|mfa|otp|authenticator)(?![A-Za-z0-9])[^\r\n]{0,40}?[\s:=\"'(](?P<value>[A-Z2-7]{16,64}|[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![A-Za-z0-9+/=]|[ ][a-z])",
        _is_base32,
    ),
    SecretRule(
        "access-code",
        ("code",),
        rf"[Cc]{CODE}{_FOR}{_LEADS}{_QUOTE}(?:{_DIGITS}|{_WORD})",
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
        is_code,
        digits=True,
    ),
    SecretRule(
        "access-code",
        (" to sign", " to log", " to verify", " to confirm", " to authenticate", " to complete"),
        # Without the word: use … to confirm your sign-in
        r"(?i:use|enter|type|gib|utilisez)[ ](?P<value>(?!(?:19|20)[0-9]{2}\b)[0-9]{4,8}+)[ ](?i:to|um|pour)[ ](?i:sign|log|verify|confirm|authenticate|complete)[ ]?(?i:in\b|your|the (?:login|payment|transfer|sign))",
        is_code,
        digits=True,
    ),
    SecretRule(
        "access-code",
        ("otp", "one-time", "einmal", "mtan", "tan:"),
        rf"(?<![A-Za-z])(?i:otp(?:[ ]code)?|one-time[ ](?:password|pin|passcode)|einmal(?:passwort|kennwort)|m?tan)(?![A-Za-z]){_FOR}{_LEADS}{_QUOTE}(?P<value>[0-9]{{4,8}}+)(?![\w-])",
        is_code,
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
        is_code,
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
        is_code,
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
        rf"[CcKk](?i:ombination|ombo(?![a-z])|ombinaison|ombinaci(?:ó|o)n){_FOR}(?:{_LEADS}{_QUOTE}|[ ](?=[0-9 -]{{5,17}}(?:[,.;!)]|\r?\n|\Z)))(?P<value>[0-9]{{1,2}}(?:[ -][0-9]{{1,2}}){{2,5}}+)(?![\w-])",
        is_code,
        digits=True,
    ),
)
