"""Shortened observations."""

from satchel.observations.lines import excerpt, snippet
from tests.canary import MASKED, TOKEN

# A cut after 30 characters, or before the last 30, would leave half a secret.
TEXT = f"{'word ' * 4}key {TOKEN} {'word ' * 40}"


def test_a_snippet_has_no_half_secret() -> None:
    assert snippet(TEXT, [], 30) == f"{'word ' * 4}key {MASKED}"[:30]
    assert TOKEN[4:12] not in snippet(TEXT, ["key"], 60)


def test_an_excerpt_has_no_half_secret() -> None:
    for part in ("head", "tail", "both"):
        assert TOKEN[4:12] not in excerpt(TEXT, part, 60) + excerpt(TEXT[:-190], part, 60)
