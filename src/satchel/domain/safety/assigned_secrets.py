"""Secrets that are all of a setting: on a line of their own, in an environment, or in a list of settings.

There the value needs to look like nothing: a plain word or a few with signs between them may be the password.
"""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.descriptions import describes, is_state
from satchel.domain.safety.named_secrets import ANY_PASSWORD_NAME, PASSWORD_WORDS, REST
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.secret_checks import anything, assigned_password, is_phrase, quoted_secret
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.value_strength import looks_signed

_WIDEST = 200
_OPERATOR = r"[ \t]{0,20}(?:=|:(?=[ \t]))[ \t]{0,20}"
_VALUE = r"[^\s\"'`,;()\[\]{}<>|&]{4,100}"
_REST_OF_LINE = r"[^\s\"'`({\[<$]\S{5,99}(?=[ \t]*(?:\r?\n|\Z))"
_WORD_OF_LINE = r"[^\s\"'`(){}\[\]<>$,;]{6,100}(?=[ \t]*(?:\r?\n|\Z)|[ \t]{1,4}(?:[(#]|//|--[ ]))"
_ELEMENT = r"[\"']?>(?P<value>[^\r\n<>]{4,100})</"
_PHRASE = r"[^\W_]+(?: [^\W_]+){2,9}(?=[ \t]*(?:\r?\n|\Z))"
_NAME_BEFORE = r"[A-Za-z0-9_.-]{0,60}\Z"
# What may stand before a setting on its line.
_OPENS_LINE = (
    r"[ \t]*(?:[\w./-]{1,60}:(?:[0-9]{1,5}:)?[ \t]+)?(?:[-#;*+>][ \t]*|(?:export|set|setx|ENV|ARG)[ \t]+|\$env:)?"
)
# Perhaps with a comment.
_LINE_ENDS = r"[ \t]*(?:\r?\n|\Z)|[ \t]{1,4}(?:[(#]|//|--[ ])"
# A label of a note: a word for a password alone.
_LABELS = frozenset(["pass", "pw", "pwd", "passwd", "mdp"])
# Another setting before or after it, as in a connection string: host=db password=…
_SETTING_BEFORE = r"[A-Za-z_]{2,30}=[^\s=]{1,80}[ \t&,]\Z"
_SETTING_AFTER = r"(?:[ \t]{1,4}|[&,])[A-Za-z_]{2,30}=\S"
# A user, a host or a mail address that is set on a line nearby.
_ACCOUNT = r"(?i)(?m:^)[ \t]*[-#;]?[ \t]*[\"']?[\w.-]{0,30}(?:user(?:name)?|login|host|server|e-?mail|account|benutzer|usuario|utilisateur|identifiant|用户名|账号)[\"']?[ \t]{0,20}[:=：]"


def _settings(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the value of a setting whose name ends with a word for a password."""
    element = compiled(_ELEMENT).match(text, found.end())
    if element and (is_phrase(element["value"]) if " " in element["value"] else assigned_password(element["value"])):
        yield element.span("value")
    first = line_start(text, found.start(), _WIDEST)
    is_env = compiled(r"ENV[ \t]").match(text, first)
    operator = compiled(r"[ \t]{1,4}(?!=)" if is_env else _OPERATOR).match(text, found.end())
    operator = operator or compiled(_OPERATOR).match(text, found.end())
    if not operator:
        return
    before = compiled(_NAME_BEFORE).search(text, max(0, found.start() - 60), found.start())
    start = before.start() if before else found.start()
    whole = compiled(_REST_OF_LINE).match(text, operator.end())
    if whole and looks_signed(whole.group()):
        yield whole.span()
        return
    phrase = compiled(_PHRASE).match(text, operator.end())
    is_named = "phrase" in found.group() or operator.group().strip() == "=" or _has_account(text, start)
    if phrase and is_named and is_phrase(phrase.group()) and _is_comment_or_line(text, start):
        yield phrase.span()
        return
    value = compiled(_WORD_OF_LINE).match(text, operator.end()) or compiled(_VALUE).match(text, operator.end())
    if value and _is_setting(text, start, operator, value) and assigned_password(value.group()):
        yield value.span()


def _is_setting(text: str, start: int, operator: re.Match[str], value: re.Match[str]) -> bool:
    name = text[start : operator.start()]
    # A property on a command line: -Ddb.password=…
    if operator.group() == "=" and (
        name.startswith(("-D", "-P")) or name.isupper() or _stands_in_list(text, start, value.end())
    ):
        return True
    if operator.group() == "=" and _is_compound(name) and _is_quoted(text, start, value.end()):
        return True
    is_label = name.lower() in _LABELS and not describes(value.group()) and not is_state(value.group())
    return _fills_line(text, start, value.end()) and (_is_compound(name) or is_label or _has_account(text, start))


def _stands_in_list(text: str, start: int, end: int) -> bool:
    if compiled(_SETTING_AFTER).match(text, end):
        return True
    # Looking back takes longest, so only where it can succeed.
    is_apart = text[start - 1 : start] in (" ", "\t", "&", ",")
    return is_apart and compiled(_SETTING_BEFORE).search(text, max(0, start - _WIDEST), start) is not None


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether quotes enclose a setting, as in an argument of a command: -e "become_pass=…"."""
    return text[start - 1 : start] in ("'", '"') and text[end : end + 1] == text[start - 1]


def _fills_line(text: str, start: int, end: int) -> bool:
    first = line_start(text, start, _WIDEST)
    return compiled(_OPENS_LINE).fullmatch(text, first, start) is not None and bool(
        compiled(_LINE_ENDS).match(text, end)
    )


def _is_comment_or_line(text: str, start: int) -> bool:
    first = line_start(text, start, _WIDEST)
    return compiled(rf"(?:.*(?:#|//|--|;)[ \t]*)?{_OPENS_LINE}").fullmatch(text, first, start) is not None


def _is_compound(name: str) -> bool:
    """Return whether a name says more than that it is a password, which a label on a form would not."""
    return any(mark in name for mark in "_.-") or (name[:1].islower() and name != name.lower())


def _has_account(text: str, start: int) -> bool:
    """Return whether the lines around a setting have one for the user or the host."""
    return compiled(_ACCOUNT).search(text, max(0, start - _WIDEST), start + _WIDEST) is not None


def _environment(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the value of a variable of the environment whose name ends with SECRET."""
    value = compiled(_VALUE).match(text, found.end())
    if value and quoted_secret(value.group()):
        yield value.span()


ASSIGNED_SECRETS: tuple[SecretRule, ...] = (
    SecretRule(
        "password",
        PASSWORD_WORDS,
        f"[Pp](?>{ANY_PASSWORD_NAME.removeprefix('[Pp]')}|(?i:ass)(?=>)){REST}",
        anything,
        inside=True,
        values=_settings,
    ),
    SecretRule("secret", ("SECRET",), r"SECRET(?:_KEY(?:_BASE)?)?=", anything, inside=True, values=_environment),
)
