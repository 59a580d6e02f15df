"""Extract the sentences of a turn that are worth keeping: preferences, decisions and todos of the user."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.authored import scoped_lines
from satchel.domain.policies import AutoCapturePolicy
from satchel.domain.program_output import is_tool_output
from satchel.domain.record import Kind
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.safety.spoken_secrets import contains_secret
from satchel.domain.sentences import unquoted_sentences
from satchel.domain.statements import sentence_types
from satchel.domain.statements.detect import (
    REPLACING,
    LastingStatement,
    after_retraction,
    detect,
    fold,
    is_brief,
    is_question,
    is_remember_this,
    is_retraction,
    new_rule,
    search,
)
from satchel.domain.text import check_text
from satchel.errors import InvalidRequest

# Minimum lengths in letters. A wide character counts for three: 不要加註解 says as much as "no comments please".
MIN_LENGTH = 12
MIN_ITEM_LENGTH = 6
MAX_CANDIDATES_PER_TEXT = 16
# Longer sentences are skipped: they are rarely statements, and slow to match.
MAX_SENTENCE_CHARS = 600
IMPORTANCE = {Kind.DECISION: 0.88, Kind.PREFERENCE: 0.78, Kind.TODO: 0.70}
USER = "user"
LISTED = "an item of a list"
QUOTE_MARKS = (">", "＞")
TICKS = ("[x]", "[X]", "[✓]", "[✔]")


class TurnMessage(Struct, frozen=True):
    """One message of a turn with its text blocks."""

    role: str
    blocks: tuple[str, ...]


class CaptureCandidate(Struct, frozen=True):
    """A sentence to keep, unless it is already known."""

    text: str
    kind: Kind
    importance: float
    scope: str | None
    """The scope named by a tag, unchecked; None means the scope of the turn."""
    cue: str
    lasting: bool
    replaces: bool = False
    """Whether it replaces an earlier rule, to be found by `find_replaced_rule`."""
    about: str | None = None


class Extraction(Struct, frozen=True):
    """The candidates of a turn in order, with counts of what was read and filtered."""

    candidates: tuple[CaptureCandidate, ...]
    extracted: int
    """Number of sentences with a cue, before filtering."""
    filtered: Counter[str] = field(default_factory=Counter)
    user_messages: int = 0
    text_blocks: int = 0
    text_chars: int = 0


def extract(messages: Sequence[TurnMessage], policy: AutoCapturePolicy) -> Extraction:
    """Return the sentences worth keeping. Only messages of the user are read."""
    from_user = [message for message in messages if message.role == USER]
    read = from_user[-policy.max_scanned_user_messages :]
    texts = _texts_to_read(read, policy)
    filtered = Counter[str](
        older_user_messages=len(from_user) - len(read), input_chars_truncated=sum(cut for _, cut in texts)
    )
    candidates, extracted = list[CaptureCandidate](), 0
    for text, _ in texts:
        signalled = _with_signals(_sentences(text), _kinds(policy))
        extracted += len(signalled)
        masked = redacted(text).text
        kept = [
            _candidate(sentence, one)
            for sentence, one in signalled
            if not _is_filtered(sentence, _text_to_keep(sentence, one), masked, filtered)
        ]
        candidates += [one for one in kept if _fits(one.text, policy.max_chars_per_item)][:MAX_CANDIDATES_PER_TEXT]
    return Extraction(
        tuple(candidates), extracted, filtered, len(read), len(texts), sum(len(text) for text, _ in texts)
    )


def _kinds(policy: AutoCapturePolicy) -> frozenset[Kind]:
    wanted = {
        Kind.PREFERENCE: policy.capture_preference,
        Kind.DECISION: policy.capture_decision,
        Kind.TODO: policy.capture_todo,
    }
    return frozenset(kind for kind, is_wanted in wanted.items() if is_wanted)


def _texts_to_read(messages: Sequence[TurnMessage], policy: AutoCapturePolicy) -> list[tuple[str, int]]:
    """Return the texts to read, each with the number of characters cut off. The oldest are cut first."""
    room, texts = policy.max_total_input_chars, list[tuple[str, int]]()
    for message in reversed(messages):
        for block in reversed(message.blocks[: policy.max_text_blocks_per_message]):
            texts.append((block[:room], len(block) - len(block[:room])))
            room -= len(block[:room])
    return texts[::-1]


class _Sentence(Struct, frozen=True):
    """A sentence with its context."""

    text: str
    scope: str | None
    heading: str | None
    """The heading of the list of rules it is an item of."""
    pasted: bool
    """Whether it was written by a program or someone else."""
    done: bool
    """Whether it is ticked off."""
    opens: bool
    """Whether it is the first of its paragraph."""


def _sentences(text: str) -> Iterator[_Sentence]:
    lines = list(scoped_lines(text))
    # Text that tries to override instructions is not a preference.
    if injections("\n".join(line.text for line in lines)):
        return
    heading: str | None = None
    pasted = False
    for line in lines:
        if line.opens:
            heading, pasted = None, False
        introduction = fold(line.text) if line.text.endswith((":", "：")) else ""
        if introduction and not heading and not pasted:
            heading = line.text.rstrip(" :：") if search(sentence_types.HEADING, introduction) else None
            pasted = heading is None and search(sentence_types.PASTE, introduction) is not None
            if heading:
                continue
        foreign = is_tool_output(line.text) or (pasted and not line.text.lower().startswith("todo"))
        quoted, done = (any(mark in line.layout for mark in marks) for marks in (QUOTE_MARKS, TICKS))
        for number, sentence in enumerate(unquoted_sentences(line.text) if not quoted else ()):
            yield _Sentence(sentence, line.scope, heading, foreign, done, line.opens and number == 0)


def _with_signals(sentences: Iterable[_Sentence], kinds: frozenset[Kind]) -> list[tuple[_Sentence, LastingStatement]]:
    """Return the sentences with a lasting statement."""
    chosen = list[tuple[_Sentence, LastingStatement]]()
    before: _Sentence | None = None
    pending: LastingStatement | None = None
    in_brief = False
    for one in sentences:
        if one.opens:
            before = pending = None
        if is_retraction(one.text):
            if chosen and chosen[-1][0] is before:
                chosen.pop()
            # "Scratch that, we decided …" also says what holds instead.
            one = replace(one, text=after_retraction(one.text))
        if is_remember_this(one.text) and Kind.PREFERENCE in kinds:
            asked = LastingStatement(Kind.PREFERENCE, "remember this", lasting=True)
            if before is None or _length(before.text) < MIN_LENGTH:
                pending = asked
            elif not (chosen and chosen[-1][0] is before) and not is_question(before.text):
                chosen.append((before, asked))
        elif meant := _signal_of(one, pending, kinds - {Kind.TODO} if one.done else kinds):
            # "Replace my rule" may announce the new rule in the next sentence.
            announces = pending is None and meant.cue == REPLACING and new_rule(one.text) is None
            pending = meant if announces else None
            if not announces and not (meant.requirement and (in_brief or _continues_brief(one.text, kinds))):
                chosen.append((one, meant))
        in_brief = in_brief or is_brief(one.text)
        before = one
    return chosen


def _continues_brief(sentence: str, kinds: frozenset[Kind]) -> bool:
    """Return whether what a sentence states follows the piece of work that it asks for: 寫一個程式，日期都用 ISO 格式."""
    asked, _, then = sentence.replace("，", ",").partition(",")
    return is_brief(asked) and detect(then.strip(), kinds) is not None


def _signal_of(
    sentence: _Sentence, pending: LastingStatement | None, kinds: frozenset[Kind]
) -> LastingStatement | None:
    """Return the signal of a sentence: its own, that of its list, or the one the previous sentence announced."""
    announced = sentence.heading is not None or pending is not None
    if len(sentence.text) > MAX_SENTENCE_CHARS or _length(sentence.text) < (
        MIN_ITEM_LENGTH if announced else MIN_LENGTH
    ):
        return None
    own = detect(sentence.text, kinds)
    if is_question(sentence.text) or not announced:
        return own
    if pending is not None:
        return replace(own or pending, replaces=pending.replaces, about=pending.about)
    kind = (
        Kind.DECISION if search(sentence_types.HEADING_OF_DECISIONS, fold(sentence.heading or "")) else Kind.PREFERENCE
    )
    return own or (LastingStatement(kind, LISTED, lasting=True) if kind in kinds else None)


def _is_filtered(sentence: _Sentence, text: str, masked: str, filtered: Counter[str]) -> bool:
    """Return whether a sentence must not be kept, and count the reason."""
    secret = sentence.text not in masked or contains_secret(text)
    reason = "tool_output" if sentence.pasted else "secrets_like" if secret else None
    if reason:
        filtered[reason] += 1
    return reason is not None


def _fits(text: str, max_chars: int) -> bool:
    """Return whether a text is valid and short enough to store."""
    try:
        check_text(text, "text", limit=max_chars)
    except InvalidRequest:
        return False
    return True


def _candidate(sentence: _Sentence, one: LastingStatement) -> CaptureCandidate:
    importance = IMPORTANCE[one.kind]
    return CaptureCandidate(
        _text_to_keep(sentence, one),
        one.kind,
        importance,
        sentence.scope,
        one.cue,
        one.lasting,
        one.replaces,
        one.about,
    )


def _text_to_keep(sentence: _Sentence, one: LastingStatement) -> str:
    """Return the text to store: a list item with its heading, a replacement without the announcement."""
    if one.replaces and (rule := new_rule(sentence.text)):
        return f"{one.about}: {rule}" if one.about and one.about not in fold(rule) else rule
    if one.about and search(sentence_types.PRONOUN_FIRST, fold(sentence.text)):
        return f"{one.about}: {sentence.text}"
    return f"{sentence.heading}: {sentence.text}" if one.cue == LISTED else sentence.text


def _length(text: str) -> int:
    return sum(3 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
