"""When two statements contradict each other, and when one says that it changes something."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.contradiction import (
    MIN_NAME_PREFIX,
    Concern,
    Contradiction,
    analyse,
    concern,
    contradiction,
    has_word,
    same_subject,
    same_word,
    shared_terms,
)
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)

OPPOSITE, VALUE, NUMBER = Contradiction.OPPOSITE, Contradiction.VALUE, Contradiction.NUMBER


@each_case(
    "one, other, how",
    [
        ("Always squash", "Never squash", OPPOSITE),
        ("Deploy on Friday", "Never deploy on Fridays", OPPOSITE),
        ("Use tabs", "Use spaces", VALUE),
        ("We use PostgreSQL for analytics", "We decided to use DuckDB for analytics.", VALUE),
        ("The API listens on port 8080", "The API listens on port 9090", NUMBER),
        ("每次出門都帶傘", "每次出門都不帶傘", OPPOSITE),
        ("報表用 PostgreSQL。", "我們決定報表用 DuckDB。", VALUE),
        ("日志保留 30 天", "日志保留 90 天", NUMBER),
    ],
)
def test_contradictions_are_recognised_both_ways(one: str, other: str, how: Contradiction) -> None:
    assert contradiction(analyse(one), analyse(other)) is how
    assert contradiction(analyse(other), analyse(one)) is how


@each_case(
    "one, other",
    [
        ("Always squash", "Always squash."),
        ("We use Grafana for dashboards", "We use Grafana for alerts"),
        ("The staging API listens on port 8080", "The production API listens on port 9090"),
        ("Use tabs in Makefiles", "Use spaces"),
        ("Never commit secrets", "Never commit binaries"),
        ("Never commit secrets", "Commit often and in small steps"),
        ("前端用 React", "後端用 Go"),
        ("", "Use tabs"),
    ],
)
def test_other_pairs_do_not_contradict(one: str, other: str) -> None:
    assert contradiction(analyse(one), analyse(other)) is None
    assert contradiction(analyse(other), analyse(one)) is None


@each_case(
    "said, other, how_clearly",
    [
        ("We moved from Jenkins to Buildkite", "We use Jenkins for CI", Concern.CLEAR),
        ("We moved from Jenkins to Buildkite", "Jenkins needs Java 17", Concern.NONE),
        ("We no longer use Redis for sessions", "Redis is our job queue", Concern.NONE),
        ("We no longer use Redis for sessions", "We use Redis", Concern.POSSIBLE),
        ("We use Jenkins for CI", "We use Buildkite for CI", Concern.NONE),
    ],
)
def test_a_change_concerns_what_it_gives_up(said: str, other: str, how_clearly: Concern) -> None:
    assert concern(analyse(said), analyse(other)) is how_clearly


def test_meaning_confirms_or_refutes_words() -> None:
    newer, older = analyse("From April the court sits in room 9"), analyse("The court sits in room 4 with a jury")
    assert same_subject(newer, older, None)
    assert not same_subject(newer, older, 0.2)
    assert same_subject(
        analyse("Trains now leave at noon"), analyse("Departure of trains from platform two is 9:40"), 0.8
    )


@steady
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    first, second = analyse(one), analyse(other)
    assert contradiction(first, second) == contradiction(second, first)
    assert contradiction(first, first) is None
    assert concern(first, second) in Concern


_NAMES = st.lists(
    st.sampled_from(
        ["Postgres", "PostgreSQL", "postgres15", "deploys", "deployed", "deployment", "café", "cafés", "部署", "tab"]
    ),
    max_size=6,
).map(" ".join)


@steady
@given(_NAMES, _NAMES)
def test_a_word_is_looked_up_as_if_it_were_compared_with_each(one: str, other: str) -> None:
    first, second = analyse(one), analyse(other)
    for word in first.tokens:
        assert has_word(second, word) == any(same_word(word, token) for token in second.tokens)
    longer = {
        term for term in first.terms - second.terms if any(_begins(term, name) for name in second.terms - first.terms)
    }
    assert shared_terms(first, second) == (first.terms & second.terms) | longer


def _begins(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= MIN_NAME_PREFIX and longer.startswith(shorter) and longer.isascii() and longer.isalpha()


@steady
@given(
    st.lists(st.sampled_from(["vite", "1.20", "v3:", "don't", "c++", "a_b", "use=tabs", "feature/x", "#42", "12:30"]))
)
def test_ascii_text_is_read_like_any_other(words: list[str]) -> None:
    text = " ".join(words)
    ascii_only, mixed = analyse(text), analyse(f"{text} ü")

    assert mixed.tokens == (*ascii_only.tokens, "ü")
    assert mixed.terms == ascii_only.terms | {"ü"}
