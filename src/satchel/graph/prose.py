"""Prose: the relations that sentences state, sentence by sentence, by the rules of `phrases`."""

import re
from collections.abc import Iterator

from satchel.domain.graph import EntityType, Extract, Ref, Relation
from satchel.graph import nouns, phrases
from satchel.graph.gathering import Gathering

MAX_SENTENCE = 600
MAX_DECISION = 200

_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[\"“`(]?[A-Z@`\u4e00-\u9fff])|(?<=[。！？；])\s*|\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)])\s)"
)
_MARKUP = re.compile(r"^\s*(?:[-*+•>]|\d+[.)]|#{1,6})\s+|\*\*|__")
_OVER = re.compile(r"\s+(?:over|instead of|rather than)\s+(?P<other>.+)$|而不是(?P<other_zh>.+)$", re.IGNORECASE)
_PICKED = re.compile(
    r"^(?:use|adopt|choose|pick|go with|move to|switch to|migrate to|keep|build on|采用|採用|使用|用|改用|选用)\s*",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<![\w.])(?:[A-Z][\w+#]*(?:[.-]\w+)*|[a-z]\w*(?:[._]\w+)+)(?:\s+[A-Z][\w+#]*)*")
_TICKS = re.compile(r"`([^`\n]{1,200})`")


def read_prose(text: str, *, names: bool = False) -> Extract:
    """Return what a text says: its relations, decisions, aliases and kinds of things.

    With `names`, only of what has a name: in a long text two common nouns are seldom two things.
    """
    found = Gathering()
    for sentence, line in sentences(text):
        read_sentence(found, sentence, line, names=names)
    return found.extract()


def sentences(text: str) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a text, each on one line, with the line of the text that it begins on."""
    start, line = 0, 1
    for cut in [*_SENTENCE.finditer(text), None]:
        end = len(text) if cut is None else cut.start()
        piece = text[start:end]
        if flat := " ".join(_MARKUP.sub("", piece[: 2 * MAX_SENTENCE]).split()):
            above = piece[: len(piece) - len(piece.lstrip())].count("\n")
            yield flat[:MAX_SENTENCE], line + above
        after = end if cut is None else cut.end()
        line += text.count("\n", start, after)
        start = after


def read_sentence(found: Gathering, sentence: str, line: int, *, names: bool = False) -> None:
    """Note what one sentence says."""
    if phrases.QUESTION.search(sentence) or phrases.DOUBTFUL.match(sentence) or phrases.DOUBTFUL_ZH.search(sentence):
        return
    plain = sentence.rstrip(" .!。！；;")
    plain = _aliases(found, plain, line)
    if _decision(found, plain, line):
        return
    _kinds(found, plain, line)
    if not _stated(found, plain, line, phrases.ENGLISH, names):
        _stated(found, plain, line, phrases.CHINESE, names)


def _stated(found: Gathering, sentence: str, line: int, table: tuple[phrases.Phrase, ...], names: bool) -> bool:
    """Note the relation that a sentence states; the phrase that stands first, and of those the longest, says which."""
    places = [
        (hit.start(), -len(hit.group()), phrase, hit) for phrase in table for hit in phrase.words.finditer(sentence)
    ]
    for start, _, phrase, hit in sorted(places, key=lambda one: one[:2]):
        before, after = sentence[:start], sentence[hit.end() :]
        if phrases.DOUBT.search(before.rstrip()) or phrases.DOUBT_ZH.search(before.rstrip()):
            return True
        tails, heads = nouns.listed(nouns.subject(before) and _last_clause(before)), nouns.listed(_clause(after))
        if not phrase.plain:
            # Whoever owns something has a name; what is owned need not have one.
            tails, heads = _proper(tails), heads if phrase.relation is Relation.OWNS else _proper(heads)
        elif names and not (_proper(tails) and _proper(heads)):
            continue
        if tails and heads:
            _claim(found, phrase, tails, heads, line)
            return True
    return False


def _proper(names: list[str]) -> list[str]:
    return [name for name in names if nouns.is_proper(name)]


def _claim(found: Gathering, phrase: phrases.Phrase, tails: list[str], heads: list[str], line: int) -> None:
    for one in tails:
        for other in heads:
            tail, head = _thing(one, phrase), nouns.thing(other)
            if phrase.reverse:
                tail, head = nouns.thing(one), _thing(other, phrase)
                tail, head = head, tail
            found.claim(tail, phrase.relation, head, phrase.name, line)


def _thing(name: str, phrase: phrases.Phrase) -> Ref:
    """Return who or what the first of a relation is: those who own and evaluate are people as often as not."""
    if phrase.relation is Relation.OWNS and (someone := nouns.person(name)):
        return someone
    return nouns.thing(name)


def _last_clause(before: str) -> str:
    return re.split(r"[;:；：—–(（]|\s(?:that|which|but|because|since|while|so)\s|因为|因此|所以|但是?", before)[-1]


def _clause(after: str) -> str:
    return re.split(
        r"[;:；：—–(（]|[。，](?!\s*[A-Za-z`])|\s(?:because|since|which|but|so that|while|when|unless)\s|因为|所以|但是?",
        after,
    )[0]


def _decision(found: Gathering, sentence: str, line: int) -> bool:
    """Note who decided what. A decision is a thing of its own: it is named by what was decided."""
    if label := phrases.DECISION_LABEL.match(sentence):
        decision = decided(found, label["what"], line)
        if someone := nouns.person(label["who"] or ""):
            found.claim(someone, Relation.DECIDES, decision, "sentence.decision", line)
        return True
    for pattern in (phrases.DECIDED_BY, phrases.DECIDED_BY_ZH, phrases.DECIDED, phrases.DECIDED_ZH):
        hit = pattern.match(sentence)
        if hit is None or phrases.DOUBT.search(hit["who"]) or phrases.DOUBT_ZH.search(hit["who"]):
            continue
        someone = nouns.person(nouns.subject(hit["who"]) or hit["who"])
        nobody = nouns.noun(hit["who"]) == "" or hit["who"].strip().casefold() in phrases.NOBODY
        if someone is None and not nobody and hit["who"].strip().casefold().removeprefix("the ") not in phrases.NOBODY:
            continue
        decision = decided(found, hit["what"], line)
        if someone is not None and someone.name.casefold() not in phrases.NOBODY:
            found.claim(someone, Relation.DECIDES, decision, "sentence.decision", line)
        return True
    return False


def decided(found: Gathering, what: str, line: int) -> Ref:
    """Note a decision, and what it is about."""
    decision = Ref(EntityType.DECISION, what.strip(" .,:：，")[:MAX_DECISION])
    found.sight(decision, "sentence.decision", line, defining=True)
    about(found, decision, what, line)
    return decision


def about(found: Gathering, decision: Ref, what: str, line: int) -> None:
    """Note what a decision is about: what it names, and what it chose between."""
    over = _OVER.search(what)
    chosen = what[: over.start()] if over else what
    if over:
        picked = _proper(nouns.listed(_PICKED.sub("", chosen))[:1]) or list(named(chosen))[-1:]
        for name in [*picked, *nouns.listed(over["other"] or over["other_zh"])]:
            found.claim(decision, Relation.EVALUATES, nouns.thing(name), "sentence.alternatives", line)
    for name in named(what):
        found.claim(decision, Relation.MENTIONS, nouns.thing(name), "sentence.decision", line)


def named(text: str) -> Iterator[str]:
    """Yield what a text names: what stands in backticks, proper names, and names written as code."""
    bare = _TICKS.sub(" ", text)
    proper = [hit.group() for hit in _CAPITAL.finditer(bare) if hit.start() or not hit.group().istitle()]
    seen: set[str] = set()
    for name in (*_TICKS.findall(text), *proper, *_known(bare)):
        clean = nouns.noun(name)
        if clean and nouns.is_proper(clean) and clean.casefold() not in seen:
            seen.add(clean.casefold())
            yield clean


def _known(text: str) -> Iterator[str]:
    for word in re.findall(r"[A-Za-z][\w.-]*", text):
        if word.casefold() in nouns.TOOLS or word.casefold() in nouns.ALIASES:
            yield word


def _aliases(found: Gathering, sentence: str, line: int) -> str:
    """Note other names of things; return the sentence without them."""
    for hit in phrases.ALIAS.finditer(sentence):
        name, other = nouns.subject(hit["name"]), nouns.noun(hit["other"])
        if name and other:
            found.claim(nouns.thing(other), Relation.ALIAS_OF, nouns.thing(name), "sentence.alias", line)
    return phrases.ALIAS.sub(lambda hit: hit["name"] + " ", sentence)


def _kinds(found: Gathering, sentence: str, line: int) -> None:
    for pattern in (phrases.ISA, phrases.ISA_ZH):
        hit = pattern.match(sentence)
        name = nouns.noun(hit["name"]) if hit else ""
        if hit and name and (name[:1].isupper() or not name.isascii()):
            found.sight(Ref(nouns.TYPE_WORDS[hit["type"].lower()], name), "sentence.kind", line, defining=True)
