"""Values that the next messages of a talk tell."""

from satchel.domain.safety.answers import answers, asks_for_answer
from tests.tables import each_case


@each_case(
    ("text", "expected"),
    [
        ("Mara: which pass is it?\nJan: gravel-77", "gravel-77"),
        ("[10:42] mara: pass pls\n[10:43] jan: gravel-77", "gravel-77"),
        ("any idea about the pass?\njan — Today at 09:15\ngravel-77", "gravel-77"),
        ("Mara: the pass does not work\n\nJan: hm\nJan: gravel-77", "gravel-77"),
    ],
)
def test_a_message_that_is_a_value_answers(text: str, expected: str) -> None:
    word = text.index("pass")

    found = [text[start:end] for start, end in answers(text, word, word + 4, lambda one: one.fills and "-" in one.text)]

    assert found == [expected]


@each_case(
    "text",
    [
        "pass: strict\nhost: gravel-77",
        "Mara: which pass is it?\nJan: in the vault under gravel-77",
        "Mara: which pass is it?",
    ],
)
def test_settings_and_places_answer_nothing(text: str) -> None:
    word = text.index("pass")

    assert list(answers(text, word, word + 4, lambda one: "-" in one.text)) == []


def test_a_request_asks_like_a_question() -> None:
    assert asks_for_answer("Mara: need the pass pls") and asks_for_answer("wie war das nochmal?")
    assert not asks_for_answer("Mara: the pass was changed")
