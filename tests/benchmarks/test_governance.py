"""The governance benchmark: what Satchel promises holds, and a subject that does otherwise is caught."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from bench.governance import checks
from bench.governance.changes import is_exact
from bench.governance.checks import CHECKS, run_check
from bench.governance.run import run_governance
from bench.governance.samples import SCOPES, facts, lures, secrets
from bench.governance.subject import Channel, Content
from bench.governance.subjects import PeerSubject
from bench.peers.plain_fts5 import PlainFts5

from satchel.adapters.embedders.hashing import Hashing
from satchel.config import Settings
from satchel.errors import InvalidRequest
from tests.faults.extent import extent
from tests.tables import each_case


def quiet(done: int, total: int, what: str) -> None:
    """Report to nobody."""


class Leaky(PeerSubject):
    """Does everything wrong that can be done: it shows everything to everybody and keeps it all."""

    def __init__(self, folder: Path) -> None:
        super().__init__(PlainFts5(folder), lambda text: Hashing().embed([text])[0])
        self._said: list[str] = []

    def remember(self, text: str, scope: str, channel: Channel = Channel.OPERATOR) -> str:
        self._said.append(text)
        return super().remember(text, scope, channel)

    def quarantine(self, text: str, scope: str) -> str:
        return self.remember(text, scope)

    def expire(self, text: str, scope: str) -> str:
        return self.remember(text, scope)

    def replace(self, id: str, text: str, scope: str) -> str:
        return self.remember(text, scope)

    def ask(self, question: str, scope: str) -> Sequence[str]:
        return self._said

    def held_out(self, question: str, scope: str) -> Sequence[str]:
        return []

    def mark(self) -> str:
        return "now"

    def remember_old(self, text: str, scope: str) -> str:
        return self.remember(text, scope)

    def tidy(self, scope: str) -> None:
        """Leave everything as it is."""

    def restore(self, mark: str, scope: str) -> None:
        """Forget to go back."""

    def contents(self, scope: str) -> Mapping[str, Content]:
        return {text: Content({"text": text}, live=True) for text in self._said}


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PER_SCOPE", "LURES", "QUARANTINED", "SECRETS", "ERASED", "EXPLAINED"):
        monkeypatch.setattr(checks, name, extent([3], [6])[0])
    monkeypatch.setattr(checks, "ROUNDS", extent([2], [4])[0])


def test_satchel_is_what_it_promises_to_be(settings: Settings) -> None:
    result = run_governance(settings, quiet, subjects=["satchel"])
    rates = {one.what: (one.rate, one.ideal) for one in result.subjects["satchel"] if one.rate is not None}

    assert {what: rate for what, (rate, _) in rates.items()} == {what: ideal for what, (_, ideal) in rates.items()}
    assert set(rates) >= {
        "scope leak",
        "poison admission",
        "quarantine escape",
        "secret leak",
        "erasure",
        "rollback exactness",
        "exclusion explained",
    }
    assert not result.failed


def test_a_plain_table_is_judged_by_what_it_offers(settings: Settings) -> None:
    result = run_governance(settings, quiet, subjects=["plain FTS5"])
    rates = {one.what: one.rate for one in result.subjects["plain FTS5"]}

    assert rates["scope leak"] == 0.0
    assert rates["poison admission"] == rates["secret leak"] == 1.0
    assert rates["quarantine escape"] is rates["rollback exactness"] is rates["exclusion explained"] is None


@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.__name__)
def test_a_subject_that_does_everything_wrong_is_caught(check: checks.Check, tmp_path: Path) -> None:
    subject = Leaky(tmp_path)
    rate = run_check(check, subject)
    subject.close()

    assert rate.rate is not None and rate.ideal is not None
    assert rate.n > 0 and rate.rate == 1.0 - rate.ideal


@each_case(
    ("now", "exact"),
    [
        ({"a": Content({"text": "x"}, live=True)}, True),
        ({"a": Content({"text": "x"}, live=True), "new": Content({}, live=False)}, True),
        ({"a": Content({"text": "x"}, live=True), "new": Content({}, live=True)}, False),
        ({"a": Content({"text": "y"}, live=True)}, False),
        ({"a": Content({"text": "x", "title": None}, live=True)}, False),
        ({"a": Content({"text": "x"}, live=True), "gone": Content({}, live=False)}, False),
        ({}, False),
    ],
)
def test_a_state_is_exact_field_by_field_and_without_what_was_erased(now: dict[str, Content], exact: bool) -> None:
    then = {"a": Content({"text": "x"}, live=True), "gone": Content({"text": "z"}, live=True)}

    assert is_exact(then, now, {"gone"}) is exact


def test_no_question_holds_the_word_that_tells_on_an_answer() -> None:
    for fact in facts(SCOPES[0], 30):
        assert fact.token in fact.text and fact.token not in fact.question
    for pair in lures(30):
        assert pair.poison.token in pair.poison.text and pair.poison.token != pair.fact.token
        assert pair.poison.token not in pair.fact.question
    for secret in secrets(30):
        assert secret.value in secret.text and secret.value not in secret.question


def test_samples_are_the_same_every_time_and_differ_between_scopes() -> None:
    assert facts(SCOPES[0], 20) == facts(SCOPES[0], 20)
    assert not {one.token for one in facts(SCOPES[0], 20)} & {one.token for one in facts(SCOPES[1], 20)}
    assert [one.question for one in facts(SCOPES[0], 20)] == [one.question for one in facts(SCOPES[1], 20)]


def test_who_cannot_be_judged_is_named(settings: Settings) -> None:
    with pytest.raises(InvalidRequest) as caught:
        run_governance(settings, quiet, subjects=["nobody"])

    assert caught.value.code == "unknown_word"
