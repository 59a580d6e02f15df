"""Deciding: the decisions that messages make, with their reasons, in the messages' own words."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from satchel.conversations import cues
from satchel.conversations.things import same_thing, terms_of
from satchel.domain.conversation import Clause, ClauseKind, Decision, Message, Speaker, decision_id
from satchel.domain.record import Trust
from satchel.domain.shorten import shortened
from satchel.domain.trust import lowest

# So many messages before and after a decision are looked at for what belongs to it.
WINDOW = 4
MAX_SENTENCE_CHARS = 400
MAX_SENTENCES = 40
MAX_CLAUSE_CHARS = 300
MAX_CHOICE_CHARS = 160
MAX_ALTERNATIVES = 5

Sentences = Callable[[str], Iterable[str]]

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_EDGES = " \t.,;:!。，；：！、…\"'“”‘’「」()（）*_`—–-"
_TAIL = re.compile(r"(?:[\s,，]*(?:instead|then|now|after all|going forward|from now on|for now|again|anyway|everyone|folks|team|吧|了|啦|呀|哈|即可|就好|就行))+$", re.IGNORECASE)  # fmt: skip
_HEAD = re.compile(r"^(?:to |using |use |the |a |an |our |on |with |instead |now )+(?=\S)", re.IGNORECASE)
_SPLIT = re.compile(r",| and | or |/| vs\.? | versus |、|和|与|與|跟|以及", re.IGNORECASE)
_REVERSING = re.compile(r"\b(?:instead|actually|on second thoughts?|changed? (?:our|my) minds?|no longer|after all|change of plan|back to|reverse|reversing|scrap that|correction)\b|改用|换成|換成|改回|换回|換回|还是用|還是用|推翻|反悔|收回|撤回|重新考虑", re.IGNORECASE)  # fmt: skip


class _Said(Struct, frozen=True):
    """A sentence and where it stands."""

    text: str
    message: Message
    place: int


def decisions(
    scope: str, conversation: str, messages: Sequence[Message], sentences: Sentences, *, from_seq: int = 1
) -> list[Decision]:
    """Return the decisions that messages from a place on make, in order. What is before and after belongs to them."""
    said = [_sentences(one, sentences) for one in messages]
    candidates = [
        _decision(scope, conversation, one, said, place)
        for place, message in enumerate(messages)
        if _may_decide(message)
        for one in said[place]
    ]
    places = {one.ref: one.seq for one in messages}
    made = _unconfirmed([one for one in candidates if one is not None], places)
    return [one for one in made if places[one.message or ""] >= from_seq]


def _may_decide(message: Message) -> bool:
    return message.role in (Speaker.USER, Speaker.ASSISTANT) and _may_speak(message)


def _may_speak(message: Message) -> bool:
    return not message.erased and message.trust is not Trust.QUARANTINED


def _sentences(message: Message, sentences: Sentences) -> list[_Said]:
    if not _may_speak(message):
        return []
    spoken = _FENCE.sub("\n", message.content)
    found = [
        said
        for line in spoken.splitlines()
        if not line.lstrip().startswith(">")
        for said in sentences(line)
        if said.strip(_EDGES)
    ]
    return [_Said(text[:MAX_SENTENCE_CHARS], message, place) for place, text in enumerate(found[:MAX_SENTENCES])]


def _decision(
    scope: str, conversation: str, here: _Said, said: Sequence[Sequence[_Said]], place: int
) -> Decision | None:
    found = _found(here)
    if found is None:
        return None
    clauses = list(_clauses(found, here, said, place))
    if found.cue.needs_reason and not any(one.kind is ClauseKind.CAUSE for one in clauses):
        return None
    question = next((one for one in clauses if one.kind is ClauseKind.QUESTION), None)
    trusts = {one.message.ref: one.message.trust for near in said for one in near}
    cited = [here.message.ref, *(one.message for one in clauses if one.message)]
    return Decision(
        id=decision_id(scope, conversation, f"{here.message.seq}.{here.place}"),
        scope=scope,
        conversation=conversation,
        choice=found.choice,
        topic=shortened(found.topic, MAX_CHOICE_CHARS)
        or (shortened(question.text, MAX_CHOICE_CHARS) if question else ""),
        statement=shortened(here.text, MAX_CLAUSE_CHARS),
        message=here.message.ref,
        at=here.message.at,
        trust=lowest(trusts[ref] for ref in cited),
        rule=found.cue.name,
        clauses=tuple(clauses),
        reverses=found.cue.reverses or bool(_REVERSING.search(here.text)),
    )


class _Found(Struct, frozen=True):
    """What the deciding sentence itself says."""

    cue: cues.Cue
    choice: str
    topic: str
    reason: str | None
    replaced: str
    beside: str


def _found(here: _Said) -> _Found | None:
    """Take a sentence apart, if it decides anything."""
    recognised = None if cues.is_undecided(here.text) else cues.cue_of(here.text)
    if recognised is None:
        return None
    cue, match = recognised
    parts = match.groupdict()
    rest = (parts.get("rest") or "") + (parts.get("more") or "")
    rest, reason = cues.split_reason(rest)
    rest, beside = cues.split_old(rest)
    rest, topic = cues.split_topic(rest)
    choice = shortened(_plain(rest), MAX_CHOICE_CHARS)
    if not choice or (len(choice) < 2 and choice.isascii()):
        return None
    old = _plain(parts.get("old") or "")
    named_topic = _plain(cues.plain_topic(parts.get("topic") or "")) or _plain(
        topic or cues.topic_first(here.text) or ""
    )
    # What nothing was before cannot have been replaced: it was not chosen.
    replaced, besides = (old, _plain(beside or "")) if cue.reverses else ("", old or _plain(beside or ""))
    return _Found(cue, choice, named_topic, reason, replaced, besides)


def _clauses(found: _Found, here: _Said, said: Sequence[Sequence[_Said]], place: int) -> Iterator[Clause]:
    before, after = _near(said, place, here)
    if question := _question(before, here):
        yield _clause(ClauseKind.QUESTION, question.text, question)
    if found.reason and _plain(found.reason):
        yield _clause(ClauseKind.CAUSE, found.reason, here)
    elif first := cues.reason_first(here.text):
        yield _clause(ClauseKind.CAUSE, first, here)
    elif told := _reason(before, after, here, found):
        yield told
    if found.replaced:
        yield _clause(ClauseKind.REPLACED, found.replaced, here)
    yield from _alternatives(found.beside, here, (*before, here, *after))
    for one in (*before, here, *after):
        if one is not here and abs(one.message.seq - here.message.seq) <= 1 and not cues.asks(one.text):
            if cues.is_evidence(one.text):
                yield _clause(ClauseKind.EVIDENCE, one.text, one)
            elif one in after and cues.is_effect(one.text):
                yield _clause(ClauseKind.EFFECT, one.text, one)


def _near(said: Sequence[Sequence[_Said]], place: int, here: _Said) -> tuple[list[_Said], list[_Said]]:
    before = [one for near in said[max(0, place - WINDOW) : place] for one in near]
    before += [one for one in said[place] if one.place < here.place]
    after = [one for one in said[place] if one.place > here.place]
    after += [one for near in said[place + 1 : place + 1 + WINDOW] for one in near]
    # What comes after another decision belongs to that one.
    ends = next((at for at, one in enumerate(after) if _decides(one)), len(after))
    begins = next((at + 1 for at in range(len(before) - 1, -1, -1) if _decides(before[at])), 0)
    return before[begins:], after[:ends]


def _decides(one: _Said) -> bool:
    if not _may_decide(one.message) or cues.is_undecided(one.text):
        return False
    recognised = cues.cue_of(one.text)
    return recognised is not None and not recognised[0].needs_reason


def _question(before: Sequence[_Said], here: _Said) -> _Said | None:
    near = [one for one in before if here.message.seq - one.message.seq <= 2]
    return next((one for one in reversed(near) if cues.asks(one.text) and not cues.asks_why(one.text)), None)


def _reason(before: Sequence[_Said], after: Sequence[_Said], here: _Said, found: _Found) -> Clause | None:
    for one in after:
        near = one.message.seq - here.message.seq <= 2 and not cues.asks(one.text)
        if near and (told := cues.reason_lead(one.text)):
            return _clause(ClauseKind.CAUSE, told, one)
    for place, one in enumerate(after):
        if cues.asks_why(one.text):
            answer = next((other for other in after[place + 1 :] if other.message.ref != one.message.ref), None)
            return _clause(ClauseKind.CAUSE, answer.text, answer) if answer else None
    own = [one for one in before if one.message.ref == here.message.ref]
    if own and (told := cues.reason_lead(own[-1].text)):
        return _clause(ClauseKind.CAUSE, told, own[-1])
    following = next((one for one in after if one.message.ref == here.message.ref), None)
    if following is not None and _tells_of(following.text, found):
        return _clause(ClauseKind.CAUSE, following.text, following)
    return None


def _tells_of(sentence: str, found: _Found) -> bool:
    """Say whether the sentence after a decision speaks of what was decided, and so for it."""
    if cues.asks(sentence) or cues.is_effect(sentence):
        return False
    things = terms_of(f"{found.choice} {found.replaced} {found.beside}")
    return cues.weak_reason(sentence) or not things.isdisjoint(terms_of(sentence))


def _alternatives(beside: str, here: _Said, near: Sequence[_Said]) -> Iterator[Clause]:
    named: dict[str, Clause] = {}
    if beside:
        named[beside.casefold()] = _clause(ClauseKind.ALTERNATIVE, beside, here)
    for one in near:
        if abs(one.message.seq - here.message.seq) <= 2 and (found := cues.alternatives_in(one.text)):
            for part in _SPLIT.split(found):
                if name := _plain(part)[:80]:
                    named.setdefault(name.casefold(), _clause(ClauseKind.ALTERNATIVE, name, one))
    yield from list(named.values())[:MAX_ALTERNATIVES]


def _clause(kind: ClauseKind, text: str, one: _Said) -> Clause:
    return Clause(kind, shortened(text.strip(" \t,;，；)）"), MAX_CLAUSE_CHARS), one.message.ref)


def _plain(text: str) -> str:
    """Return a name without what surrounds it in a sentence."""
    stripped = text.strip(_EDGES)
    stripped = _TAIL.sub("", stripped).strip(_EDGES)
    return _HEAD.sub("", stripped).strip(_EDGES)


def _unconfirmed(found: Sequence[Decision], places: Mapping[str, int]) -> list[Decision]:
    """Drop what only repeats a decision just made: the first time counts, and has the reasons."""
    made: list[Decision] = []
    for one in found:
        place = places[one.message or ""]
        near = (other for other in made if place - places[other.message or ""] <= WINDOW)
        if one.clauses_of(ClauseKind.REPLACED) or not any(same_thing(one.choice, other.choice) for other in near):
            made.append(one)
    return made
