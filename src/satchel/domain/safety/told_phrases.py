"""Passphrases of several words, after the word for one or before it, and single words that a bank or a school asks for.

The words themselves are ordinary ones. So a sign or a verb must lead right to them, they must end the clause, and none of
them may be one with which a sentence goes on about a passphrase: "is on the note", "is longer than the old one".
"""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.descriptions import describes
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.secret_checks import anything, assigned_password, is_name_of_nothing, is_phrase
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start

# Words for a passphrase; those for a word with which a person proves who they are.
_PHRASES = (
    "passphrase", "pass phrase", "pass-phrase", "kennsatz", "phrase de passe", "phrase secrète", "frase de contraseña", "frase de paso", "frase secreta", "frase segreta",
    "frase d'accesso", "frase di accesso", "frase-senha", "frase de acesso", "frase senha", "wachtzin", "wachtwoordzin", "lösenordsfras", "lösenfras",
    "adgangssætning", "passordfrase", "tunnuslause", "salalause", "hasło frazowe", "fraza hasła", "heslová fráze", "parolla cümlesi", "парольная фраза", "парольную фразу",
    "кодовая фраза", "secret phrase", "unlock phrase", "recovery phrase", "backup phrase", "the phrase", "the sentence", "dem satz", "der satz", "la phrase", "la frase",
)  # fmt: skip
_WORDS = (
    "security word", "memorable word", "safe word", "safeword", "code word", "codeword", "password word", "secret word", "challenge word", "telephone password", "phone password",
    "sicherheitswort", "codewort", "geheimwort", "kennwort am telefon", "mot de sécurité", "mot secret", "mot de code", "palabra clave", "palabra secreta", "palabra de seguridad",
    "parola segreta", "parola d'ordine", "palavra secreta", "palavra de segurança", "codewoord", "wachtwoord", "hasło telefoniczne", "kodord", "säkerhetsord", "кодовое слово",
)  # fmt: skip
# Phrases that mean something else in most texts count only next to what is opened with one, and in quotes.
_AMBIGUOUS = frozenset(["secret phrase", "the phrase", "the sentence", "dem satz", "der satz", "la phrase", "la frase"])
_OPENED = r"(?i)unlock|decrypt|opens? (?:with|by)|log ?in|entsperr|entschlüssel|öffne|déverrouill|déchiffr|desbloque|descifra|sblocca|decifra"
_FOR = r"(?:[ ](?:that|which|qui|que|che|der|die|for|of|on|to|at|with|für|vom|von|beim|zum|zur|du|de|del|della|di|do|da|pour|para|per|van|voor|till|til|для|от)[ ][^\r\n:=.,;\"“„«]{1,40}?)?"
_SIGN = r"[ ]{0,2}(?:\([^()\r\n]{1,30}\)[ ]?)?(?:[:：=→]|->|=>|—|–|-(?=[ ]))[ ]{0,2}"
_VERB = (
    r"[ ,]{1,2}(?i:is now|is still|is|was|stays|remains|became|becomes|now|answer|say|type|enter|use|ist jetzt|ist|war|lautet|heißt|bleibt|antworte|est toujours|est|reste|devient|c['’]est|"
    r"es ahora|es|sigue siendo|era|è ora|è|resta|é|continua|fica|jest|je|är|er|on|это|is nu|blijft)[ ]{1,2}"
)
_PHRASE = r"(?P<value>[^\W\d_]{1,20}(?:[ ](?:[^\W_]{1,20}(?:['’][^\W\d_]{1,4})?)){2,9})"
_QUOTED = r"[ ,:=—–-]{0,4}(?:(?:the|is|ist|est|es|è|é)[ ])?(?:(?:word|wort|mot|palabra|parola)[ ])?[\"“„«'‘][ ]?(?P<value>[^\"“”„«»\r\n]{4,80}?)[ ]?[\"”“»'’]"
_CLAUSE_END = r"(?=[ ]?[.!]?(?:[ \t]*(?:\r?\n|\Z)|[ ][(—–]|[;)]|,[ ]|\.[ ]))"
_WORD = r"(?P<value>[^\W\d_]{5,20})"
# The phrase before the word for it: use … as the passphrase, … is the passphrase
_SAID_AS = (
    r"(?i:\b(?:use|uses|used|using|type|enter|try|set|with|nimm|nutze|tippe|verwende|utilise[rz]?|tape[rz]?|mets|usa|usar|escribe|use|usi|inserisci|gebruik|wpisz|skriv))[ ]"
    + _PHRASE
    + r"[ ](?i:as|for|als|comme|como|come|som|jako)[ ](?:[^\W\d_]{1,12}[ ]){0,3}\Z"
)
_SUBJECT = (
    r"(?:\A|(?<=[\n.!?:>])[ ]?|(?<=[\"“„«(]))"
    + _PHRASE
    + r"[\"”“»]?[ ](?i:is|was|ist|war|est|es|è|é|är|er|jest|je)[ ](?:[^\W\d_]{1,12}[ ]){1,3}\Z"
)
_REACH = 160
# Words with which a sentence goes on about a passphrase, at its beginning and anywhere.
_OPENERS = frozenset(
    [
        "a", "an", "the", "on", "under", "behind", "inside", "in", "at", "with", "written", "longer", "shorter", "same", "one", "my", "our", "this",
        "that", "these", "those", "what", "which", "very", "too", "so", "quite", "really", "only", "just", "still", "hidden", "safe", "wrong",
        "about", "over", "more", "less", "there", "here", "it", "we", "you", "they", "he", "she", "i", "if", "when", "for", "not", "no", "never",
        "always", "something", "anything", "someone", "stored", "kept", "saved", "known", "printed", "easier", "harder", "better", "worse", "than",
        "also", "ein", "eine", "der", "die", "das", "auf", "im", "am", "bei", "unter", "mein", "meine", "unsere", "unser", "nicht", "noch", "immer",
        "länger", "kürzer", "dieselbe", "gleich", "dort", "hier", "une", "un", "le", "la", "les", "l", "sur", "dans", "sous", "plus", "moins", "trop",
        "aussi", "notre", "ma", "mon", "pas", "toujours", "même", "una", "el", "los", "en", "sobre", "más", "menos", "mi", "nuestra", "igual", "lo",
        "il", "nel", "sulla", "più", "meno", "troppo", "mia", "nostra", "non", "uguale", "uma", "o", "na", "mais", "minha", "nossa", "não", "een",
        "het", "de", "op", "onder", "bij", "mijn", "onze", "niet", "langer", "korter", "w", "jest", "pod", "nie", "moje", "nasze", "v", "není", "på",
        "inte", "min", "vår", "в", "на", "под", "не", "это", "наша", "моя",
    ]
)  # fmt: skip
_ANYWHERE = frozenset(
    [
        "is", "are", "was", "were", "be", "been", "has", "have", "had", "must", "should", "can", "cannot", "could", "would", "will", "may", "might",
        "than", "because", "where", "who", "whom", "how", "why", "please", "enter", "ask", "asks", "asked", "ist", "sind", "muss", "soll", "sollte",
        "wird", "werden", "wurde", "kann", "als", "weil", "est", "sont", "doit", "que", "qui", "sera", "deve", "devono", "che", "quali", "debe",
        "deben", "tiene", "passphrase", "password", "phrase", "sentence", "words", "word", "characters", "wörter", "zeichen", "wörtern", "mots",
        "caractères", "palabras", "caracteres", "parole", "caratteri",
    ]
)  # fmt: skip


