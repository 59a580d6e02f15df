"""Secrets that are recognised by their surroundings: a word that announces one, and near it a value that looks like one.

The closer a value stands to the word, and the clearer the text points to it, the less it must look like a secret itself.
A value is looked for after the word on its line, below it (`lines_below`), and before the word.
"""

import re
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.cues import PARTS, STEMS, Cue, ends_of_name
from satchel.domain.safety.descriptions import describes, is_compound_adjective, is_state
from satchel.domain.safety.later_secrets import told_later
from satchel.domain.safety.lines_below import below
from satchel.domain.safety.made_up import oddity
from satchel.domain.safety.near_values import VALUE, Place, place_of
from satchel.domain.safety.pointers import assigns, is_direct, names_any_word, needed, says_in, tells
from satchel.domain.safety.secret_checks import anything, assigned_password, is_name_of_nothing, is_phrase
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.told_phrases import is_told_phrase
from satchel.domain.safety.value_strength import Strength, is_plain_word, looks_mixed, strength

# How far a value may stand from its word.
_REACH = 120
_MOST_WORDS = 16
_FARTHEST_BEFORE = 160
_SENTENCE_END = r"[.!?](?=\s{1,4}[A-ZÄÖÜ¿¡])|[。！？；\r\n]"
_CLAUSE_END = r"[.!]?(?:\s*\Z|[,，。；、]|[ ]?(?:-->|\*/|\()|[ ]?[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|[ ](?i:und|and|et|y|e|but|aber|mais|pero|ma|mas|-)[ ])"
# Before a name in a comment or a sentence, where it is no variable.
_INLINE = r"[ \t]*(?:(?:[#;*%]|//|--)[^()\r\n]*|(?!(?i:var|let|const|my|local|dim|set|final|auto|string|static|private|public|export|return)\b)[^\W\d_]{2,20}[ \t](?:[\w-]{1,20}[ \t])*)"
# Python's statement that does nothing, which is always indented.
_STATEMENT = r"(?m)[ \t]+pass[ \t]*(?:#.*)?\r?$"
# After a name in code.
_CALL = r"[(\[]"
_NAME_BEFORE = r"[A-Za-z0-9_./+-]{0,60}\Z"
_ADVERB = r"(?i)[a-z]{2,20}ly|[a-z]{3,20}ment"
_CLOSING = (")", "]", "}", ",", ";")
# Words joined by a sign: a passphrase, or an adjective.
_JOINTS = r"[._-]"
# What is said between a word and a value that belongs to something else.
_OTHER_VALUE = (
    r"(?i)\b(?:hash|digest|checksum|fingerprint|commit|sha[0-9]{1,3}|md5|uuid|public|version|sha|ssh-(?:rsa|dss|ed25519)|"
    r"ecdsa-sha2-\w+)\b|data:|[\"'](?:n|kid|x5c)[\"']\s?:"
)
# Groups of letters and digits with blanks between them, as a second factor is printed.
_GROUPS = (
    r"(?:[ ]?\([^()\r\n]{1,40}\))?[\s:=：]{1,8}(?P<groups>[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}+"
    r"|(?=[a-z ]{0,60}[2-7])[a-z2-7]{4}(?: [a-z2-7]{4}){3,15}+"
    r"|(?=(?:[A-Za-z0-9]{4} ){0,15}(?:[A-Za-z][A-Za-z0-9]{0,2}[0-9]|[0-9][A-Za-z0-9]{0,2}[A-Za-z]))[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){3,15}+)(?![A-Za-z0-9])"
)
_BEFORE = (
    r"[\"'](?P<value>[^\"'\s]{6,100})[\"']\s{0,4},\s{0,4}(?:\w{1,30}\s?[:=]\s?)?@?[\"'][\w .-]{0,30}\Z"
    r"|(?:echo|printf)\s(?:-[a-z]{1,3}\s|[\"']%s[\"']\s)?[\"']?(?P<piped>[^\"'\s|]{6,100})[\"']?\s{0,4}\|[^|]{0,40}\Z"
)
# A verb, the value, and later in the sentence the word: type … at the password prompt.
_SAID_BEFORE = (
    r"(?i)\b(?:type[ds]?|enter(?:s|ed)?|use[ds]?|using|tr(?:y|ies|ied)|chose|picked|set (?:it|this|that)? ?to|changed? (?:it|this|that)? ?to|"
    r"tippe|gib|nimm|nutzt?e?|verwendet?e?|reuse[ds]?|tape[rz]?|utilise[rz]?|usa|usó|mis|puse|puso|put|usado|teclea|escribe|utilizza)\s{1,4}(?:[\"'“„«]\s?(?P<quoted>[^\"'“”„«»\r\n]{6,80}?)\s?[\"'”“»]|(?P<bare>[^\s\"'“„«,;()]{6,80}))"
    r"[\s,]{1,3}[^.!?\r\n]{0,40}\Z"
)
_PASSWORD_OPTION = (
    r"[ \t]-(?:[pPwWAXN]|pw|pass)[ \t=]{0,4}+(?:[\"'](?P<quoted>[^\"'\r\n]{4,100}+)[\"']|(?P<word>[^\s\"'`<>|&;]{4,100}+))"
    r"|\A[ \t=]{1,4}+[\"']?[\w.@-]{1,40}+[,:%][\"']?+(?P<joined>[^\s\"'|;]{4,100}+)"
)
# A user that is named right before the word for its password: user lea, password …
_USER = (
    r"(?i)[\w.+-]{1,64}@[A-Za-z0-9.-]{1,60}\.[a-z]{2,12}[ \t]{0,2}[,;/|]?[ \t]{0,2}(?:and|und|et|y|e|with|mit)?[ \t]{0,2}(?:the|das|le|la|el|il)?[ \t]{0,2}\Z|(?:ssh|sftp|scp|ftp|telnet)[ \t][\w.-]{1,40}@[\w.-]{1,60}[ \t]{0,4}[#(,;–—-]{1,2}[ \t]{0,2}\Z|(?:\b(?:user(?:name)?|login|account|benutzer(?:name)?|nutzer|utente|usuário|gebruiker|kennung|usuario|utilisateur|identifiant|"
    r"wi-?fi|wlan|ssid|network|netzwerk)|账号|帐号|帳號|賬號|账户|帳戶|用户名?|wifi名称)(?![A-Za-z])"
    r"[ \t]{0,12}(?:[:=：|是为為]|is\b|ist\b|est\b|es\b)?[ \t]{0,4}(?!(?:and|or|und|et|y)\b)[\w.@\\-]{2,40}[ \t]{0,2}(?:[,;/|，、]|\r?\n)?[ \t]{0,2}(?:and|und|et|y|with)?[ \t]{0,2}(?:the|das|le|la)?[ \t]{0,2}\Z"
)
_NEXT_WORD = r"[ \t]{0,12}(?:[:=：|]|(?i:is|ist|est|es|è|é)(?=[ ]))?[ \t]{0,4}(?P<value>[^\s\"'`,;()<>]{4,60}?)(?=[.,;!]?(?:\s*(?:[\r\n]|\Z)|[,;.] ))"
# A phrase that a sentence or a line ends with: is seven hats on a roof; (…) = …
_TOLD_PHRASE = r"(?:(?<=phrase)(?:[ \t]{1,2}(?:for|of|on|to|für|vom)[ \t][^\r\n:=.]{1,50})?(?:[ \t]{1,2}(?:is|was|ist)|[ \t]?:)|[ \t]{0,2}(?:\([^()\r\n]{0,60}\)[ \t]{0,2})?=)[ \t]{1,4}(?P<value>[^\W_]+(?: [^\W_]+){2,9})(?=[.!]?[ \t]*(?:\r?\n|\Z))"
# Words right after the word for a phrase, up to a sign: master phrase Nine hats on a roof — …
_NAMED_PHRASE = (
    r"(?<=phrase)[ \t]{1,2}(?P<value>[A-ZÄÖÜ][^\W\d_]{1,20}(?: [^\W_]{1,20}){2,9})"
    r"(?=[ \t]?[—–(,;]|[.!]?[ \t]*(?:\r?\n|\Z)|\. )"
)
# A few words, with capitals or a number, after what the password is for: for the bank: Copper Meadow.
_CAPITAL_WORDS = (
    r"[^:：\r\n.!?]{0,60}[:：][ \t]{1,3}(?P<value>[A-ZÄÖÜ][a-zäöüß]{3,20}(?: (?:[A-ZÄÖÜ][a-zäöüß]{2,20}|[0-9]{1,6})){1,4}"
    r"|[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,4} [0-9]{1,6})(?=[.!]?(?:[ \t]*\r?\n|[ \t]*\Z|[ ][A-Z]))"
)
# In a script without blanks, up to the next sign.
_FOREIGN_VALUE = r"(?<=[\u2e80-\ud7af])\s?(?:[是为為：:=]|[改換换設设](?:成|为|為|定為|到)了?)\s?(?P<value>[^\s，。；、,;\"'（）()：:]{6,40})(?=[，。；、\s]|\Z)"
# Before the verb: … is the new password
_SUBJECT = (
    r"(?<![^\s\"'`“„«(])(?P<value>[^\s\"'`“”„«»<>(){}\[\],;]{6,60})[\"'`”“»]?\s"
    r"(?i:is|was|ist|war|est|es|é|è|jest|är|er|je|este|это)\s(?:[^\s.,;:]{1,15}\s){0,4}(?:[^\W\d_]{1,15}-)?\Z"
)
# A quoted phrase, perhaps after what it is for, and then what it is: "backup drive -> nine hats on 2 roofs" that's the …
_QUOTED_SUBJECT = (
    r"[\"“„«](?:[^\"“”„«»\r\n]{1,60}(?:->|→|:|=)\s)?(?P<value>[^\"“”„«»\r\n]{6,80}?)[\"”“»][\s,–—-]{1,4}"
    r"(?i:(?:is|was|that['’]?s|that is|it['’]?s|das ist|ist|c['’]est|est|es|é|è))\s(?:[^\s.,;:]{1,15}\s){0,4}\Z"
)
_OTHER_NOUN = r"\w{0,12}\s(?i:policy|manager|hash|field|file|mode|option|setting|generator|reset|store|server|service|vault|provider|library|plugin|app)\b"
# In brackets after it the text says what it is: opens with nine hats on a roof (passphrase)
_SAID_IN_BRACKETS = (
    r"(?i)(?:\b(?:with|is|mit|ist|avec|est|con|es|med|met|er|är)|['’](?:s|est))\s(?P<value>[^\s():;,.]{2,20}(?: [^\s():;,.]{1,20}){0,8}) "
    r"\((?:the |das |die |la |le |our |my |its )?(?:\w{1,15} ){0,2}\Z"
)
# Lines before a key that make it one of a wireless network, or one that is secret.
_WIRELESS = r"[swp](?<!\w.)(?:(?<=s)sid|(?<=w)(?:pa[23]?|i-?fi|lan)|(?<=p)sk2?)\b"
_SECRET_KEYS = r"(?im)^[ \t]*[\"']?\w{0,20}(?:encryption|encrypt|signing|secret|hmac|jwt|private|master|crypt|cipher)(?:[_.-]?keys?)?[\"']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}[\[{]?[ \t]*$"
_BLOCK = 200
_NEAR = 30


