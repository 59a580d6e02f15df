"""What was read completes a recorded answer, or answers where nothing is recorded."""

from msgspec.structs import replace

from satchel.conversations.read_answers import CERTAIN, MIN_LIKELIHOOD, as_chain, is_certain, with_reading
from satchel.conversations.why_answers import WhyAnswer
from satchel.domain.conversation import EXPLICIT, READ, Clause, ClauseKind, Decision, DecisionId, Message, Speaker
from satchel.domain.record import Trust
from satchel.ports.reading import Discussion, Reading

TEXTS = ("cream then", "cream is sold out", "pale grey it is")
MESSAGES = tuple(
    Message(f"msg:{seq}", seq, Speaker.USER, text, seq * 1_000, Trust.TRUSTED) for seq, text in enumerate(TEXTS, 1)
)
READING = Reading(
    Discussion("global", "cards", MESSAGES, ()), MESSAGES[2], MESSAGES[1:2], MESSAGES[0], 0.8, MIN_LIKELIHOOD
)
RECORDED = Decision(
    DecisionId("dec_1"), "global", "cards", "pale grey", "", TEXTS[2], MESSAGES[2].ref, 3_000, Trust.TRUSTED, "it is"
)


def _answer(decision: Decision) -> WhyAnswer:
    return WhyAnswer(decision, (decision,), (), 1.0, recorded=True)


def test_a_reading_answers_with_its_messages_and_what_held_before() -> None:
    answer = with_reading(WhyAnswer(), [READING])
    decision, before = answer.chain

    assert answer.decision == decision and not answer.recorded
    assert (decision.statement, decision.rule, decision.at) == ("pale grey it is", READ, 3_000)
    assert decision.clauses == (Clause(ClauseKind.CAUSE, "cream is sold out", "msg:2"),)
    assert (decision.replaces, before.statement, before.message) == (before.id, "cream then", "msg:1")
    assert answer.as_reason("why grey?", "global").citations == ("msg:3", "msg:2", "msg:1")


def test_an_unlikely_reading_and_none_change_nothing() -> None:
    assert with_reading(WhyAnswer(), [replace(READING, likelihood=MIN_LIKELIHOOD - 0.01)]) == WhyAnswer()
    assert with_reading(_answer(RECORDED), []) == _answer(RECORDED)


def test_the_same_decision_keeps_its_record_and_gets_the_reasons() -> None:
    answer = with_reading(_answer(RECORDED), [READING])

    assert answer.recorded and answer.has_reason
    assert answer.decision == answer.chain[0]
    assert answer.decision is not None and answer.decision.id == RECORDED.id


def test_a_likely_reading_is_preferred_to_another_decision_without_a_reason() -> None:
    answer = with_reading(_answer(replace(RECORDED, message="msg:1")), [READING])

    assert not answer.recorded and answer.decision is not None and answer.decision.message == "msg:3"


def test_a_decision_added_by_hand_stays() -> None:
    by_hand = _answer(replace(RECORDED, message=None, rule=EXPLICIT))

    assert with_reading(by_hand, [READING]) == by_hand


def test_the_least_trusted_message_sets_the_trust() -> None:
    doubtful = replace(READING, reasons=(replace(MESSAGES[1], trust=Trust.UNTRUSTED),))

    assert as_chain(doubtful)[0].trust is Trust.UNTRUSTED
    answer = with_reading(_answer(RECORDED), [doubtful])
    assert answer.decision is not None and answer.decision.trust is Trust.UNTRUSTED


def test_an_answer_is_certain_with_a_reason_and_a_high_likelihood() -> None:
    likely = with_reading(WhyAnswer(), [replace(READING, likelihood=CERTAIN)])

    assert is_certain(likely)
    assert not is_certain(with_reading(WhyAnswer(), [READING]))
    assert not is_certain(with_reading(WhyAnswer(), [replace(READING, likelihood=CERTAIN, reasons=())]))
    assert is_certain(with_reading(_answer(RECORDED), [READING]))