def is_told_phrase(value: str) -> bool:
    """Return whether words may be a passphrase, and are not what a sentence says about one."""
    words = value.lower().split()
    return words[0] not in _OPENERS and not describes(words[0]) and not _ANYWHERE & set(words)


def _after(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the phrase to which the text leads after the word, or else the one before it."""
    is_ambiguous = found.group().lower() in _AMBIGUOUS
    quoted = compiled(_FOR + _QUOTED).match(text, found.end())
    if (
        quoted
        and _is_quoted_secret(quoted["value"])
        and (not is_ambiguous or _opens(text, found, quoted.start("value")))
    ):
        yield quoted.span("value")
        return
    if is_ambiguous:
        return
    for lead in (_SIGN, _VERB):
        told = compiled(_FOR + lead + _PHRASE + _CLAUSE_END).match(text, found.end())
        if (
            told
            and is_told_phrase(told["value"])
            and (lead is _SIGN or is_phrase(told["value"]) or len(told["value"].split()) >= 4)
        ):
            yield told.span("value")
            return
    yield from _before(text, found)


def _before(text: str, found: re.Match[str]) -> Iterator[Place]:
    first = line_start(text, found.start(), _REACH)
    for pattern in (_SAID_AS, _SUBJECT):
        said = compiled(pattern).search(text, first, found.start())
        is_whole = said and (is_phrase(said["value"]) or (pattern is _SAID_AS and len(said["value"].split()) >= 4))
        if said and is_whole and is_told_phrase(said["value"]):
            yield said.span("value")
            return


def _opens(text: str, found: re.Match[str], end: int) -> bool:
    """Return whether a line says up to some place that something is opened."""
    first = line_start(text, found.start(), _REACH)
    return compiled(_OPENED).search(text, first, end) is not None


def _is_quoted_secret(value: str) -> bool:
    words = value.split(" ")
    return (
        len(words) > 1
        and all(one.strip("'’,-").isalnum() for one in words)
        and not _ANYWHERE & set(value.lower().split())
    ) or assigned_password(value)


def _word(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the single word that a person is to say."""
    # In quotes and then a verb it is any word that a text speaks of: the code word "async" is reserved.
    quoted = compiled(_FOR + _QUOTED + _CLAUSE_END).match(text, found.end())
    told = quoted or compiled(_FOR + f"(?:{_SIGN}|{_VERB})" + _WORD + _CLAUSE_END).match(text, found.end())
    if (
        told
        and is_name_of_nothing(told["value"])
        and not describes(told["value"])
        and told["value"].lower() not in _OPENERS
    ):
        yield told.span("value")


TOLD_PHRASES: tuple[SecretRule, ...] = tuple(
    SecretRule(
        "passphrase",
        (word,),
        in_any_case(word, r"(?<![^\W\d_].)") + r"(?![^\W\d_])",
        anything,
        inside=True,
        values=values,
    )
    for words, values in ((_PHRASES, _after), (_WORDS, _word))
    for word in words
)
