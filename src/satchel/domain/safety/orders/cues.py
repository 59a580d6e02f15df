"""Read the cues of each sentence of a text, as bits of a number."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import Struct

from satchel.domain.safety.orders.han import HAN, HAN_MENTIONS
from satchel.domain.safety.orders.lexicon import ACTIONS, MENTIONS, PHRASES

# Cues that are told by position or form instead of by word.
FORMS = ("commanded", "forbidden", "addressed", "agent_must", "destination", "question", "quoted", "code")
CUES = (*dict.fromkeys((*ACTIONS, *PHRASES)), *FORMS)
BIT = {name: 1 << place for place, name in enumerate(CUES)}

# The longest sentence that is read as one, in words.
MAX_SENTENCE_WORDS = 60


class Sentence(Struct, frozen=True):
    """The cues of one sentence."""

    cues: int
    quoted: int
    """Cues that stand in quotation marks only."""
    mentions: bool
    """Whether it speaks about orders, attacks or rules."""


def _forms(verb: str) -> Iterable[str]:
    stem = verb[:-1] if verb.endswith("e") else verb
    yield from (f"{verb}s", f"{stem}ing", f"{stem}ed")
    if verb.endswith("y"):
        yield f"{verb[:-1]}ies"


def _word_cues() -> tuple[dict[str, int], dict[str, int], frozenset[str]]:
    words: dict[str, int] = {}
    phrases: dict[str, int] = {}
    verbs: set[str] = set()
    for name, listed in ACTIONS.items():
        for verb in listed.split():
            verbs.add(verb)
            for form in (verb, *_forms(verb)):
                words[form] = words.get(form, 0) | BIT[name]
    for name, listed in PHRASES.items():
        for phrase in listed.split():
            known, key = (phrases, phrase.replace("_", " ")) if "_" in phrase else (words, phrase)
            known[key] = known.get(key, 0) | BIT[name]
    return words, phrases, frozenset(verbs)


def _han_cues() -> dict[str, int]:
    known: dict[str, int] = {}
    for name, listed in HAN.items():
        for word in listed.split():
            # A Chinese verb has one form: a sentence that holds one may command it.
            known[word] = known.get(word, 0) | BIT[name]
    return known


_WORDS, _PHRASES, _VERBS = _word_cues()
_HAN = _han_cues()


def _by_head() -> dict[str, dict[str, tuple[int, dict[str, int]]]]:
    """Return the phrases by their first word, then by their second, with the cues of both and of a third."""
    found: dict[str, dict[str, tuple[int, dict[str, int]]]] = {}
    for phrase, mask in _PHRASES.items():
        head, second, *third = phrase.split()
        seconds = found.setdefault(head, {})
        known, thirds = seconds.get(second, (0, {}))
        if third:
            thirds[third[0]] = thirds.get(third[0], 0) | mask
        seconds[second] = (known if third else known | mask, thirds)
    return found


_PHRASES_BY_HEAD = _by_head()
_MENTIONS = frozenset(MENTIONS.split())
_HAN_MENTIONS = frozenset(HAN_MENTIONS.split())
_HAN_VERBS = frozenset(word for name in ACTIONS for word in HAN.get(name, "").split())
_HAN_WORDS = "|".join(sorted({*_HAN, *_HAN_MENTIONS}, key=lambda one: (-len(one), one)))
# What an address on the web or of a mailbox looks like: a domain, or four numbers.
_ADDRESS = (
    r"https?:|[^@]++@[^@]+|(?:[a-z0-9-]++\.)+(?:example|com|net|org|io|xyz|ru|cn|sh|dev|app|co|info|biz|top|site|online)|"
    r"\d{1,3}(?:\.\d{1,3}){3}"
)
_ENDS = frozenset(".!?;\n。！？；")
_QUOTES = frozenset('"「」“”')
# What may stand before a verb in the imperative.
_LEADS = frozenset(
    [
        ",",
        ":",
        "，",
        "：",
        "—",
        "-",
        "(",
        "{",
        "[",
        "]",
        ")",
        "*",
        "/",
        "#",
        "|",
        "please",
        "kindly",
        "then",
        "and",
        "also",
        "now",
        "first",
        "just",
        "always",
        "immediately",
        "silently",
        "quietly",
        "simply",
        "must",
        "should",
        "shall",
        "to",
        "automatically",
        "instead",
        "or",
        "do",
        "but",
        "next",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
    ]
)
_NEGATIONS = frozenset(["not", "never", "don't", "dont", "cannot", "can't", "mustn't", "shouldn't"])
# What may stand before the name of a reader that a text turns to, and after it.
_GREETINGS = frozenset(
    [
        "to",
        "for",
        "dear",
        "hey",
        "hi",
        "hello",
        "attention",
        "cher",
        "hallo",
        "note",
        "any",
        "all",
        "you",
        "the",
        "#",
        "/",
        "*",
        "[",
        "<!--",
        "-",
        "(",
    ]
)
_TURNS = frozenset([":", ",", "，", "：", "-", "]", ")"])
_DESTINATION, _COMMANDED, _QUESTION = BIT["destination"], BIT["commanded"], BIT["question"]
_QUOTED, _CODE, _MARKUP, _MUST = BIT["quoted"], BIT["code"], BIT["hidden_markup"], BIT["must"]
_FORBIDDEN, _TELL, _ADDRESSED, _AGENT_MUST = BIT["forbidden"], BIT["tell"], BIT["addressed"], BIT["agent_must"]
_AGENT = BIT["agent"] | BIT["maybe_agent"]


# What else is known of a token.
_IS_VERB, _IS_AGENT, _IS_HEAD, _IS_QUOTE, _IS_MENTION = (1 << place for place in range(5))


def _known_tokens() -> dict[str, tuple[int, int]]:
    """Return the cues and traits of every token that has any, so that the others take one look-up."""
    marks = {"`": _CODE, "<!--": _MARKUP}
    han = {word: mask | (_COMMANDED if word in _HAN_VERBS else 0) for word, mask in _HAN.items()}
    masks = {**marks, **han, **_WORDS}
    tokens = {*masks, *_PHRASES_BY_HEAD, *_QUOTES, *_MENTIONS, *_HAN_MENTIONS}
    return {token: (masks.get(token, 0), _traits(token, masks.get(token, 0))) for token in sorted(tokens)}


def _traits(token: str, mask: int) -> int:
    is_verb = token in _VERBS
    return (
        _IS_VERB * is_verb
        | _IS_AGENT * bool(mask & _AGENT and not is_verb)
        | _IS_HEAD * (token in _PHRASES_BY_HEAD)
        | _IS_QUOTE * (token in _QUOTES)
        | _IS_MENTION * (token in _MENTIONS or token in _HAN_MENTIONS)
    )


_KNOWN = _known_tokens()


@cache
def _token() -> re.Pattern[str]:
    """Compiled when first used: most processes read no text."""
    return re.compile(
        r"https?://[^\s<>\"')]++|[.-]{0,2}[a-z0-9_]++(?:[.'=@+-]++[a-z0-9_]++)*+|<!--|[.!?;:,\n\"`(){}\[\]<>*/#|-]|"
        rf"(?=[^\x00-\x7f])(?:{_HAN_WORDS}|[。！？；，：「」“”—])"
    )


def read_sentences(text: str) -> list[Sentence]:
    """Return the cues of each sentence of a text in plain lower case."""
    found: list[Sentence] = []
    tokens = _token().findall(text)
    start = 0
    for place, token in enumerate(tokens):
        if token in _ENDS or place - start >= MAX_SENTENCE_WORDS:
            if place > start:
                found.append(_sentence(tokens[start:place], asks=token in "?？"))
            start = place + 1
    if start < len(tokens):
        found.append(_sentence(tokens[start:], asks=False))
    return found


def _sentence(tokens: Sequence[str], *, asks: bool) -> Sentence:
    cues = _QUESTION if asks else 0
    quoted, inside, mentions, before = 0, False, False, ""
    for place, token in enumerate(tokens):
        known = _KNOWN.get(token)
        if known is None:
            mask = _DESTINATION if ("." in token or "@" in token) and re.match(_ADDRESS, token) else 0
        else:
            mask, traits = known
            if traits:
                if traits & _IS_VERB:
                    mask = _verb_cues(mask, before)
                if traits & _IS_AGENT:
                    mask |= _turns_to(tokens, place, before)
                if traits & _IS_HEAD:
                    mask |= _phrases_at(tokens, place)
                if traits & _IS_QUOTE:
                    inside = not inside
                mentions = mentions or bool(traits & _IS_MENTION)
        if inside:
            quoted |= mask
        else:
            cues |= mask
        before = token
    return Sentence(cues | _QUOTED if quoted else cues, quoted, mentions)


def _verb_cues(mask: int, before: str) -> int:
    if before in _NEGATIONS:
        # A prohibition asks for nothing; only one to tell something says what the text is after.
        return mask & _TELL | _FORBIDDEN
    return mask | _COMMANDED if not before or before in _LEADS else mask


def _turns_to(tokens: Sequence[str], place: int, before: str) -> int:
    """Return how a sentence turns to an agent that it names: by addressing it, or by telling what it must do."""
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    addressed = (not before or before in _GREETINGS) and (after in _TURNS or (place < 3 and not before))
    following = tokens[place + 1 : place + 4]
    obliged = any(
        _WORDS.get(one, 0) & _MUST or one in ("has", "have", "is", "are", "needs", "need") for one in following[:1]
    )
    return (_ADDRESSED if addressed else 0) | (_AGENT_MUST if obliged else 0)


def _phrases_at(tokens: Sequence[str], place: int) -> int:
    """Return the cues of the phrases of two or three words that begin here."""
    following = tokens[place + 1 : place + 3]
    if not following or (known := _PHRASES_BY_HEAD[tokens[place]].get(following[0])) is None:
        return 0
    mask, thirds = known
    return mask | thirds.get(following[1], 0) if len(following) > 1 else mask
