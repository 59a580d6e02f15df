"""Finds the decisions that messages make, with their reasons, in the messages' own words."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from satchel.conversations import cues
from satchel.conversations.chains import is_same_choice, topic_terms
from satchel.domain.conversation import Clause, ClauseKind, Decision, Message, Speaker, decision_id
from satchel.domain.record import Trust
from satchel.domain.shorten import shorten
from satchel.domain.trust import lowest_trust

# Number of messages before and after a decision that are searched for its parts.
WINDOW = 4
MAX_SENTENCE_CHARS = 400
# Maximum number of sentences per message.
MAX_SENTENCES = 40
MAX_CLAUSE_CHARS = 300
MAX_CHOICE_CHARS = 160
MAX_ALTERNATIVE_CHARS = 80
MAX_ALTERNATIVES = 5

SplitSentences = Callable[[str], Iterable[str]]

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_EDGE_CHARS = " \t.,;:!。，；：！、…\"'“”‘’「」()（）*_`—–-"
_TRAILING_WORDS = re.compile(r"(?:[\s,，]*(?:instead|then|now|after all|going forward|from now on|for now|again|anyway|everyone|folks|team|吧|了|啦|呀|哈|即可|就好|就行))+$", re.IGNORECASE)  # fmt: skip
_LEADING_WORDS = re.compile(r"^(?:to |using |use |the |a |an |our |on |with |instead |now )+(?=\S)", re.IGNORECASE)
_LIST_SEPARATOR = re.compile(r",| and | or |/| vs\.? | versus |、|和|与|與|跟|以及", re.IGNORECASE)
_REVERSAL = re.compile(r"\b(?:instead|actually|on second thoughts?|changed? (?:our|my) minds?|no longer|after all|change of plan|back to|reverse|reversing|scrap that|correction)\b|改用|换成|換成|改回|换回|換回|还是用|還是用|推翻|反悔|收回|撤回|重新考虑", re.IGNORECASE)  # fmt: skip


class _Sentence(Struct, frozen=True):
    """A sentence with its message and its place there."""

    text: str
    message: Message
    place: int


class _Found(Struct, frozen=True):
    """The parts of a deciding sentence."""

    cue: cues.DecisionCue
    choice: str
    topic: str
    reason: str | None
    replaced: str
    alternative: str


def find_decisions(
    scope: str, conversation: str, messages: Sequence[Message], split: SplitSentences, *, from_seq: int = 1
) -> list[Decision]:
    """Return the decisions that messages from `from_seq` on make, in order. Messages around them add their parts."""
    sentences = [_sentences(one, split) for one in messages]
    candidates = [
        _decision(scope, conversation, one, sentences, place)
        for place, message in enumerate(messages)
        if _may_decide(message)
        for one in sentences[place]
    ]
    places = {one.ref: one.seq for one in messages}
    made = _without_repeats([one for one in candidates if one is not None], places)
    return [one for one in made if places[one.message or ""] >= from_seq]


def _may_decide(message: Message) -> bool:
    return message.role in (Speaker.USER, Speaker.ASSISTANT) and _is_usable(message)


def _is_usable(message: Message) -> bool:
    return not message.erased and message.trust is not Trust.QUARANTINED


def _sentences(message: Message, split: SplitSentences) -> list[_Sentence]:
    if not _is_usable(message):
        return []
    found = [
        sentence
        for line in _FENCE.sub("\n", message.content).splitlines()
        if not line.lstrip().startswith(">")
        for sentence in split(line)
        if sentence.strip(_EDGE_CHARS)
    ]
    return [_Sentence(text[:MAX_SENTENCE_CHARS], message, place) for place, text in enumerate(found[:MAX_SENTENCES])]


def _decision(
    scope: str, conversation: str, here: _Sentence, sentences: Sequence[Sequence[_Sentence]], place: int
) -> Decision | None:
    found = _parse(here)
    if found is None:
        return None
    clauses = list(_clauses(found, here, sentences, place))
    if found.cue.needs_reason and not any(one.kind is ClauseKind.CAUSE for one in clauses):
        return None
    question = next((one.text for one in clauses if one.kind is ClauseKind.QUESTION), "")
    trusts = {one.message.ref: one.message.trust for near in sentences for one in near}
    cited = [here.message.ref, *(one.message for one in clauses if one.message)]
    return Decision(
        id=decision_id(scope, conversation, f"{here.message.seq}.{here.place}"),
        scope=scope,
        conversation=conversation,
        choice=found.choice,
        topic=shorten(found.topic, MAX_CHOICE_CHARS) or shorten(question, MAX_CHOICE_CHARS),
        statement=shorten(here.text, MAX_CLAUSE_CHARS),
        message=here.message.ref,
        at=here.message.at,
        trust=lowest_trust(trusts[ref] for ref in cited),
        rule=found.cue.name,
        clauses=tuple(clauses),
        reverses=found.cue.reverses or bool(_REVERSAL.search(here.text)),
    )


def _parse(here: _Sentence) -> _Found | None:
    """Split a sentence into the parts of a decision, if it makes one."""
    recognized = None if cues.is_undecided(here.text) else cues.find_cue(here.text)
    if recognized is None:
        return None
    cue, match = recognized
    parts = match.groupdict()
    rest = (parts.get("rest") or "") + (parts.get("more") or "")
    rest, reason = cues.split_reason(rest)
    rest, alternative = cues.split_old(rest)
    rest, topic = cues.split_topic(rest)
    choice = shorten(_strip_name(rest), MAX_CHOICE_CHARS)
    if not choice or (len(choice) < 2 and choice.isascii()):
        return None
    old, alternative = _strip_name(parts.get("old") or ""), _strip_name(alternative or "")
    topic = _strip_name(cues.strip_topic(parts.get("topic") or "")) or _strip_name(
        topic or cues.leading_topic(here.text) or ""
    )
    # Without a reversal there was no earlier choice: what was not chosen is an alternative.
    replaced, alternative = (old, alternative) if cue.reverses else ("", old or alternative)
    return _Found(cue, choice, topic, reason, replaced, alternative)


def _clauses(found: _Found, here: _Sentence, sentences: Sequence[Sequence[_Sentence]], place: int) -> Iterator[Clause]:
    before, after = _surroundings(sentences, place, here)
    if question := _question(before, here):
        yield _clause(ClauseKind.QUESTION, question.text, question)
    if found.reason and _strip_name(found.reason):
        yield _clause(ClauseKind.CAUSE, found.reason, here)
    elif leading := cues.reason_before(here.text):
        yield _clause(ClauseKind.CAUSE, leading, here)
    elif reason := _reason_nearby(before, after, here, found):
        yield reason
    if found.replaced:
        yield _clause(ClauseKind.REPLACED, found.replaced, here)
    yield from _alternatives(found.alternative, here, (*before, here, *after))
    for one in (*before, here, *after):
        if one is not here and abs(one.message.seq - here.message.seq) <= 1 and not cues.is_question(one.text):
            if cues.is_evidence(one.text):
                yield _clause(ClauseKind.EVIDENCE, one.text, one)
            elif one in after and cues.is_effect(one.text):
                yield _clause(ClauseKind.EFFECT, one.text, one)


def _surroundings(
    sentences: Sequence[Sequence[_Sentence]], place: int, here: _Sentence
) -> tuple[list[_Sentence], list[_Sentence]]:
    """Return the sentences before and after a decision, up to the neighboring decisions."""
    before = [one for near in sentences[max(0, place - WINDOW) : place] for one in near]
    before += [one for one in sentences[place] if one.place < here.place]
    after = [one for one in sentences[place] if one.place > here.place]
    after += [one for near in sentences[place + 1 : place + 1 + WINDOW] for one in near]
    end = next((at for at, one in enumerate(after) if _decides(one)), len(after))
    begin = next((at + 1 for at in range(len(before) - 1, -1, -1) if _decides(before[at])), 0)
    return before[begin:], after[:end]


def _decides(one: _Sentence) -> bool:
    if not _may_decide(one.message) or cues.is_undecided(one.text):
        return False
    recognized = cues.find_cue(one.text)
    return recognized is not None and not recognized[0].needs_reason


def _question(before: Sequence[_Sentence], here: _Sentence) -> _Sentence | None:
    near = [one for one in before if here.message.seq - one.message.seq <= 2]
    return next((one for one in reversed(near) if cues.is_question(one.text) and not cues.asks_why(one.text)), None)


def _reason_nearby(
    before: Sequence[_Sentence], after: Sequence[_Sentence], here: _Sentence, found: _Found
) -> Clause | None:
    """Return the reason in the sentences around a decision: introduced as one, asked for, or about the choice."""
    for one in after:
        near = one.message.seq - here.message.seq <= 2 and not cues.is_question(one.text)
        if near and (reason := cues.introduced_reason(one.text)):
            return _clause(ClauseKind.CAUSE, reason, one)
    for place, one in enumerate(after):
        if cues.asks_why(one.text):
            answer = next((other for other in after[place + 1 :] if other.message.ref != one.message.ref), None)
            return _clause(ClauseKind.CAUSE, answer.text, answer) if answer else None
    own = [one for one in before if one.message.ref == here.message.ref]
    if own and (reason := cues.introduced_reason(own[-1].text)):
        return _clause(ClauseKind.CAUSE, reason, own[-1])
    following = next((one for one in after if one.message.ref == here.message.ref), None)
    if following is not None and _is_about(following.text, found):
        return _clause(ClauseKind.CAUSE, following.text, following)
    return None


def _is_about(sentence: str, found: _Found) -> bool:
    """Return whether the sentence after a decision is about what was decided."""
    if cues.is_question(sentence) or cues.is_effect(sentence):
        return False
    choices = topic_terms(f"{found.choice} {found.replaced} {found.alternative}")
    return cues.starts_with_pronoun(sentence) or not choices.isdisjoint(topic_terms(sentence))


def _alternatives(stated: str, here: _Sentence, near: Sequence[_Sentence]) -> Iterator[Clause]:
    named: dict[str, Clause] = {}
    if stated:
        named[stated.casefold()] = _clause(ClauseKind.ALTERNATIVE, stated, here)
    for one in near:
        if abs(one.message.seq - here.message.seq) <= 2 and (found := cues.considered_options(one.text)):
            for part in _LIST_SEPARATOR.split(found):
                if name := _strip_name(part)[:MAX_ALTERNATIVE_CHARS]:
                    named.setdefault(name.casefold(), _clause(ClauseKind.ALTERNATIVE, name, one))
    yield from list(named.values())[:MAX_ALTERNATIVES]


def _clause(kind: ClauseKind, text: str, one: _Sentence) -> Clause:
    return Clause(kind, shorten(text.strip(" \t,;，；)）"), MAX_CLAUSE_CHARS), one.message.ref)


def _strip_name(text: str) -> str:
    """Return a name without punctuation, articles and trailing filler words."""
    stripped = _TRAILING_WORDS.sub("", text.strip(_EDGE_CHARS)).strip(_EDGE_CHARS)
    return _LEADING_WORDS.sub("", stripped).strip(_EDGE_CHARS)


def _without_repeats(found: Sequence[Decision], places: Mapping[str, int]) -> list[Decision]:
    """Drop decisions that repeat one just made: the first one has the reasons."""
    made: list[Decision] = []
    for one in found:
        place = places[one.message or ""]
        near = (other for other in made if place - places[other.message or ""] <= WINDOW)
        if one.clauses_of(ClauseKind.REPLACED) or not any(is_same_choice(one.choice, other.choice) for other in near):
            made.append(one)
    return made
