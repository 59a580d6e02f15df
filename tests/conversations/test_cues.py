"""Sentences that decide nothing: questions, reported ones, and what puts a decision off."""

from satchel.conversations.cues import find_cue, is_question, puts_off
from tests.tables import each_case


@each_case(
    ("text", "expected"),
    [
        ("can we fly at five?", True),
        ("the pilot asks whether we can fly at five", True),
        ("Renske wondered if six is late enough", True),
        ("要不要換成電子紙", True),
        ("we fly at six", False),
        ("I asked the pilot, six is fine", False),
    ],
)
def test_a_reported_question_is_a_question(text: str, expected: bool) -> None:
    assert is_question(text) is expected


@each_case(
    ("text", "expected"),
    [
        ("let me test both tomorrow", True),
        ("hm. let me look at last year's readings first", True),
        ("ok, I'll ask him in April", True),
        ("I'd like to hear the warden first", True),
        ("no preference, but not in June", True),
        ("我再想一下", True),
        ("six then, I'll ask the pilot to confirm", False),
        ("ok, winter room only, I'll answer them", False),
        ("我先用六點", False),
    ],
)
def test_a_message_may_put_the_decision_off(text: str, expected: bool) -> None:
    assert puts_off(text) is expected


@each_case(
    ("text", "expected"), [("wood rots, we replaced six last year", False), ("Vite replaces webpack", True)], ids=str
)
def test_replacing_something_is_a_decision_only_for_what_replaces_it(text: str, expected: bool) -> None:
    assert (find_cue(text) is not None) is expected


@each_case(
    ("text", "expected"),
    [
        ("renderBoard replaces all children at once.", False),
        ("The scheduler replaces them at midnight.", False),
        ("UserService replaces every password with a hash.", False),
        ("The nearest mirror is picked automatically.", False),
        ("parseDate is selected when a form opens.", False),
        ("gRPC replaces REST.", True),
        ("Oslo was picked for the meeting.", True),
    ],
    ids=str,
)
def test_what_code_does_is_no_decision(text: str, expected: bool) -> None:
    assert (find_cue(text) is not None) is expected


@each_case(
    ("text", "old"),
    [
        ("Then we drop Matrix and move everyone to Signal.", "Matrix"),
        ("we're dropping Matrix and switching to Signal", "Matrix"),
        ("let's ditch Matrix and use Signal", "Matrix"),
        ("we give up on Matrix, and go back to letters", "Matrix"),
        ("drop Matrix, use Signal", "Matrix"),
        ("we removed the old logs and moved the rest to tape", None),
        ("I scrapped the draft and wrote a new one", None),
    ],
    ids=str,
)
def test_dropping_one_thing_and_taking_another_is_a_reversal(text: str, old: str | None) -> None:
    found = find_cue(text)

    assert (found and (found[0].reverses, found[1]["old"])) == (old and (True, old))
