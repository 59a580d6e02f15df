"""Whether two statements contradict each other, and whether one announces that it replaces the other.

Both are decided by their words, when in doubt with no. A contradiction is the same statement with the opposite polarity,
or with one value exchanged: "use A for B" and "use C for B" contradict each other, "use A for B" and "use A for D" do not.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum, StrEnum
from functools import cache, cached_property, lru_cache

from msgspec import Struct

from satchel.domain.safety.compiled import compiled
from satchel.domain.statements.change_cues import ChangeCues
from satchel.domain.statements.changes import REOPENED, AnnouncedChange, find_change, says_newer
from satchel.domain.statements.detect import fold
from satchel.domain.words import STOP_WORDS, UNSPACED

# Maximum number of characters of a text that are compared: a rule stands at its beginning.
COMPARED_CHARS = 600
# Maximum number of words of an exchanged value.
MAX_VALUE_TOKENS = 4
MAX_VALUE_CHARS = 8
MAX_NUMBER_TOKENS = 2
# What a text that describes a change must have in common with an older one about the same: this share of the older one's
# words and a related meaning, or one word and a close meaning.
MIN_SHARED = 2
SHARE_OF_OLDER = 0.25
RELATED_MEANING, CLOSE_MEANING = 0.5, 0.6
MIN_STEM = 3
# Every pair of memories that is compared asks for the stems of their words.
KNOWN_STEMS = 4_096
# Minimum length at which the beginning of a name stands for the name: Postgres, PostgreSQL.
MIN_NAME_PREFIX = 5

# Patterns, compiled on first use: most commands compare no statements.
_REASON = r"\b(?:because|since (?!this|last)|so that|due to|as it|in order to)\b.*|(?:因為|因为|由於|由于|理由|為了|为了|以便).*"
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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A value follows these words …
_TAKES_VALUE = _words(
    "use uses using used prefer prefers with on in at is are be to as by via through into adopt hire buy = : "
    "用 是 在 選 选 採 采 為 为 成 到 放 存 走 喝 吃 去 叫 寫 写 換 换 做 回 坐 搭 住"
)
_USES = _words("use uses using used prefer prefers adopt hire buy")
# What stands after these in Chinese is likely a choice, though a name may go on there: 用飛書溝通, 用微信支付收款.
_USES_UNSPACED = _words("用 採 采 走")
_COPULAS = _words("is are = : 是")
# The name that follows one of these is a choice too, if it ends the statement; several may be.
_CHOOSES = _words("follow follows return returns run runs")
# What may follow a value: the end, or a word that introduces the subject.
_FOLLOWS_VALUE = _words("for in as on at when with to from by if of and : 做 當 当 來 来 作 給 给")
# … and the subject these.
_TAKES_SUBJECT = _words("for of about regarding per 對 对 給 给")
# Words without meaning of their own in a frame; the rest of a frame must have some.
_EMPTY = (
    STOP_WORDS
    | _TAKES_VALUE
    | _TAKES_SUBJECT
    | _words("do does did there here it them they than rather over under within until after")
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
_NOT_A_TERM = STOP_WORDS | _words("us use prefer do did than rather over get take")
# Values that exclude each other even where nothing says what they are about.
_ALTERNATIVES = (
    "tabs spaces",
    "monday tuesday wednesday thursday friday saturday sunday",
    "english german french spanish italian dutch chinese japanese korean portuguese russian",
    "squash rebase",
    "light dark",
    "metric imperial",
    "npm pnpm yarn bun",
    "celsius fahrenheit",
    "camelcase snakecase",
    "英文 中文 日文 法文 德文 韓文 韩文",
)


class Contradiction(StrEnum):
    """How two statements contradict each other."""

    OPPOSITE = "opposite"
    VALUE = "another value"
    NUMBER = "another number"


class Concern(IntEnum):
    """How clearly an announced change concerns a statement."""

    NONE = 0
    POSSIBLE = 1
    CLEAR = 2


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
        return frozenset() if self.change is None else _terms(self.change.old)

    # Every other statement is compared with these: looking a word up is faster than comparing it with each.
    @cached_property
    def long_terms(self) -> Mapping[str, Sequence[str]]:
        """Those of its terms that may stand for a longer or shorter name, by their beginning."""
        return _by_beginning(self.terms)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words in ASCII."""
        return frozenset(_stem(token) for token in self.tokens if token.isascii())

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Those of its words in ASCII that may stand for a longer or shorter name, by their beginning."""
        return _by_beginning(token for token in self.tokens if token.isascii())


def analyse(text: str) -> Statement:
    """Analyse a text for comparison."""
    compared = text[:COMPARED_CHARS]
    folded = fold(compared)
    plain = compiled(_REASON).sub("", folded)
    content, negations = compiled(_NEGATION).subn(" ", plain)
    content = compiled(_PHRASING).sub(" ", content)
    return Statement(_tokens_of(content), _content_terms(content), negations % 2 == 1, folded, compared)


def contradiction(one: Statement, other: Statement) -> Contradiction | None:
    """Return how two statements contradict each other, or None."""
    if one.terms.isdisjoint(other.terms) and max(len(one.tokens), len(other.tokens)) > MAX_VALUE_TOKENS:
        return None
    start, stop, other_stop = _difference(one.tokens, other.tokens)
    if start == stop == other_stop:
        return Contradiction.OPPOSITE if one.negated != other.negated and one.terms else None
    if one.negated != other.negated:
        return Contradiction.OPPOSITE if _same_terms(one.terms, other.terms) else None
    if one.negated:
        # Two prohibitions hold side by side.
        return None
    return _exchanged(one.tokens, other.tokens, start, stop, other_stop)


def _exchanged(
    tokens: Sequence[str], others: Sequence[str], start: int, stop: int, other_stop: int
) -> Contradiction | None:
    """Return the contradiction of two statements that differ in one place, or None."""
    value, other_value = tokens[start:stop], others[start:other_stop]
    if not (_is_value(value) and _is_value(other_value)):
        return None
    frame = [token for token in (*tokens[:start], *tokens[stop:]) if token not in _EMPTY]
    if frame and _is_number(value) and _is_number(other_value):
        return Contradiction.NUMBER
    exclusive = _are_alternatives(value, other_value) or (bool(frame) and _takes_one_value(tokens, start, stop))
    return Contradiction.VALUE if exclusive else None


def concern(said: Statement, other: Statement) -> Concern:
    """Return how clearly the change that one statement announces concerns another statement.

    It does if the other holds what is given up, and is about the same subject as far as the change names one. Without a
    name for what is given up, the other must be the same statement with another value.
    """
    change = said.change
    if change is None:
        return Concern.NONE
    old, subject = said.given_up, set(_terms(change.subject))
    if not old and change.returns and _gave_up(other, _terms(change.returns), subject):
        return Concern.CLEAR
    if not old:
        return _concern_by_subject(said, other, subject)
    if not _has_most(old, other.terms):
        return Concern.NONE
    rest = _without(other.terms, old)
    subject = _without(subject, old)
    if subject:
        return Concern.CLEAR if _shared(subject, rest) else Concern.NONE if rest else Concern.POSSIBLE
    said_rest = _without(said.terms, old)
    if not rest or _is_chosen(_tokens(change.old), other.tokens) or _has_most(rest, said_rest):
        return Concern.CLEAR
    is_likely = _shared(said_rest, rest) or _is_used(_tokens(change.old), other.tokens)
    return Concern.POSSIBLE if is_likely else Concern.NONE


def alternatives(statement: Statement) -> list[str]:
    """Return names of the groups of alternatives that a short statement chooses from: "use tabs" says nothing else."""
    if len(statement.tokens) > MAX_VALUE_TOKENS:
        return []
    words = {*map(_stem, statement.tokens), "".join(token for token in statement.tokens if token not in _EMPTY)}
    return [f"alternatives {number}" for number, group in enumerate(_alternatives()) if group & words]


def makes_choice(name: str, subject: str, statement: Statement) -> bool:
    """Return whether a statement chooses what is named, about the subject if one is given."""
    wanted = _without(_terms(fold(subject)), _terms(fold(name)))
    on_subject = not wanted or bool(_shared(wanted, statement.terms))
    return on_subject and _is_chosen(_tokens(fold(name)), statement.tokens)


def same_subject(newer: Statement, older: Statement, cosine: float | None) -> bool:
    """Return whether a statement that describes a change is about the same as an older one.

    For showing them together, not for retiring anything: by words in common, or by one and a close meaning. One that names
    what it gives up is about nothing else.
    """
    change = newer.change
    if change is not None and change.old and not _has_most(newer.given_up, older.terms):
        return False
    shared = len(shared_terms(older, newer))
    if cosine is not None and shared > 0 and cosine >= CLOSE_MEANING:
        return True
    by_words = shared >= MIN_SHARED and shared >= SHARE_OF_OLDER * len(older.terms)
    return by_words and (cosine is None or cosine >= RELATED_MEANING)


def has_most(wanted: AbstractSet[str], statement: Statement) -> bool:
    """Return whether a statement has most of some terms."""
    return _has_most(wanted, statement.terms)


def shared_terms(one: Statement, other: Statement) -> set[str]:
    """Return the terms of one statement that the other has too, also as a longer or shorter name."""
    longer = (
        term
        for beginning in one.long_terms.keys() & other.long_terms.keys()
        for term in one.long_terms[beginning]
        if any(_same_name(term, name) for name in other.long_terms[beginning] if name not in one.terms)
    )
    return {*(one.terms & other.terms), *longer}


def same_word(one: str, other: str) -> bool:
    """Return whether two words are the same but for their inflection."""
    return _same(one, other)


def has_word(statement: Statement, word: str) -> bool:
    """Return whether a statement has a word, whatever its inflection."""
    if word in statement.tokens:
        return True
    return word.isascii() and (_stem(word) in statement.stems or _has_name(word, statement.names))


def _gave_up(other: Statement, returns: AbstractSet[str], subject: AbstractSet[str]) -> bool:
    """Return whether a statement gave up what a change returns to."""
    return (
        bool(other.given_up)
        and _has_most(returns, other.given_up)
        and (not subject or bool(_shared(subject, other.terms)))
    )


def _concern_by_subject(said: Statement, other: Statement, subject: AbstractSet[str]) -> Concern:
    if contradiction(said, other) is Contradiction.VALUE:
        return Concern.CLEAR
    if not subject or not _has_most(subject, other.terms):
        return Concern.NONE
    # "We changed our mind about X" names the earlier decision; "we moved to Y for X" may be about another side of X.
    names_decision = said.change is not None and said.change.cue in REOPENED
    return Concern.CLEAR if names_decision else Concern.POSSIBLE if len(subject) > 1 else Concern.NONE


def _is_chosen(name: Sequence[str], tokens: Sequence[str]) -> bool:
    """Return whether a statement makes this name its choice, and does not only mention it."""
    for start in range(len(tokens) - len(name) + 1):
        if name and all(map(_same, name, tokens[start : start + len(name)])):
            stop = start + len(name)
            before = tokens[start - 1] if start else ""
            follows = stop == len(tokens) or tokens[stop] in _FOLLOWS_VALUE
            # 用 Jenkins 跑測試: the Chinese word after a name in Latin letters is a verb.
            if before in _USES_UNSPACED and not follows:
                follows = tokens[stop - 1].isascii() and not tokens[stop].isascii()
            # "The tool is X Studio 5": what follows a copula is the choice, with the rest of its name.
            return before in _COPULAS or (follows and (not before or before in _TAKES_VALUE | _CHOOSES))
    return False


def _is_used(name: Sequence[str], tokens: Sequence[str]) -> bool:
    """Return whether a statement in Chinese says that something with this name, or a longer one, is used."""
    return any(
        tokens[start] in _USES_UNSPACED and all(map(_same, name, tokens[start + 1 : start + 1 + len(name)]))
        for start in range(len(tokens) - len(name))
    )


def _takes_one_value(tokens: Sequence[str], start: int, stop: int) -> bool:
    """Return whether only one value can stand here: "uses A" leaves room for others, "uses A for B" does not."""
    before = tokens[start - 1] if start else ""
    if before in _USES:
        return stop < len(tokens)
    while start > 0 and stop - start < MAX_VALUE_CHARS and _is_unspaced(tokens[start - 1]):
        # The differing characters may be the end of a word: 星期二, 星期四.
        if tokens[start - 1] in _TAKES_VALUE:
            return True
        start -= 1
    return before in _TAKES_VALUE


def _difference(one: Sequence[str], other: Sequence[str]) -> tuple[int, int, int]:
    """Return where two texts begin to differ, and where this part ends in each."""
    start, shorter = 0, min(len(one), len(other))
    while start < shorter and _same(one[start], other[start]):
        start += 1
    end = 0
    while end < shorter - start and _same(one[-1 - end], other[-1 - end]):
        end += 1
    return start, len(one) - end, len(other) - end


def _is_value(tokens: Sequence[str]) -> bool:
    """Return whether these words are one value: a preposition among them separates a value and a subject."""
    most = MAX_VALUE_CHARS if all(map(_is_unspaced, tokens)) else MAX_VALUE_TOKENS
    return 0 < len(tokens) <= most and _EMPTY.isdisjoint(tokens)


def _are_alternatives(one: Sequence[str], other: Sequence[str]) -> bool:
    first, second = {*map(_stem, one), "".join(one)}, {*map(_stem, other), "".join(other)}
    return any(group & first and group & second and not group & first & second for group in _alternatives())


@cache
def _alternatives() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(_stem, group.split())) for group in _ALTERNATIVES)


def _is_number(tokens: Sequence[str]) -> bool:
    """Return whether a value is a number, with its unit at most."""
    return tokens[0][0].isdigit() and len(tokens) <= MAX_NUMBER_TOKENS


def _same_terms(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    """Return whether two statements are about the same: one has no word of its own, the other few."""
    return len(_shared(one, other)) == min(len(one), len(other)) > max(len(one), len(other)) / 2


def _has_most(wanted: AbstractSet[str], terms: AbstractSet[str]) -> bool:
    found = len(_shared(wanted, terms))
    return found == len(wanted) if len(wanted) < 3 else found >= len(wanted) * 2 / 3


def _shared(one: AbstractSet[str], other: AbstractSet[str]) -> set[str]:
    """Return the terms of one that the other has too, also as a longer or shorter name."""
    names = _by_beginning(other - one)
    return {*(one & other), *(term for term in one - other if _has_name(term, names))}


def _without(terms: AbstractSet[str], removed: AbstractSet[str]) -> set[str]:
    return {term for term in terms - removed if not any(_same_name(term, name) for name in removed)}


def _same(one: str, other: str) -> bool:
    return one == other or (
        one.isascii() and other.isascii() and (_stem(one) == _stem(other) or _same_name(one, other))
    )


def _same_name(one: str, other: str) -> bool:
    """Return whether one is the beginning of the other: Postgres, PostgreSQL. Versions and numbers are exact."""
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    return len(shorter) >= MIN_NAME_PREFIX and longer.startswith(shorter) and longer.isascii() and longer.isalpha()


def _by_beginning(names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return the names that may stand for another one, by as much of their beginning as must be the same."""
    found: dict[str, list[str]] = {}
    for name in names:
        if len(name) >= MIN_NAME_PREFIX:
            found.setdefault(name[:MIN_NAME_PREFIX], []).append(name)
    return found


