"""When two texts say the same thing, level by level."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.similarity import TextComparison, near_duplicate, same_text, statement_key
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)


@each_case(
    ("one", "other"),
    [
        ("We ship on Thursdays.", "we  ship on THURSDAYS"),
        ("We ship on Thursdays", "Please, we just ship on the Thursday!"),
        ("We don't deploy on Fridays", "We do not deploy on Fridays."),
        ("“Use Postgres” (always)", "use postgres, always"),
        ("我們決定用 Postgres。", "我們的決定：用Postgres"),
        ("请使用深色主题", "使用深色主题"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
    ],
)
def test_case_punctuation_fillers_and_plurals_do_not_change_the_key(one: str, other: str) -> None:
    assert statement_key(one) == statement_key(other)


@each_case(
    ("one", "other"),
    [
        ("We ship on Thursdays", "We ship on Fridays"),
        ("We deploy on Fridays", "We do not deploy on Fridays"),
        ("Port 5432 is open", "Port 5433 is open"),
        ("The limit is 1.5", "The limit is 15"),
        ("The offset is -5", "The offset is 5"),
        ("We write C", "We write C++"),
        ("retry while n >= 3", "retry while n <= 3"),
        ("fail if a != b", "fail if a = b"),
        ("Use foo_bar", "Use foo-bar"),
        ("Jane owns the deploys", "Janet owns the deploys"),
        ("Alice reports to Bob", "Bob reports to Alice"),
        ("We ship on Thursdays?", "We ship on Thursdays"),
        ("我们用 Postgres", "我们不用 Postgres"),
        ("see src/a.py", "see src/b.py"),
    ],
)
def test_a_changed_number_name_sign_or_negation_changes_the_key(one: str, other: str) -> None:
    assert statement_key(one) != statement_key(other)


@steady
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_every_text_has_a_key_and_is_the_same_as_itself(text: str) -> None:
    assert bool(statement_key(text)) == bool(text.split())
    assert same_text(text, text)


@steady
@given(st.text(max_size=40), st.text(max_size=40))
def test_the_same_text_has_the_same_key(one: str, other: str) -> None:
    if same_text(one, other):
        assert statement_key(one) == statement_key(other)


@each_case(
    ("one", "other"),
    [
        ("I prefer tabs.", "i  prefer TABS."),
        ("I prefer bullet points to paragraphs", "As I said, I prefer bullet points to paragraphs every day"),
        ("我喜歡簡短的回答", "我喜歡簡短的回答"),
        (
            "we use ruff mypy pytest hypothesis xdist and uv in every project",
            "we use ruff mypy pytest hypothesis xdist uv in every project",
        ),
    ],
)
def test_near_duplicates_have_most_words_in_common(one: str, other: str) -> None:
    assert near_duplicate(one, other, 0.9)
    assert near_duplicate(other, one, 0.9)


@each_case(
    ("one", "other"),
    [
        ("I prefer tabs.", "I prefer spaces."),
        (
            "we use ruff mypy pytest hypothesis xdist and uv in every project",
            "we do not use ruff mypy pytest hypothesis xdist and uv in every project",
        ),
        (
            "keep the lines of the code of this project under 100 characters",
            "keep the lines of the code of this project under 120 characters",
        ),
        ("", "I prefer tabs."),
    ],
)
def test_a_changed_word_number_or_negation_is_not_a_near_duplicate(one: str, other: str) -> None:
    assert not near_duplicate(one, other, 0.7)


@each_case(
    ("one", "other"),
    [
        ("Keep answers short", "keep  ANSWERS short"),
        ("Keep answers short", "Please keep the answers short!"),
        ("Deploys happen on Tuesday mornings", "Deploy happens on Tuesday mornings"),
        ("请保持回答简短", "保持回答简短"),
        ("Ｋeep answers short", "Keep answers short"),
    ],
)
def test_reworded_texts_say_the_same(one: str, other: str) -> None:
    comparison = TextComparison()
    assert comparison.says_same(one, other)
    assert comparison.says_same(other, one)


@each_case(
    ("one", "other"),
    [
        ("Deploy on Fridays", "Do not deploy on Fridays"),
        ("Deploy on Fridays", "Don't deploy on Fridays"),
        ("Use 2 replicas of the store", "Use 3 replicas of the store"),
        ("Always encrypt the backups", "Encrypt the backups"),
        ("Write to the north bucket", "Write to the south bucket"),
        ("Keep answers short", "Keep answers short and cite every source you used for them"),
        ("备份数据库", "不备份数据库"),
        ("先测试后发布", "先测试前发布"),
        ("", "anything"),
    ],
)
def test_changed_meanings_do_not_say_the_same(one: str, other: str) -> None:
    comparison = TextComparison()
    assert not comparison.says_same(one, other)
    assert not comparison.says_same(other, one)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(one=st.text(max_size=60), other=st.text(max_size=60))
def test_says_same_is_symmetric_and_reflexive(one: str, other: str) -> None:
    comparison = TextComparison()
    assert comparison.says_same(one, one)
    assert comparison.says_same(one, other) == comparison.says_same(other, one)


def test_a_summary_covers_an_episode_whose_words_and_numbers_it_contains() -> None:
    comparison = TextComparison()
    summary = "The nightly import failed twice in May because the disk of the worker was full"

    assert comparison.covers(summary, "nightly import failed because the disk was full")
    assert not comparison.covers(summary, "nightly import failed after 40 minutes because the disk was full")
    assert not comparison.covers(summary, "the kitchen was painted")
    assert not comparison.covers(summary, "")


@each_case(
    ("one", "other"),
    [("We don't deploy on Fridays", "We do not deploy on Fridays."), ("Use tabs", "Please use the tabs")],
)
def test_equal_keys_count_as_the_same_at_every_level(one: str, other: str) -> None:
    assert statement_key(one) == statement_key(other)
    assert TextComparison().says_same(one, other)
    assert near_duplicate(one, other, 1.0)


@settings(steady, max_examples=500)
@given(st.text(st.sampled_from("aS1 _-.:/@'+!?,()~`=<\t\n"), max_size=60))
def test_ascii_is_told_apart_as_any_other_text(text: str) -> None:
    # Another script beside it takes the way of every script.
    assert statement_key(f"{text} 好") == " ".join([*statement_key(f"{text} x").split(" ")[:-1], "好"])
