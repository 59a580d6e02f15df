"""What a turn says that is worth keeping: sentences of the user that state a preference, a decision, or a thing to do."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.policies import AutoCapturePolicy
from satchel.domain.record import Kind
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.safety.spoken_secrets import tells_secret
from satchel.domain.scope_tags import scoped_lines
from satchel.domain.sentences import unquoted_sentences
from satchel.domain.statements import caveats
from satchel.domain.statements.signals import (
    REPLACING,
    Signal,
    found,
    is_bare,
    is_question,
    new_rule,
    plain,
    signal,
    takes_back,
)
from satchel.domain.text import checked
from satchel.errors import InvalidRequest

# Columns: a Chinese character is as wide as two letters, and says more than two.
MIN_WIDTH = 12
MIN_ITEM_WIDTH = 6
MAX_CANDIDATES_PER_TEXT = 16
# A longer sentence is none, and would only slow the patterns down.
MAX_SENTENCE_CHARS = 600
IMPORTANCE = {Kind.DECISION: 0.88, Kind.PREFERENCE: 0.78, Kind.TODO: 0.70}
USER = "user"
LISTED = "an item of a list"
QUOTE_MARKS = (">", "＞")
TICKS = ("[x]", "[X]", "[✓]", "[✔]")


class Message(Struct, frozen=True):
    """One message of a turn: who said it, and its blocks of text."""

    role: str
    blocks: tuple[str, ...]


class Candidate(Struct, frozen=True):
    """A sentence that is to be kept, unless it is known already."""

    text: str
    kind: Kind
    importance: float
    scope: str | None
    """The name that a tag files it under, as it stands; nothing means the scope of the turn."""
    cue: str
    lasting: bool
    replaces: bool = False
    """Whether it takes the place of an earlier rule, which `capture/replaces` looks for."""
    about: str | None = None


class Extraction(Struct, frozen=True):
    """What a turn offers, in the order in which it was said, and what was passed over."""

    candidates: tuple[Candidate, ...]
    extracted: int
    """How many sentences had a cue, whatever became of them."""
    filtered: Counter[str] = field(default_factory=Counter)
    user_messages: int = 0
    text_blocks: int = 0
    text_chars: int = 0


def extract(messages: Sequence[Message], policy: AutoCapturePolicy) -> Extraction:
    """Return the sentences of a turn that are worth keeping. Only what users wrote themselves is looked at."""
    spoken = [message for message in messages if message.role == USER]
    read = spoken[-policy.max_scanned_user_messages :]
    texts = _within(read, policy)
    filtered = Counter[str](
        older_user_messages=len(spoken) - len(read), input_chars_truncated=sum(cut for _, cut in texts)
    )
    offered, extracted = list[Candidate](), 0
    for text, _ in texts:
        found_here = _signalled(_said(text), _kinds(policy))
        extracted += len(found_here)
        masked = redacted(text).text
        kept = [
            _candidate(said, one)
            for said, one in found_here
            if not _is_filtered(said, _worded(said, one), masked, filtered)
        ]
        offered += [one for one in kept if _fits(one.text, policy.max_chars_per_item)][:MAX_CANDIDATES_PER_TEXT]
    return Extraction(tuple(offered), extracted, filtered, len(read), len(texts), sum(len(text) for text, _ in texts))


def _kinds(policy: AutoCapturePolicy) -> frozenset[Kind]:
    wanted = {
        Kind.PREFERENCE: policy.capture_preference,
        Kind.DECISION: policy.capture_decision,
        Kind.TODO: policy.capture_todo,
    }
    return frozenset(kind for kind, is_wanted in wanted.items() if is_wanted)


def _within(messages: Sequence[Message], policy: AutoCapturePolicy) -> list[tuple[str, int]]:
    """Return the texts to read, each with how much of it was cut off. The newest are the last to be cut."""
    room, texts = policy.max_total_input_chars, list[tuple[str, int]]()
    for message in reversed(messages):
        for block in reversed(message.blocks[: policy.max_text_blocks_per_message]):
            texts.append((block[:room], len(block) - len(block[:room])))
            room -= len(block[:room])
    return texts[::-1]


class _Said(Struct, frozen=True):
    """A sentence, with what its surroundings make of it."""

    text: str
    scope: str | None
    heading: str | None
    """The line that makes it an item of a list of rules."""
    pasted: bool
    """Whether a program or somebody else wrote it."""
    done: bool
    """Whether it is ticked off."""
    opens: bool
    """Whether it is the first one of its paragraph."""


def _said(text: str) -> Iterator[_Said]:
    lines = list(scoped_lines(text))
    # Who wants the agent to drop its instructions is not telling it a preference.
    if injections("\n".join(line.text for line in lines)):
        return
    heading: str | None = None
    pasted = False
    for line in lines:
        if line.opens:
            heading, pasted = None, False
        introduction = plain(line.text) if line.text.endswith((":", "：")) else ""
        if introduction and not heading and not pasted:
            heading = line.text.rstrip(" :：") if found(caveats.HEADING, introduction) else None
            pasted = heading is None and found(caveats.PASTE, introduction) is not None
            if heading:
                continue
        foreign = is_tool_output(line.text) or (pasted and not line.text.lower().startswith("todo"))
        quoted, done = (any(mark in line.layout for mark in marks) for marks in (QUOTE_MARKS, TICKS))
        for number, sentence in enumerate(unquoted_sentences(line.text) if not quoted else ()):
            yield _Said(sentence, line.scope, heading, foreign, done, line.opens and number == 0)


def _signalled(said: Iterable[_Said], kinds: frozenset[Kind]) -> list[tuple[_Said, Signal]]:
    """Return the sentences that say something lasting."""
    taken = list[tuple[_Said, Signal]]()
    before: _Said | None = None
    pending: Signal | None = None
    for one in said:
        if one.opens:
            before = pending = None
        if takes_back(one.text):
            if taken and taken[-1][0] is before:
                taken.pop()
        elif is_bare(one.text) and Kind.PREFERENCE in kinds:
            asked = Signal(Kind.PREFERENCE, "remember this", lasting=True)
            if before is None or width(before.text) < MIN_WIDTH:
                pending = asked
            elif not (taken and taken[-1][0] is before) and not is_question(before.text):
                taken.append((before, asked))
        elif meant := _meant(one, pending, kinds - {Kind.TODO} if one.done else kinds):
            # "Replace my rule" may leave the new one to the next sentence.
            announces = pending is None and meant.cue == REPLACING and new_rule(one.text) is None
            pending = meant if announces else None
            if not announces:
                taken.append((one, meant))
        before = one
    return taken


def _meant(said: _Said, pending: Signal | None, kinds: frozenset[Kind]) -> Signal | None:
    """Return what a sentence is good for by itself, as an item of a list, or because the one before announced it."""
    announced = said.heading is not None or pending is not None
    if len(said.text) > MAX_SENTENCE_CHARS or width(said.text) < (MIN_ITEM_WIDTH if announced else MIN_WIDTH):
        return None
    own = signal(said.text, kinds)
    if is_question(said.text) or not announced:
        return own
    if pending is not None:
        return replace(own or pending, replaces=pending.replaces, about=pending.about)
    kind = Kind.DECISION if found(caveats.HEADING_OF_DECISIONS, plain(said.heading or "")) else Kind.PREFERENCE
    return own or (Signal(kind, LISTED, lasting=True) if kind in kinds else None)


def _is_filtered(said: _Said, text: str, masked: str, filtered: Counter[str]) -> bool:
    """Say whether a sentence must not be kept, and count why."""
    secret = said.text not in masked or tells_secret(text)
    reason = "tool_output" if said.pasted else "secrets_like" if secret else None
    if reason:
        filtered[reason] += 1
    return reason is not None


def _fits(text: str, most_chars: int) -> bool:
    """Say whether a sentence is short enough, and can be written down."""
    try:
        checked(text, "text", limit=most_chars)
    except InvalidRequest:
        return False
    return True


def _candidate(said: _Said, one: Signal) -> Candidate:
    importance = IMPORTANCE[one.kind]
    return Candidate(
        _worded(said, one), one.kind, importance, said.scope, one.cue, one.lasting, one.replaces, one.about
    )


def _worded(said: _Said, one: Signal) -> str:
    """Return a sentence as it is kept: what it replaces is not said again, what it is an item of is."""
    if one.replaces and (rule := new_rule(said.text)):
        return f"{one.about}: {rule}" if one.about else rule
    return f"{said.heading}: {said.text}" if one.cue == LISTED else said.text


def is_tool_output(line: str) -> bool:
    """Say whether a program has written a line."""
    return found(caveats.LOG_LEVEL, line) is not None or found(caveats.TOOL_OUTPUT, line.lower()) is not None


def width(text: str) -> int:
    """Return how many columns a text takes up."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
