"""Question analysis: stop phrases, names, periods and intent."""

from hypothesis import given
from hypothesis import strategies as st

from satchel.recall.analyze import analyze_question, remove_names
from tests.tables import each_case

NOW = 1_684_324_800_000


def test_stop_phrases_are_removed_and_reported() -> None:
    asked = analyze_question("Can you remind me what I told you about the lighthouse in our previous chats?", NOW)

    assert asked.terms == ("lighthouse",)
    assert "in our previous chats" in asked.dropped
    assert "chats" not in asked.text


def test_a_question_of_stop_phrases_only_is_unchanged() -> None:
    assert analyze_question("can you tell me", NOW).terms
    assert analyze_question("who", NOW).terms == ("who",)


def test_a_speaker_name_is_not_a_search_term() -> None:
    asked = analyze_question("What did Ann Lee paint?", NOW, ["Ann Lee", "Ben"])

    assert (asked.names, asked.terms, asked.text) == (("Ann Lee",), ("paint",), "What did paint?")
    assert analyze_question("Who is Ann?", NOW, ["Ann"]).terms == ("ann",)


def test_a_name_that_is_also_a_word_is_recognized_by_its_capital() -> None:
    assert analyze_question("what will happen to Mark", NOW, ["Will"]).names == ()
    assert analyze_question("what did will say", NOW, ["Mark"]).names == ()
    assert analyze_question("what did mark say", NOW, ["Mark"]).names == ("Mark",)


@each_case(
    ("question", "asker", "assistant"),
    [
        ("What colour is my bike?", True, False),
        ("What did you recommend for my knee?", False, True),
        ("Can you list what I planted?", True, False),
        ("你推荐了哪家餐馆", False, True),
        ("我的自行车是什么颜色", True, False),
        ("What colour is the bike?", False, False),
        ("Can you remind me what the third pose was?", False, False),
        ("Can you remind me where I parked?", True, False),
        ("I'm going back to our previous conversation about soups. What was the spice?", False, False),
        ("请提醒我第三道菜是什么", False, False),
        # Help depends on who asks for it.
        ("Can you suggest a plan and explain it to me?", True, False),
    ],
)
def test_questions_about_the_user_and_the_assistant_are_recognized(question: str, asker: bool, assistant: bool) -> None:
    asked = analyze_question(question, NOW)

    assert (asked.of_asker, asked.of_assistant) == (asker, assistant)


def test_quotations_periods_and_questions_about_time_are_recognized() -> None:
    asked = analyze_question('When did she say "over the moon" last week?', NOW)

    assert asked.phrases == ("over the moon",)
    assert len(asked.periods) == 1
    assert asked.seeks_time
    assert analyze_question("“月亮”是什么时候说的", NOW).phrases == ("月亮",)


def test_a_text_that_is_only_a_name_is_unchanged() -> None:
    assert remove_names("Ann!", ["Ann"]) == "Ann!"
    assert remove_names("Hi Ann, it's Ann's turn", ["Ann"]) == "Hi , it's turn"


@given(st.text(min_size=1, max_size=300), st.lists(st.text(max_size=20), max_size=5))
def test_any_question_can_be_analyzed(question: str, speakers: list[str]) -> None:
    asked = analyze_question(question, NOW, speakers)

    assert asked == analyze_question(question, NOW, speakers)
    assert len(asked.phrases) <= 4


@each_case(
    ("question", "several"),
    [
        ("Which books has Ann read?", True),
        ("What kinds of bread did she bake?", True),
        ("What are his hobbies?", True),
        ("How many times did we meet?", True),
        ("List the order in which I brought them up", True),
        ("她读过哪些书", True),
        ("What is his hobby?", False),
        ("What does Ann do?", False),
        ("What was the news?", False),
        ("Where does Ben live?", False),
    ],
)
def test_questions_with_several_answers_are_recognized(question: str, several: bool) -> None:
    assert analyze_question(question, NOW).seeks_several is several


@each_case(
    ("question", "help"),
    [
        ("How should I write the commit message?", True),
        ("Any tips for the garden?", True),
        ("这个函数该怎么写", True),
        ("What did you recommend for my knee?", False),
        ("How did I fix the boiler?", False),
        ("When is the deadline?", False),
    ],
)
def test_questions_for_help_are_recognized(question: str, help: bool) -> None:
    assert analyze_question(question, NOW).seeks_help is help


def test_a_summary_is_not_limited_to_one_speaker() -> None:
    assert analyze_question("Can you give me a summary of how my garden came along?", NOW).seeks_summary
    assert not analyze_question("How did my garden come along?", NOW).seeks_summary
