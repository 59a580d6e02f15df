"""Answers to the questions with which a bank or a service lets its owner in again: a first pet, a maiden name."""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.descriptions import describes
from satchel.domain.safety.secret_checks import (
    anything,
    bare_answer,
    is_name_of_nothing,
    is_placeholder_or_code,
    is_type_word,
)
from satchel.domain.safety.secret_rule import SecretRule

_QUESTIONS = (
    "security question",
    "security q",
    "security answer",
    "recovery answer",
    "recovery question",
    "secret answer",
    "secret question",
    "maiden name",
    "sicherheitsfrage",
    "sicherheitsantwort",
    "mädchenname",
    "question secrète",
    "question de sécurité",
    "pregunta de seguridad",
    "pregunta secreta",
    "domanda di sicurezza",
    "domanda segreta",
    "pergunta de segurança",
)
_QUESTION = (
    r"(?>(?i:(?:security|secret|recovery) (?:question|q\b)|(?:security|secret|recovery) answer(?=[ \t]{0,2}[:=])|(?:security|recovery|secret)(?= answer[ \t])|maiden name|sicherheits(?:frage|antwort)|"
    r"mädchenname|question (?:secrète|de sécurité)|pregunta (?:de seguridad|secreta)|domanda (?:di sicurezza|segreta)|pergunta de segurança))"
)
_LEADS = (
    r"(?>(?i:answer|\ba:|antwort|réponse|respuesta|risposta|resposta|is|was|ist|est|es)(?:[ \t]{0,2}[:=])?|[?:=→]|->)"
)
_NAME = r"(?i:security|secret|recovery|challenge)"
# A value of a setting: in quotes, or up to the end of the line.
_SET = r"[\"']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}(?:[\"'](?P<quoted>[^\"'\r\n]{3,60})[\"']|(?P<bare>[^\s\"'{}\[\]|>][^\"'\r\n,{}\[\]|>]{2,60}?)(?=[ \t]{0,8}(?:[,}]|\r?\n|\Z)))"
_ENTRY = rf"(?i:answer|antwort|respuesta|réponse|risposta){_SET}"
_MOST_ENTRIES = 10
_BLOCK = 800
# What the answer is about, and the answer: pet Biscuit, city: Lund
_ABOUT = (
    r"[\s,;]{0,3}[a-zäöü][a-zäöü' ]{1,24}[ :=]{1,3}(?P<value>[A-ZÄÖÜÉÅØ][\w'-]{2,30})(?=[,;.]|[ \t]{0,8}(?:\r?\n|\Z))"
)


def _is_answer(value: str) -> bool:
    """Return whether a value may be what a person answered: no word about the answer."""
    return (
        len(value.split()) <= 4
        and not is_type_word(value)
        and not is_placeholder_or_code(value)
        and is_name_of_nothing(value)
        and not describes(value)
        and any(map(str.isalpha, value))
    )


def _is_unspaced_answer(value: str) -> bool:
    about = compiled(r"[不必须請请设設]|加密|存储|保存|[错錯]误|以后|之后|可以").search(value)
    return about is None and _is_answer(value)


def _setting(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the value of a setting for an answer."""
    value = compiled(_SET).match(text, found.end())
    if value and _is_answer(value[value.lastgroup or 0]):
        yield value.span(value.lastgroup or 0)


def _entries(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the answers of a list of questions in a file."""
    end = found.end()
    for _ in range(_MOST_ENTRIES):
        entry = compiled(_ENTRY).search(text, end, found.end() + _BLOCK)
        if not entry:
            return
        end = entry.end()
        if _is_answer(entry[entry.lastgroup or 0]):
            yield entry.span(entry.lastgroup or 0)


def _labelled(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the answers of a list in a sentence."""
    end = found.end()
    for _ in range(_MOST_ENTRIES):
        entry = compiled(_ABOUT).match(text, end)
        if not entry:
            return
        end = entry.end()
        if bare_answer(entry["value"]):
            yield entry.span("value")


RECOVERY_ANSWERS: tuple[SecretRule, ...] = (
    SecretRule(
        "recovery-answer",
        _QUESTIONS,
        rf"{_QUESTION}[^\r\n]{{0,100}}?{_LEADS}[ \t]{{1,3}}+[\"'„“]?+(?P<value>[^\W\d_][\w-]{{2,40}}+(?: [A-ZÄÖÜ][\w-]{{1,30}}+){{0,2}}+)[\"'”“]?+"
        r"(?=[.!]?[ \t]{0,8}+(?:\r?\n|\Z)|[.,;]|[ ]?[()])",
        bare_answer,
    ),
    SecretRule(
        # The name of a variable or a setting: security_answer: "…"
        "recovery-answer",
        ("security answer", "secret answer", "recovery answer", "security_answer", "securityanswer", "security-answer", "secret_answer", "secretanswer", "secret-answer", "recovery_answer", "recoveryanswer", "recovery-answer", "challenge_answer", "challengeanswer", "sicherheitsantwort"),
        rf"(?:{_NAME}[ _-]?(?i:answer)|(?i:sicherheitsantwort))s?[0-9]?(?![A-Za-z])",
        anything,
        inside=True,
        values=_setting,
    ),
    SecretRule(
        # A list of questions with their answers.
        "recovery-answer",
        ("security_question", "securityquestion", "security-question", "secret_question", "secretquestion", "recovery_question", "recoveryquestion", "challenge_question"),
        rf"{_NAME}[_-]?(?i:questions?)[\"']?[ \t]{{0,4}}+(?:[:=]|=>)",
        anything,
        inside=True,
        values=_entries,
    ),
    SecretRule(
        # Several in one sentence: security answers: pet Biscuit, city Lund
        "recovery-answer",
        ("security answers", "secret answers", "recovery answers", "security questions", "security qs", "sicherheitsantworten", "sicherheitsfragen"),
        rf"(?:{_NAME} (?i:answers|questions|qs)|(?i:sicherheits(?:antworten|fragen)))[^\r\n:→–]{{0,30}}+[:→–]",
        anything,
        values=_labelled,
    ),
    SecretRule(
        # In quotes the question, on a line about an account: the answer to "…" is …
        "recovery-answer",
        ("answer to",),
        r"(?i:account|bank|login|log in|portal|reset|recover)[^\r\n]{0,60}?answer to (?:the question )?[\"“][^\"”\r\n]{3,60}+[\"”] (?i:is|was) [\"“]?(?P<value>[^\W\d_][\w'-]{2,40}+(?: [A-ZÄÖÜ][\w-]{1,30}+){0,2}+)",
        bare_answer,
        inside=True,
    ),
    SecretRule(
        "recovery-answer",
        ("密保", "安全问题", "安全問題", "秘密の質問"),
        r"(?:密保|安全问题|安全問題|秘密の質問)[^\r\n]{0,40}?(?:答案|答え)(?:[是为為はを][ ]?[:：]?|[ ]?[:：]|(?=[ ]))[ ]?(?P<value>[^\s，。；、,;:：（(]{2,30}+)",
        _is_unspaced_answer,
        inside=True,
    ),
)  # fmt: skip
