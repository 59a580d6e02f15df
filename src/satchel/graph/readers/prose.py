"""Reads relations, decisions, aliases and types from sentences, using the rules in `phrases`."""

import re
from collections.abc import Iterator
from itertools import product

from satchel.domain.graph import EntityRef, EntityType, Extract, RelationType
from satchel.graph.readers import phrases
from satchel.graph.readers.builder import ExtractBuilder
from satchel.graph.readers.noun_phrases import (
    ALIASES,
    TOOLS,
    TYPE_WORDS,
    clean_name,
    entity_ref,
    is_proper,
    listed_names,
    person_ref,
    subject_name,
)

MAX_SENTENCE_CHARS = 600
MAX_DECISION_CHARS = 200

_KNOWN_TOOLS = TOOLS | frozenset(ALIASES)

_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[\"“`(]?[A-Z@`\u4e00-\u9fff])|(?<=[。！？；])\s*|\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)])\s)"
)
_MARKUP = re.compile(r"^\s*(?:[-*+•>]|\d+[.)]|#{1,6})\s+|\*\*|__")
_ALTERNATIVE = re.compile(r"\s+(?:over|instead of|rather than)\s+(?P<other>.+)$|而不是(?P<other_zh>.+)$", re.IGNORECASE)
_CHOICE_VERB = re.compile(
    r"^(?:use|adopt|choose|pick|go with|move to|switch to|migrate to|keep|build on|采用|採用|使用|用|改用|选用)\s*",
    re.IGNORECASE,
)
_PROPER_NAME = re.compile(r"(?<![\w.])(?:[A-Z][\w+#]*(?:[.-]\w+)*|[a-z]\w*(?:[._]\w+)+)(?:\s+[A-Z][\w+#]*)*")
_BACKTICKS = re.compile(r"`([^`\n]{1,200})`")


def read_prose(text: str, *, names_only: bool = False) -> Extract:
    """Extract relations, decisions, aliases and types from a text.

    With `names_only`, relations need a proper name on both sides: in a long text, common nouns rarely identify things.
    """
    found = ExtractBuilder()
    for sentence, line in split_sentences(text):
        _read_sentence(found, sentence, line, names_only=names_only)
    return found.build()


