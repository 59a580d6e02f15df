"""Which stored rule a new one replaces, and when that is ambiguous."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.turns.replaced_rule import MAX_CANDIDATES, RuleReplacement, StoredRule, find_replaced_rule

steady = settings(max_examples=200, deadline=None, derandomize=True)

COMMITS = StoredRule("commits", "Always write commit messages in the imperative mood", 1)
LINES = StoredRule("lines", "Keep lines under 80 characters", 2)
FRENCH = StoredRule("french", "Answer in French", 3)
RULES = [COMMITS, LINES, FRENCH]


def test_the_named_subject_decides() -> None:
    assert find_replaced_rule("write them in English", "commit messages", RULES) == RuleReplacement("commits")
    assert find_replaced_rule("100 at most", "line length", RULES) == RuleReplacement("lines")


def test_without_a_subject_the_common_words_decide() -> None:
    assert find_replaced_rule("Keep lines under 100 characters", None, RULES) == RuleReplacement("lines")
    assert find_replaced_rule("Answer in German", None, RULES) == RuleReplacement("french")


def test_nothing_in_common_replaces_nothing() -> None:
    assert find_replaced_rule("Use tabs", None, RULES) == RuleReplacement(None, ("french", "lines", "commits"))
    assert find_replaced_rule("Use tabs", "indentation", [FRENCH]) == RuleReplacement(None, ("french",))
    assert find_replaced_rule("Use tabs", None, []) == RuleReplacement(None)


def test_a_tie_replaces_nothing() -> None:
    other = StoredRule("tests", "Never mention tests in commit messages", 4)
    assert find_replaced_rule("in English", "commit messages", [*RULES, other]) == RuleReplacement(
        None, ("tests", "commits"), related=True
    )


def test_phrasing_words_are_not_a_subject() -> None:
    assert find_replaced_rule("Always use rule preferences from now on", None, RULES).replaced is None


def test_chinese_rules_are_matched() -> None:
    rules = [StoredRule("indent", "縮排一律用四個空格", 1), StoredRule("language", "以後都用繁體中文回答", 2)]
    assert find_replaced_rule("縮排用兩個空格", None, rules) == RuleReplacement("indent")
    assert find_replaced_rule("用英文", "回答", rules) == RuleReplacement("language")


@steady
@given(
    st.text(max_size=40),
    st.none() | st.text(max_size=20),
    st.lists(
        st.builds(StoredRule, st.uuids().map(str), st.text(max_size=40), st.integers(0, 9)),
        max_size=9,
        unique_by=lambda rule: rule.id,
    ),
)
def test_the_result_is_one_rule_or_some_candidates(new: str, about: str | None, rules: list[StoredRule]) -> None:
    done = find_replaced_rule(new, about, rules)
    ids = {rule.id for rule in rules}
    assert done.replaced is None or (done.replaced in ids and not done.candidates)
    assert set(done.candidates) <= ids
    assert len(done.candidates) <= MAX_CANDIDATES
    assert done == find_replaced_rule(new, about, rules[::-1])
