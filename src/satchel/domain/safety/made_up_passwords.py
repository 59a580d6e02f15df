"""Passwords that a person made up, next to a word that has to do with logging in.

Their shape already gives them away, so the word may be a weak one (login, account, a mail address), it may stand farther
away, or in the heading of a list.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.made_up import Oddity, oddity
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.secret_checks import anything
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.secret_words import PASSWORD_STEMS
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.value_strength import Strength, strength

_PASSWORD_WORDS = (*PASSWORD_STEMS, "mdp", "clave", "parola", "passcommand")
_LOGIN_STEMS = (
    "credential", "benutzer", "nutzer", "anmeld", "einlogg", "zugang", "identifiant", "credenzial", "credencia", "inlogg", "innlogg", "connecte", "accede", "zalog", "войд", "войт", "entra con", "logga in", "logg inn", "melde dich", "melden", "inloggen", "đăng nhập", "giriş", "kirjautu",
    "logowani", "użytkownik", "přihláš", "учетн", "учётн", "帳號", "帳戶", "账号", "账户", "帐号", "賬號", "登录", "登錄", "登入", "アカウント", "ログイン", "接続", "连接", "접속", "로그인", "계정",
)  # fmt: skip
# Other words begin like these: author, contact, rooted.
_LOGIN_WORDS = (
    "login", "log in", "logon", "log on", "sign in", "logged in", "signed in", "log into", "get into", "got into", "creds", "account", "auth", "admin", "root", "user", "username", "konto", "compte", "connexion",
    "utilisateur", "cuenta", "usuario", "acceso", "sesión", "usuário", "conta", "acesso", "accesso", "utente", "gebruiker", "tunnus", "hesap",
    "вход", "логин",
)  # fmt: skip
_CODE_WORDS = ("code", "codice", "código", "codigo", "kod", "kód", "код")
_OPENS = r"(?i)\.?zip\b|\b(?:archiv\w{0,2}|pdf|rar|7z|open|unlock|decrypt|ouvrir|öffnen|abrir|aprire|otworzyć|открыть|datei|file|fichier|archivo|ordner|folder|dossier|document\w?)\b"
_REACH = 160
_MOST_VALUES = 24
_ROWS = 12
# Up to a blank, a quote, a bracket or a sign that ends a value.
_TOKEN = r"[^\s\"'`“”„«»‹›(){}\[\]<>,;|，。；、：:=/\\]{7,60}"
_SIGN = r"(?:[:：=/|→,，]|->|=>|–|—|-)[ \t]{0,4}[\"'`“„«*(]{0,2}\Z"
_PAIR = r"[\w.@+-]{1,64}[ \t]{0,4}[/|][ \t]{0,4}[\"'`]?\Z"
_VERB = (
    r"(?i)(?<![^\W\d_])(?:is|was|use|using|with|now|ist|war|lautet|mit|nimm|bitte|avec|est|c['’]est|con|es|era|com|é|è|met|med|z|jest|är|er|"
    r"je|echo|printf|это|с)[ \t]{1,3}[\"'`“„«*]{0,2}\Z|[是为為は는은成][ \t]{0,2}\Z"
)
_PREPOSITION = (
    r"(?i)(?<![^\W\d_])(?:to|auf|in|a|à|en|till|til|na|на|by|then|dann|puis|luego|poi)[ \t]{1,3}[\"'`“„«*]{0,2}\Z"
)
_WITH = r"(?i)[ \t](?:[^\s,.;:]{1,12}[ \t]){0,3}(?:mit|with|using|bitte|con|avec|com|met|med|z)[ \t]{1,3}[\"'`“„«]?"
_CHANGED_TO = r"(?i)(?<![^\W\d_])(?:to|auf|in|a|à|en|till|til|na|на)[ \t]{1,3}[\"'`“„«*]{0,2}\Z"
_CLAUSE_END = (
    r"[\"'`”“»*)\]]{0,4}[.!?]?(?:[ \t]{0,8}+(?:\r?\n|\Z)|[,;，。；、)\]]|[ \t](?:[(—–#]|-[ ]|//|-->|\*/)|[.!?][ \t]"
    r"|[ \t](?i:and|und|et|y|e|but|aber|mais|pero|geändert|gesetzt|umgestellt|nehmen|verwenden|eingeben|instead|yesterday|today|now|if|for|to)\b|[ ]?[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
)
# What a line has before a value, if it is only one of a pair: a bullet and a name.
_ROW = r"[ \t]{0,12}+(?:[-*•>]|[0-9]{1,2}[.)])?[ \t]{0,8}(?:[^\s:/|=]{1,60}(?: [^\s:/|=]{1,20}){0,2}[ \t]{0,8}(?P<sign>[:/|=,;–—-]|->|[ \t]{2})[ \t]{0,20})?[\"'`]?\Z"
_HEADING = r"[^\r\n:：]{0,60}[:：]?[ \t*]{0,8}+\r?\Z"
_LONGEST_HEADING = 8
# A list of users, and a user in it with a value.
_USER_LISTS = (
    "users",
    "accounts",
    "logins",
    "credentials",
    "creds",
    "benutzer",
    "konten",
    "comptes",
    "utilisateurs",
    "usuarios",
    "cuentas",
    "utenti",
)
_IS_LIST = r"(?![A-Za-z])[\"'\])]{0,2}+[ \t]{0,4}+(?:[:=]|=>)"
_MAP_ENTRY = (
    r"[\s,{\[(]{0,40}+(?:-[ ])?(?:#[^\r\n]{0,80}+\r?\n[ \t]{0,20}+)?[\"']?[\w.@+-]{1,60}+[\"']?[ \t]{0,8}+(?:=>|[:=,/])[ \t]{0,20}+"
    r"[\"']?(?P<value>[^\s\"',;{}\[\]()]{6,60}+)[\"']?[ \t]{0,4}+[\])]?"
)
# What became known, and what replaces it: the old one was leaked, so I changed it to …
_KNOWN = (
    r"(?:(?P<old>(?i:(?:old|previous|last|former) one|alte[ns]?|l['’]ancien(?:ne)?|(?:el|la) (?:anterior|viejo|vieja|antigua))[ ](?:[^\s.,;:]{1,12}+ ){0,3})|(?i:was|were|got|been|wurde|a été|fue|ha sido) )"
    r"(?i:leak(?:ed|t)?|hacked(?! together)|breach(?:ed)?|compromised|guessed|pwned|exposed|geleakt|gehackt|bekannt|kompromittiert|fuité|piraté|filtrad[oa]|hackead[oa])(?! (?:\w{1,12}+ )?(?:memory|handles?|connections?|sockets?|objects?))(?![^\W\d_])"
)
_NEW_VALUE = (
    r"(?i)(?<![^\W\d_])(?:(?P<changed>(?:set|change[ds]?|reset|switch(?:ed)?|updated?|rotated?|moved)(?: (?:it|this|that|mine|them|ours))? to)|(?:new one|now it)(?: is|:|[’']s)|it(?: is|[’']s) now|(?:auf|zu|à|par|a|por)(?= \S{0,60}[0-9]))"
    r"[ ]{1,2}[\"'`“„«]?(?P<value>[^\s\"'`“”„«»(){}\[\]<>,;|]{7,60})"
)
# What a line is about, and a user.
_LABEL = r"[ \t>*•-]{0,8}[^\W\d_][\w .-]{1,24}[:：][ \t]{1,4}[\w.@-]{2,40}"
_MAIL = r"@(?<=[A-Za-z0-9._+-]@)[A-Za-z0-9-]{1,60}+(?:\.[A-Za-z0-9-]{1,40}+){1,4}+"
_MAIL_PAIR = r"[ \t]{0,4}(?:[/|:,;–—→-]|->)[ \t]{1,4}[\"'`]?|[ \t]{2,4}"


def _pattern(word: str, *, is_stem: bool) -> str:
    """Return the pattern of a word: as a stem with any ending, else only with one of the plural."""
    ending = r"[^\W\d_]{0,8}+" if is_stem and word.isalpha() and max(word) < "\u2e80" else r"(?:s|en)?+(?![^\W\d_])"
    before = "" if is_stem else r"(?<![^\W\d_].)"
    return in_any_case(word, before).replace(r"\ ", "[ _-]?") + (ending if max(word) < "\u2e80" else "")


def _on_line(text: str, found: re.Match[str], least: Oddity, *, after_user: bool) -> Iterator[Place]:
    """Yield the values after a word on its line to which something points."""
    end = found.end()
    last = text.find("\n", end, end + _REACH)
    last = last if last >= 0 else min(len(text), end + _REACH)
    for number, one in enumerate(compiled(_TOKEN).finditer(text, end, last)):
        start, stop = one.start(), _without_end(text, one.start(), one.end())
        if number == _MOST_VALUES:
            return
        found_oddity = oddity(text[start:stop])
        if (
            found_oddity >= least
            and not _is_in_path(text, start, stop)
            and _is_pointed(text, end, start, stop, found_oddity, after_user=after_user)
        ):
            yield start, stop


def _without_end(text: str, start: int, stop: int) -> int:
    while stop > start and text[stop - 1] in ".:*_":
        stop -= 1
    return stop


def _is_in_path(text: str, start: int, stop: int) -> bool:
    """Return whether a value is a part of a path, a URL, a call or an address."""
    before = text[max(0, start - 80) : start].rpartition(" ")[2]
    return text[stop : stop + 1] in tuple("/\\(@[=") or "://" in before or before.count("/") > 1 or before[-1:] == "\\"


def _is_pointed(text: str, end: int, start: int, stop: int, found: Oddity, *, after_user: bool) -> bool:
    """Return whether the text leads to a value. One that is only slightly odd must end a clause, too, and next to a word
    for a user it must be the second of a pair."""
    between = text[end:start]
    quoted = between[-1:] in ("'", '"', "`", "“", "„") and len(between) > 1
    sign, verb = compiled(_SIGN).search(between), compiled(_VERB).search(between)
    if found is Oddity.CLEAR:
        return bool(sign or verb or quoted or compiled(_PREPOSITION).search(between)) or not between.strip()
    if not compiled(_CLAUSE_END).match(text, stop):
        return False
    if not after_user:
        # With a dot it may be a class of a module.
        is_code = "." in text[start:stop] and not verb
        return bool(sign or verb or compiled(_CHANGED_TO).search(between)) and not is_code
    # With a dot it may be a class of a module.
    is_second = (
        compiled(_PAIR).search(between) is not None and len(between.split()) >= 2 and "." not in text[start:stop]
    )
    is_joined = between == ":" and text[end - 4 : end].lower() in ("dmin", "root")
    return is_second or is_joined or compiled(_WITH).fullmatch(between) is not None


def _below(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the values of the list below a heading with the word: alone on a line, or after a name."""
    first = line_start(text, found.start(), _REACH)
    last = text.find("\n", found.end(), found.end() + _REACH)
    if last < 0 or not compiled(_HEADING).match(text, found.end(), last):
        return
    if len(text[first:last].split()) > _LONGEST_HEADING:
        return
    start = last + 1
    for _ in range(_ROWS):
        stop = text.find("\n", start, start + _REACH)
        stop = stop if stop >= 0 else min(len(text), start + _REACH)
        if not text[start:stop].strip():
            return
        yield from _in_row(text, start, stop)
        start = stop + 1