def split_sentences(text: str) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a text, each on one line without markup, with the number of its first line."""
    start, line = 0, 1
    for cut in [*_SENTENCE.finditer(text), None]:
        end = len(text) if cut is None else cut.start()
        piece = text[start:end]
        if flat := " ".join(_MARKUP.sub("", piece[: 2 * MAX_SENTENCE_CHARS]).split()):
            above = piece[: len(piece) - len(piece.lstrip())].count("\n")
            yield flat[:MAX_SENTENCE_CHARS], line + above
        after = end if cut is None else cut.end()
        line += text.count("\n", start, after)
        start = after


def _read_sentence(found: ExtractBuilder, sentence: str, line: int, *, names_only: bool) -> None:
    if phrases.QUESTION.search(sentence) or phrases.DOUBTFUL.match(sentence) or phrases.DOUBTFUL_ZH.search(sentence):
        return
    plain = _read_aliases(found, sentence.rstrip(" .!。！；;"), line)
    if _read_decision(found, plain, line):
        return
    _read_types(found, plain, line)
    if not _read_relation(found, plain, line, phrases.ENGLISH, names_only):
        _read_relation(found, plain, line, phrases.CHINESE, names_only)


def _read_relation(
    found: ExtractBuilder, sentence: str, line: int, table: tuple[phrases.RelationPhrase, ...], names_only: bool
) -> bool:
    """Add the relation that a sentence states. The first phrase counts; of several at one place, the longest."""
    places = [
        (hit.start(), -len(hit.group()), phrase, hit) for phrase in table for hit in phrase.words.finditer(sentence)
    ]
    for start, _, phrase, hit in sorted(places, key=lambda one: one[:2]):
        before, after = sentence[:start], sentence[hit.end() :]
        if _is_doubted(before.rstrip()):
            return True
        left, right = listed_names(subject_name(before) and _last_clause(before)), listed_names(_first_clause(after))
        if not phrase.common_nouns:
            # An owner has a proper name; the thing owned may lack one.
            left, right = _proper(left), right if phrase.relation is RelationType.OWNS else _proper(right)
        elif names_only and not (_proper(left) and _proper(right)):
            continue
        if left and right:
            for one, other in product(left, right):
                tail, head = (other, one) if phrase.reverse else (one, other)
                found.relate(_tail_ref(tail, phrase), phrase.relation, entity_ref(head), phrase.name, line)
            return True
    return False


def _is_doubted(before: str) -> bool:
    return bool(phrases.DOUBT.search(before) or phrases.DOUBT_ZH.search(before))


def _proper(names: list[str]) -> list[str]:
    return [name for name in names if is_proper(name)]


def _tail_ref(name: str, phrase: phrases.RelationPhrase) -> EntityRef:
    if phrase.relation is RelationType.OWNS and (someone := person_ref(name)):
        return someone
    return entity_ref(name)


def _last_clause(before: str) -> str:
    return re.split(r"[;:；：—–(（]|\s(?:that|which|but|because|since|while|so)\s|因为|因此|所以|但是?", before)[-1]


def _first_clause(after: str) -> str:
    return re.split(
        r"[;:；：—–(（]|[。，](?!\s*[A-Za-z`])|\s(?:because|since|which|but|so that|while|when|unless)\s|因为|所以|但是?",
        after,
    )[0]


def _read_decision(found: ExtractBuilder, sentence: str, line: int) -> bool:
    """Add a decision and who made it, if the sentence reports one."""
    if label := phrases.DECISION_LABEL.match(sentence):
        decision = add_decision(found, label["what"], line)
        if someone := person_ref(label["who"] or ""):
            found.relate(someone, RelationType.DECIDES, decision, "sentence.decision", line)
        return True
    for pattern in (phrases.DECIDED_BY, phrases.DECIDED_BY_ZH, phrases.DECIDED, phrases.DECIDED_ZH):
        hit = pattern.match(sentence)
        if hit is None or _is_doubted(hit["who"]):
            continue
        decider = hit["who"].strip().casefold()
        someone = person_ref(subject_name(hit["who"]) or hit["who"])
        unnamed = clean_name(hit["who"]) == "" or decider in phrases.UNNAMED_DECIDERS
        if someone is None and not unnamed and decider.removeprefix("the ") not in phrases.UNNAMED_DECIDERS:
            continue
        decision = add_decision(found, hit["what"], line)
        if someone is not None and someone.name.casefold() not in phrases.UNNAMED_DECIDERS:
            found.relate(someone, RelationType.DECIDES, decision, "sentence.decision", line)
        return True
    return False


def add_decision(found: ExtractBuilder, what: str, line: int) -> EntityRef:
    """Add a decision, the names it mentions and the options it chose between."""
    decision = EntityRef(EntityType.DECISION, what.strip(" .,:：，")[:MAX_DECISION_CHARS])
    found.mention(decision, "sentence.decision", line, defining=True)
    if over := _ALTERNATIVE.search(what):
        chosen = what[: over.start()]
        picked = _proper(listed_names(_CHOICE_VERB.sub("", chosen))[:1]) or list(proper_names(chosen))[-1:]
        for name in [*picked, *listed_names(over["other"] or over["other_zh"])]:
            found.relate(decision, RelationType.EVALUATES, entity_ref(name), "sentence.alternatives", line)
    for name in proper_names(what):
        found.relate(decision, RelationType.MENTIONS, entity_ref(name), "sentence.decision", line)
    return decision


def proper_names(text: str) -> Iterator[str]:
    """Yield the names in a text: in backticks, proper names, names written like code and well-known tools."""
    bare = _BACKTICKS.sub(" ", text)
    proper = [hit.group() for hit in _PROPER_NAME.finditer(bare) if hit.start() or not hit.group().istitle()]
    tools = [word for word in re.findall(r"[A-Za-z][\w.-]*", bare) if word.casefold() in _KNOWN_TOOLS]
    seen: set[str] = set()
    for name in (*_BACKTICKS.findall(text), *proper, *tools):
        clean = clean_name(name)
        if clean and is_proper(clean) and clean.casefold() not in seen:
            seen.add(clean.casefold())
            yield clean


def _read_aliases(found: ExtractBuilder, sentence: str, line: int) -> str:
    """Add aliases such as "X (also known as Y)", and return the sentence without them."""
    for hit in phrases.ALIAS.finditer(sentence):
        name, other = subject_name(hit["name"]), clean_name(hit["other"])
        if name and other:
            found.relate(entity_ref(other), RelationType.ALIAS_OF, entity_ref(name), "sentence.alias", line)
    return phrases.ALIAS.sub(lambda hit: hit["name"] + " ", sentence)


def _read_types(found: ExtractBuilder, sentence: str, line: int) -> None:
    for pattern in (phrases.ISA, phrases.ISA_ZH):
        hit = pattern.match(sentence)
        name = clean_name(hit["name"]) if hit else ""
        if hit and name and (name[:1].isupper() or not name.isascii()):
            ref = EntityRef(TYPE_WORDS[hit["type"].lower()], name)
            found.mention(ref, "sentence.kind", line, defining=True)
