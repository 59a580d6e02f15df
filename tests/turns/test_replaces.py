"""Which rule a new one replaces, and when that cannot be told."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.turns.replaces import MAX_CANDIDATES, Replacement, Rule, replaced_rule

steady = settings(max_examples=200, deadline=None, derandomize=True)

COMMITS = Rule("commits", "Always write commit messages in the imperative mood", 1)
LINES = Rule("lines", "Keep lines under 80 characters", 2)
FRENCH = Rule("french", "Answer in French", 3)
RULES = [COMMITS, LINES, FRENCH]


def test_the_topic_that_is_named_decides() -> None:
    assert replaced_rule("write them in English", "commit messages", RULES) == Replacement("commits")
    assert replaced_rule("100 at most", "line length", RULES) == Replacement("lines")


def test_without_a_topic_the_words_in_common_decide() -> None:
    assert replaced_rule("Keep lines under 100 characters", None, RULES) == Replacement("lines")
    assert replaced_rule("Answer in German", None, RULES) == Replacement("french")


def test_with_nothing_in_common_it_cannot_be_told() -> None:
    assert replaced_rule("Use tabs", None, RULES) == Replacement(None, ("french", "lines", "commits"))
    assert replaced_rule("Use tabs", "indentation", [FRENCH]) == Replacement(None, ("french",))
    assert replaced_rule("Use tabs", None, []) == Replacement(None)


def test_between_two_it_cannot_be_told() -> None:
    other = Rule("tests", "Never mention tests in commit messages", 4)
    assert replaced_rule("in English", "commit messages", [*RULES, other]) == Replacement(None, ("tests", "commits"))


def test_phrasing_is_no_subject() -> None:
    assert replaced_rule("Always use rule preferences from now on", None, RULES).replaced is None


def test_chinese_rules_are_matched_as_well() -> None:
    rules = [Rule("indent", "縮排一律用四個空格", 1), Rule("language", "以後都用繁體中文回答", 2)]
    assert replaced_rule("縮排用兩個空格", None, rules) == Replacement("indent")
    assert replaced_rule("用英文", "回答", rules) == Replacement("language")


@steady
@given(
    st.text(max_size=40),
    st.none() | st.text(max_size=20),
    st.lists(
        st.builds(Rule, st.uuids().map(str), st.text(max_size=40), st.integers(0, 9)),
        max_size=9,
        unique_by=lambda rule: rule.id,
    ),
)
def test_it_is_one_of_the_rules_or_some_candidates(new: str, about: str | None, rules: list[Rule]) -> None:
    done = replaced_rule(new, about, rules)
    ids = {rule.id for rule in rules}
    assert done.replaced is None or (done.replaced in ids and not done.candidates)
    assert set(done.candidates) <= ids
    assert len(done.candidates) <= MAX_CANDIDATES
    assert done == replaced_rule(new, about, rules[::-1])