def _has_name(word: str, names: Mapping[str, Sequence[str]]) -> bool:
    return any(_same_name(word, name) for name in names.get(word[:MIN_NAME_PREFIX], ()))


def _tokens(plain: str) -> tuple[str, ...]:
    return _tokens_of(compiled(_PHRASING).sub(" ", compiled(_NEGATION).sub(" ", plain)))


def _tokens_of(content: str) -> tuple[str, ...]:
    return tuple(compiled(_ASCII_TOKEN if content.isascii() else _TOKEN).findall(content))


def _terms(plain: str) -> frozenset[str]:
    return _content_terms(compiled(_PHRASING).sub(" ", compiled(_NEGATION).sub(" ", plain)))


def _content_terms(content: str) -> frozenset[str]:
    if content.isascii():
        return frozenset(map(_stem, compiled(_ASCII_WORD).findall(content))) - _NOT_A_TERM
    found = set[str]()
    for run in compiled(_RUN).findall(content):
        if not _is_unspaced(run):
            found |= {_stem(run)} - _NOT_A_TERM
            continue
        for part in filter(None, compiled(_FUNCTION_CHARACTERS).split(run)):
            found |= {part[start : start + 2] for start in range(len(part) - 1)} if len(part) > 1 else {part}
    return frozenset(found)


def _is_unspaced(token: str) -> bool:
    return not token.isascii() and compiled(_ONLY_UNSPACED).fullmatch(token) is not None


@lru_cache(KNOWN_STEMS)
def _stem(word: str) -> str:
    """Return an English word without its inflection; other words as they are."""
    if not (word.isascii() and word.isalpha()):
        return word
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= MIN_STEM and not word.endswith("ss"):
            word = word.removesuffix(suffix)
            break
    if len(word) > MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > MIN_STEM else word