def _in_row(text: str, first: int, last: int) -> Iterator[Place]:
    for one in compiled(_TOKEN).finditer(text, first, last):
        start, stop = one.start(), _without_end(text, one.start(), one.end())
        row = compiled(_ROW).match(text, first, start)
        least = Oddity.SLIGHT if row and row["sign"] in ("/", "|") else Oddity.CLEAR
        if row and oddity(text[start:stop]) >= least and compiled(_CLAUSE_END).match(text, stop):
            yield start, stop


def _likely(text: str, found: re.Match[str], cue: str) -> Iterator[Place]:
    # Most texts have no such word, so a capture need not load the weights.
    from satchel.domain.safety.likely_passwords import likely_passwords

    return likely_passwords(text, found, cue)


def _after_password_word(text: str, found: re.Match[str]) -> Iterator[Place]:
    yield from _on_line(text, found, Oddity.SLIGHT, after_user=False)
    yield from _below(text, found)
    yield from _likely(text, found, "password_cue")


def _after_pass(text: str, found: re.Match[str]) -> Iterator[Place]:
    yield from _on_line(text, found, Oddity.CLEAR, after_user=False)


def _after_login_word(text: str, found: re.Match[str]) -> Iterator[Place]:
    yield from _on_line(text, found, Oddity.SLIGHT, after_user=True)
    yield from _below(text, found)
    yield from _likely(text, found, "login_cue")