def _rule(stem: str, cue: Cue, *, is_part: bool) -> SecretRule:
    return SecretRule(
        f"nearby-{'secret' if cue in (Cue.SECRET, Cue.KEY) else 'password'}",
        tuple(dict.fromkeys(stem.replace(" ", joint) for joint in (" ", "_", "-", ""))),
        partial(_pattern, stem, cue),
        anything,
        inside=True,
        values=told_later if cue is Cue.LOCKED else partial(_values, cue, is_part),
    )


@cache
def _pattern(stem: str, cue: Cue) -> str:
    return in_any_case(stem, _no_other_stem(stem, cue)).replace(r"\ ", "[ _-]?")


def _no_other_stem(stem: str, cue: Cue) -> str:
    """Return a condition: not within another stem of the same kind, as `assword` is in password, which has its own rule."""
    before = "".join(other[0] for other in STEMS.get(cue, ()) if other != stem and stem.startswith(other[1:]))
    return f"(?<![{before}{before.upper()}].)" if before else ""


def _values(cue: Cue, is_part: bool, text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the values that belong to a word which announces a secret."""
    start = found.start()
    end = ends_of_name(text, start, found.end(), cue, is_part=is_part)
    if end is None or compiled(_STATEMENT).match(text, line_start(text, start, _NEAR)):
        return
    cue = _cue_in_block(text, start) if cue is Cue.KEY else _cue_on_line(cue, text, start)
    # What follows the same word again belongs to that one; so no text is looked at twice.
    again = found.re.search(text, end, end + _REACH)
    last = _start_of_name(text, end, again.start()) if again else end + _REACH
    places = list(_on_the_line(cue, text, start, end, last)) or list(below(cue, text, start, end))
    if not places and cue is Cue.PASSWORD:
        places = list(_after_user(text, start, end)) or list(_told_phrase(text, start, end))
        places = places or list(_said_before(text, start))
    places = places or list(_before(text, start))
    yield from places or (told_later(text, found) if cue is Cue.PASSWORD else ())


def _start_of_name(text: str, first: int, start: int) -> int:
    """Return where the name starts in which a word stands."""
    before = compiled(_NAME_BEFORE).search(text, max(first, start - 60), start)
    return before.start() if before else start


def _cue_in_block(text: str, start: int) -> Cue:
    """Return what a key is, by the lines before it."""
    lines = text[max(0, start - _BLOCK) : start]
    if compiled(_WIRELESS).search(text[max(0, start - _BLOCK) : start + _NEAR].lower()):
        return Cue.PASSWORD
    return Cue.SECRET if compiled(_SECRET_KEYS).search(lines) else Cue.KEY


def _cue_on_line(cue: Cue, text: str, start: int) -> Cue:
    """Return what a secret is, by the words before it on its line: the one of a wireless network is a password."""
    first = max(0, text.rfind("\n", max(0, start - _BLOCK), start), start - _NEAR)
    return Cue.PASSWORD if cue is Cue.SECRET and compiled(_WIRELESS).search(text[first:start].lower()) else cue


def _on_the_line(cue: Cue, text: str, start: int, end: int, last: int) -> Iterator[Place]:
    stop = compiled(_SENTENCE_END).search(text, end, end + _REACH)
    sentence = text[end : stop.start() if stop else end + _REACH]
    window = sentence[: last - end]
    if cue in (Cue.SECRET, Cue.KEY) and (groups := compiled(_GROUPS).match(window)):
        yield end + groups.start("groups"), end + groups.end("groups")
        return
    other = compiled(_OTHER_VALUE).search(window)
    around = text[line_start(text, start, 60) : end + len(window)]
    first = _after_closing_quote(text, start, window)
    is_inline = compiled(_INLINE).fullmatch(text, line_start(text, start, 60), start) is not None
    for one in islice(compiled(VALUE).finditer(window, first, other.start() if other else len(window)), _MOST_WORDS):
        if cue is not Cue.PASSWORD and is_plain_word(one["bare"] or ""):
            continue
        place = place_of(one)
        if cue is Cue.LOGIN and place[0] == 0 and window[:1] == "/" and "/" not in window[1 : place[1]]:
            # Joined to the user: admin/…
            place = (1, place[1])
        elif place[0] == 0 and text[end - 1].isascii():
            # Part of the name, as in secret.md#1f3a.
            continue
        quoted = one.lastgroup != "bare"
        between = window[: one.start() if quoted else place[0]]
        value = window[place[0] : place[1]]
        if quoted and value[:1] in _CLOSING:
            # What stands between two literals.
            continue
        if not quoted and compiled(_CALL).match(text, end + place[1]):
            continue
        found = strength(value)
        if found is Strength.ORDINARY and cue is not Cue.PASSWORD:
            continue
        if found is Strength.HEX and compiled(_OTHER_VALUE).search(text, max(0, end - 60), end):
            return
        looks_secret = found > Strength.ORDINARY and found >= needed(cue, between, quoted=quoted, around=around)
        if looks_secret or (
            cue is Cue.PASSWORD
            and (
                _is_told(text[start:end], between, sentence[place[0] :], value, quoted, is_inline)
                or _is_apposed(between, sentence[one.start() :], value)
            )
        ):
            yield end + place[0], end + place[1]


def _is_told(name: str, between: str, rest: str, value: str, quoted: bool, is_inline: bool) -> bool:
    """Return whether a text says of any word, or of a phrase in quotes, that it is the password."""
    is_foreign = name[-1:] >= "\u0250"
    if quoted and (assigns(name, between) or between == "(" or (is_foreign and not between)):
        return assigned_password(value) and not is_state(value)
    if is_foreign and not between.strip() and looks_mixed(value):
        return True
    if quoted:
        language = says_in(name, between)
        if language is not None and " " not in value and not describes(value, (language,)):
            return assigned_password(value) and not is_state(value)
        return _is_words_with_number(value) and (
            is_direct(between)
            or language is not None
            or (tells(between) and len(between.split()) <= 6)
            or not between.strip()
        )
    if compiled(_JOINTS).search(value) and tells(between) and strength(value) >= Strength.JOINED:
        return not is_compound_adjective(value)
    if is_foreign and not value.isascii():
        # Both in the same script: the next word of a sentence.
        return False
    ends = compiled(_CLAUSE_END).match(rest, len(value)) is not None
    if not ends or not assigned_password(value) or is_state(value):
        return False
    language = says_in(name, between)
    if rest[len(value) : len(value) + 2] == ", " and compiled(_ADVERB).fullmatch(value):
        # How something is done: he typed his password: slowly, …
        return False
    is_set = between == "=" or (between == " = " and is_inline)
    return is_set or names_any_word(name, between) or (language is not None and not describes(value, (language,)))


def _is_words_with_number(value: str) -> bool:
    """Return whether a value is a phrase, or a few words and a number."""
    has_number = compiled(r"[^\W_]+(?: [^\W_]+){0,4} [0-9]{1,6}").fullmatch(value) and is_name_of_nothing(value)
    return bool(has_number) or is_phrase(value)


def _is_apposed(between: str, rest: str, value: str) -> bool:
    """Return whether a value stands between commas as another name for the password: the new password, …, works."""
    is_enclosed = compiled(r"(?:\s[^\s,\d]{1,20}){0,4},\s\Z").match(between) and compiled(_CLAUSE_END).match(
        rest, len(value)
    )
    return bool(is_enclosed) and strength(value) >= Strength.WORDY


def _after_closing_quote(text: str, start: int, window: str) -> int:
    """Return where the values of a window begin: after the quote that closes a literal in which the word stands."""
    closing = compiled(r"[^\"'\s]{0,20}([\"'])(?=[^\s]{0,20}\(|\s{0,4}(?:[:,]|=>?)\s{0,4}[\"'])").match(window)
    if not closing:
        return 0
    line = text[line_start(text, start, _REACH) : start]
    opened = compiled(rf"(?<![A-Za-z0-9]){closing[1]}").findall(line)
    closed = compiled(rf"{closing[1]}(?![A-Za-z0-9])").findall(line)
    return closing.end() if len(opened) > len(closed) else 0


def _after_user(text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the word after the one for a password, if a user is named before it: a plain word, too."""
    value = compiled(_NEXT_WORD).match(text, end)
    if value and assigned_password(value["value"]) and compiled(_USER).search(text, max(0, start - 80), start):
        yield value.span("value")
        return
    word = compiled(r"[ \t]([^\s\"'`,;()<>]{6,60})").match(text, end)
    if word and looks_mixed(word[1]) and compiled(_USER).search(text, max(0, start - 80), start):
        yield word.span(1)
        return


def _told_phrase(text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the words that a text says are the password, or one in a script without blanks."""
    for pattern in (_TOLD_PHRASE, _NAMED_PHRASE):
        phrase = compiled(pattern).match(text, end)
        if phrase and is_phrase(phrase["value"]) and is_told_phrase(phrase["value"]):
            yield phrase.span("value")
            return
    words = compiled(_CAPITAL_WORDS).match(text, end)
    if (
        words
        and names_any_word(text[start:end], text[end : words.start("value")])
        and is_name_of_nothing(words["value"])
    ):
        yield words.span("value")
    foreign = compiled(_FOREIGN_VALUE).match(text, end)
    if foreign and not foreign["value"].isascii() and _has_digit_and_sign(foreign["value"]):
        yield foreign.span("value")


def _has_digit_and_sign(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(one.isascii() and not one.isdigit() for one in value)


def _is_subject(value: str) -> bool:
    """Return whether a value that a sentence begins with may be a password: with a number, or three words joined."""
    if any(map(str.isdigit, value)):
        return strength(value) >= Strength.MIXED
    is_joined = compiled(r"[^\W_]+(?:[._-][^\W_]+){2,6}").fullmatch(value) and not is_compound_adjective(value)
    return bool(is_joined) and strength(value) >= Strength.JOINED


def _said_before(text: str, start: int) -> Iterator[Place]:
    """Yield the value that a sentence names before the word."""
    bracketed = compiled(_SAID_IN_BRACKETS).search(text, max(0, start - _FARTHEST_BEFORE), start)
    if bracketed and (is_phrase(bracketed["value"]) or strength(bracketed["value"]) >= Strength.MIXED):
        yield bracketed.span("value")
        return
    quoted = compiled(_QUOTED_SUBJECT).search(text, max(0, start - _FARTHEST_BEFORE), start)
    if quoted and (_is_words_with_number(quoted["value"]) or strength(quoted["value"]) >= Strength.MIXED):
        yield quoted.span("value")
        return
    subject = compiled(_SUBJECT).search(text, max(0, start - _FARTHEST_BEFORE), start)
    if subject and _is_subject(subject["value"]):
        if not compiled(_OTHER_NOUN).match(text, start):
            yield subject.span("value")
        return
    found = compiled(_SAID_BEFORE).search(text, max(0, start - _FARTHEST_BEFORE), start)
    as_password = found and compiled(r"(?i) (?:as|als|comme|como|come|de) (?:\w{1,12} ){0,3}\Z").search(
        text, found.end("bare"), start
    )
    if found and (
        strength(found["bare"]) >= (Strength.JOINED if as_password else Strength.WORDY)
        if found["bare"]
        else strength(found["quoted"]) >= Strength.MIXED or is_phrase(found["quoted"])
    ):
        yield found.span("bare" if found["bare"] else "quoted")


def _in_options(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the password that a command is given next to a user: -u lea -P …, -u lea,…"""
    end = found.end()
    stop = compiled(r"[\r\n|;]|&&").search(text, end, end + _REACH)
    for one in compiled(_PASSWORD_OPTION).finditer(text[end : stop.start() if stop else end + _REACH]):
        is_word = one.group().lstrip().startswith(("-P", "-pw", "-pass")) and assigned_password(one[one.lastgroup or 0])
        value = one[one.lastgroup or 0]
        if is_word or looks_mixed(value) or oddity(value) or is_phrase(one["quoted"] or ""):
            start, last = one.span(one.lastgroup or 0)
            yield end + start, end + last


def _before(text: str, start: int) -> Iterator[Place]:
    """Yield the value that a call is given before the name: set("…", forKey: "password")."""
    first = max(0, start - _FARTHEST_BEFORE, text.rfind("\n", max(0, start - _FARTHEST_BEFORE), start))
    if not any(mark in text[first:start] for mark in ('",', "',", "|")):
        return
    found = compiled(_BEFORE).search(text, first, start)
    least = Strength.WORDY if found and found["piped"] else Strength.CHOSEN
    if found and strength(found[found.lastgroup or 0]) >= least:
        yield found.span(found.lastgroup or 0)


NEARBY_SECRETS: tuple[SecretRule, ...] = (
    SecretRule(
        "password-option",
        (" -u", " -D", " --user", "ssh-keygen"),
        r"[ \t]-(?:u|U|D|-user|-username)(?=[ \t=])|ssh-keygen",
        anything,
        inside=True,
        values=_in_options,
    ),
    *(_rule(stem, cue, is_part=False) for cue, stems in STEMS.items() for stem in stems),
    *(_rule(stem, cue, is_part=True) for cue, stems in PARTS.items() for stem in stems),
)
