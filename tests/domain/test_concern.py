"""When one statement says that it changes another."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.concern import Concern, concern, same_subject
from satchel.domain.statements.comparable import analyse
from tests.tables import each_case


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


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_announce_a_change(said: str, other: str) -> None:
    assert concern(analyse(said), analyse(other)) in Concern