def _after_code_word(text: str, found: re.Match[str]) -> Iterator[Place]:
    first = line_start(text, found.start(), _REACH)
    if compiled(_OPENS).search(text, first, found.end() + 60):
        yield from _on_line(text, found, Oddity.CLEAR, after_user=False)


def _after_mail(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the value that stands next to a mail address."""
    pair = compiled(_MAIL_PAIR).match(text, found.end())
    one = compiled(_TOKEN).match(text, pair.end()) if pair else None
    if one:
        stop = _without_end(text, one.start(), one.end())
        is_odd = oddity(text[one.start() : stop]) >= Oddity.SLIGHT
        if is_odd and not _is_in_path(text, one.start(), stop) and compiled(_CLAUSE_END).match(text, stop):
            yield one.start(), stop
    yield from _likely(text, found, "mail_cue")


def _in_map(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the passwords of a map or a list of users: if one is made up, what else looks like one is, too."""
    end, places = found.end(), list[Place]()
    for _ in range(_MOST_VALUES):
        entry = compiled(_MAP_ENTRY).match(text, end)
        if not entry:
            break
        end = entry.end()
        places.append(entry.span("value"))
    values = {place: text[slice(*place)] for place in places}
    if any(oddity(value) or strength(value) >= Strength.SIGNED for value in values.values()):
        yield from (place for place, value in values.items() if oddity(value) or strength(value) >= Strength.WORDY)


def _instead(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield what something was changed to, because what it was before became known."""
    first = line_start(text, found.start(), _REACH)
    last = text.find("\n", found.end(), found.end() + _REACH)
    last = last if last >= 0 else min(len(text), found.end() + _REACH)
    yield from _likely(text, found, "login_cue")
    value = compiled(_NEW_VALUE).search(text, first, last)
    if value:
        start, stop = value.start("value"), _without_end(text, *value.span("value"))
        least = Strength.WORDY if value["changed"] and found["old"] else Strength.SIGNED
        if oddity(text[start:stop]) or strength(text[start:stop]) >= least:
            yield start, stop


def _after_label(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the value of a line that has a label, a user and a slash: wiki: editor / …"""
    one = compiled(_TOKEN).match(text, found.end())
    if one and compiled(_LABEL).fullmatch(text, line_start(text, found.start(), _REACH), found.start()):
        stop = _without_end(text, one.start(), one.end())
        if oddity(text[one.start() : stop]) and compiled(_CLAUSE_END).match(text, stop):
            yield one.start(), stop


# What a word announces, for those that count however a text leads from them to a value.
CUES: dict[Callable[[str, re.Match[str]], Iterable[Place]], str] = {
    _after_password_word: "password_cue",
    _after_login_word: "login_cue",
    _after_mail: "mail_cue",
}

MADE_UP_PASSWORDS: tuple[SecretRule, ...] = (
    SecretRule("login-password", (" / ",), r" / ", anything, values=_after_label),
    SecretRule("login-password", ("@",), _MAIL, anything, inside=True, values=_after_mail),
    SecretRule(
        "made-up-password",
        (
            "leak",
            "hacked",
            "breach",
            "compromised",
            "guessed",
            "pwned",
            "exposed",
            "gehackt",
            "bekannt",
            "kompromittiert",
            "fuité",
            "piraté",
            "filtrad",
            "hackead",
        ),
        _KNOWN,
        anything,
        inside=True,
        values=_instead,
    ),
    SecretRule(
        # An ordinary word, too: a test that passes, a pass in the mountains.
        "made-up-password",
        ("pass", "pw"),
        r"[Pp](?:(?<![A-Za-z].)|(?<=[a-z]P))(?i:ass|w)(?![A-Za-z])",
        anything,
        inside=True,
        values=_after_pass,
    ),
    *(
        SecretRule("made-up-password", (word,), in_any_case(word) + _IS_LIST, anything, inside=True, values=_in_map)
        for word in _USER_LISTS
    ),
    # One rule for each word: a text has few of them.
    *(
        SecretRule(
            "made-up-password",
            tuple(dict.fromkeys(word.replace(" ", joint) for joint in (" ", "_", "-", ""))),
            partial(_pattern, word, is_stem=is_stem),
            anything,
            inside=True,
            values=values,
        )
        for words, values, is_stem in (
            (_PASSWORD_WORDS, _after_password_word, True),
            (_LOGIN_STEMS, _after_login_word, True),
            (_LOGIN_WORDS, _after_login_word, False),
            (_CODE_WORDS, _after_code_word, False),
        )
        for word in words
    ),
)
