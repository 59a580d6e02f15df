"""Statements analysed for comparison with others: their words, without phrasing, negations and reasons."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from satchel.domain.safety.compiled import compiled
from satchel.domain.statements.change_cues import ChangeCues
from satchel.domain.statements.changes import AnnouncedChange, find_change, says_newer
from satchel.domain.statements.detect import fold
from satchel.domain.statements.from_when import FROM_WHEN
from satchel.domain.statements.word_forms import by_beginning, has_name, same_name, stem, word_set
from satchel.domain.words import STOP_WORDS, UNSPACED

# Maximum number of characters of a text that are compared: a rule stands at its beginning.
COMPARED_CHARS = 600

# Patterns, compiled on first use: most commands compare no statements.
_GIVES_REASON = (
    r"(?:\b(?:because|since (?!this|last)|so that|due to|as it|in order to)\b|因為|因为|由於|由于|理由|為了|为了|以便)"
)
# One at the beginning ends at the comma; without a comma it cannot be told from what holds.
_REASON = rf"^\W*{_GIVES_REASON}[^,;。]*[,;]|(?<=.){_GIVES_REASON}.*"
_NEGATION = (
    r"\b(?:not|never|no|don't|doesn't|do not|won't|can't|cannot|avoid|without|stop|hate|dislike|forbid|forbidden|disable|exclude|refuse|"
    r"shouldn't|mustn't|isn't|aren't)\b|不要|不得|不准|不能|不可|不許|不许|不再|別|别|勿|避免|禁止|討厭|讨厌|停用|從不|从不|絕不|绝不|不"
)
# Words that introduce or phrase a rule without saying what it is about or what it demands.
_PHRASING = (
    r"\b(?:we|i|you|us|my|our|your|the team|everyone|let's|lets|'ve|'re|'ll|'m|have|has|had|will|shall|would|should|must|need to|"
    r"(?:decided?|deciding|agreed?|agreeing|settled?|chose|chosen|choose|picked)(?: to| on| upon)?|going with|that|always|from now on|going forward|now|today|please|"
    r"remember|rule|rules|preference|preferences|policy|decision|really|also|still|just|only|all|every|each|any|a|an|the|this|these|"
    r"instead|again|anymore|any more|henceforth|back|finally|later|new|old|previous|like|want|love|make sure|try)\b|"
    r"我們|我们|咱們|咱们|團隊|团队|大家|我的|我|決定|决定|已經|已经|以後|以后|之後|之后|今後|今后|從現在起|从现在起|從現在開始|从现在开始|"
    r"一律|統一|统一|永遠|永远|總是|总是|務必|务必|記住|记住|請|请|都|現在|现在|全部|規則|规则|偏好|喜歡|喜欢|習慣|习惯|了|的|要|先"
)


def _word(letter: str) -> str:
    return rf"\d+(?:[.:]\d+)*|{letter}+(?:[-_.+#/']{letter}+)*[+#]*"


_SPACED_WORD = _word(rf"(?:(?![{UNSPACED}])[^\W_])")
# The same in ASCII text, which is most text, and compiled in a tenth of the time.
_ASCII_WORD = _word(r"[^\W_]")
_TOKEN = rf"[{UNSPACED}]|{_SPACED_WORD}|[:=]"
_ASCII_TOKEN = rf"{_ASCII_WORD}|[:=]"
_RUN = rf"[{UNSPACED}]+|{_SPACED_WORD}"
_FUNCTION_CHARACTERS = "[用是在把從从將将到成為为改換换存放做和與与跟及也就才再還还會会被讓让給给對对排]"
_ONLY_UNSPACED = f"[{UNSPACED}]+"
_NOT_A_TERM = STOP_WORDS | word_set("us use prefer do did than rather over get take")


class Statement(Struct, frozen=True, dict=True):
    """A text, analysed for comparison with others."""

    tokens: tuple[str, ...]
    """Words and signs in order, without phrasing, negations and reasons."""
    terms: frozenset[str]
    """Words with a meaning of their own, by their stem; of scripts without spaces, pairs of characters."""
    negated: bool
    folded: str
    text: str
    """What was compared of the text, as it is written."""

    @cached_property
    def change(self) -> AnnouncedChange | None:
        """The change it announces."""
        return find_change(self.folded)

    @cached_property
    def is_newer(self) -> bool:
        """Whether it says of itself that it describes a change."""
        return says_newer(self.folded)

    @cached_property
    def cues(self) -> ChangeCues:
        """What its words say about it being a change."""
        return ChangeCues(self.text, self.folded)

    @cached_property
    def given_up(self) -> frozenset[str]:
        """The terms of what it says it gives up; none if it does not say."""
        return frozenset() if self.change is None else terms_in(self.change.old)

    # Every other statement is compared with these: looking a word up is faster than comparing it with each.
    @cached_property
    def long_terms(self) -> Mapping[str, Sequence[str]]:
        """Those of its terms that may stand for a longer or shorter name, by their beginning."""
        return by_beginning(self.terms)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words in ASCII."""
        return frozenset(stem(token) for token in self.tokens if token.isascii())

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Those of its words in ASCII that may stand for a longer or shorter name, by their beginning."""
        return by_beginning(token for token in self.tokens if token.isascii())


def analyse(text: str) -> Statement:
    """Analyse a text for comparison."""
    compared = text[:COMPARED_CHARS]
    folded = fold(compared)
    # First: a "since" that is left gives a reason.
    plain = compiled(_REASON).sub("", compiled(FROM_WHEN).sub(" ", folded))
    content, negations = _content(plain)
    return Statement(_find_tokens(content), _find_terms(content), negations % 2 == 1, folded, compared)


def shared_terms(one: Statement, other: Statement) -> set[str]:
    """Return the terms of one statement that the other has too, also as a longer or shorter name."""
    longer = (
        term
        for beginning in one.long_terms.keys() & other.long_terms.keys()
        for term in one.long_terms[beginning]
        if any(same_name(term, name) for name in other.long_terms[beginning] if name not in one.terms)
    )
    return {*(one.terms & other.terms), *longer}


def has_word(statement: Statement, word: str) -> bool:
    """Return whether a statement has a word, whatever its inflection."""
    if word in statement.tokens:
        return True
    return word.isascii() and (stem(word) in statement.stems or has_name(word, statement.names))


def tokens_in(folded: str) -> tuple[str, ...]:
    """Return the words and signs of a part of a statement, as `Statement.tokens`."""
    return _find_tokens(_content(folded)[0])


def terms_in(folded: str) -> frozenset[str]:
    """Return the terms of a part of a statement, as `Statement.terms`."""
    return _find_terms(_content(folded)[0])


def is_unspaced(token: str) -> bool:
    """Return whether a token is of a script without spaces."""
    return not token.isascii() and compiled(_ONLY_UNSPACED).fullmatch(token) is not None


def _content(folded: str) -> tuple[str, int]:
    """Return a text without negations and phrasing, and the number of its negations."""
    content, negations = compiled(_NEGATION).subn(" ", folded)
    return compiled(_PHRASING).sub(" ", content), negations


def _find_tokens(content: str) -> tuple[str, ...]:
    return tuple(compiled(_ASCII_TOKEN if content.isascii() else _TOKEN).findall(content))


def _find_terms(content: str) -> frozenset[str]:
    if content.isascii():
        return frozenset(map(stem, compiled(_ASCII_WORD).findall(content))) - _NOT_A_TERM
    found = set[str]()
    for run in compiled(_RUN).findall(content):
        if not is_unspaced(run):
            found |= {stem(run)} - _NOT_A_TERM
            continue
        for part in filter(None, compiled(_FUNCTION_CHARACTERS).split(run)):
            found |= {part[start : start + 2] for start in range(len(part) - 1)} if len(part) > 1 else {part}
    return frozenset(found)
