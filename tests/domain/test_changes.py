"""Which of several memories stand for a change, by their words and how close they are in meaning."""

from satchel.domain.change_likelihood import COSINE_FEATURES, changed_features, subject_features
from satchel.domain.change_weights import CHANGED, CHANGED_BY_WORDS, SAME_SUBJECT, SAME_SUBJECT_BY_WORDS
from satchel.domain.changes import ANNOUNCED, LIKELY, Changes, find_changes, likely_change
from satchel.domain.record import Kind, Memory, MemoryId, Trust
from satchel.domain.statements.comparable import analyse
from tests.tables import each_case

OLD, NEW = MemoryId("old"), MemoryId("new")


def changes(older: str, newer: str, cosine: float | None, *, trust: Trust = Trust.TRUSTED) -> Changes:
    memories = [
        Memory(id=OLD, text=older, scope="shop", created_at=1, updated_at=1, kind=Kind.FACT, trust=Trust.TRUSTED),
        Memory(id=NEW, text=newer, scope="shop", created_at=2, updated_at=2, kind=Kind.FACT, trust=trust),
    ]
    return find_changes(memories, [], lambda one, other: cosine)


@each_case(
    ("older", "newer", "cosine"),
    [
        ("Minimum Go version is 1.20 so that users can build from source.",
         "We raised the required toolchain to Go 1.22 with release 1.9.", 0.64),
        ("Taproom hours are Thursday to Sunday, 16 to 22.",
         "Winter hours of the taproom from November: Friday and Saturday only.", 0.73),
        ("Taproom hours are Thursday to Sunday, 16 to 22.",
         "Winter hours of the taproom from November: Friday and Saturday only.", None),
        ("Jobs are orchestrated with Airflow.", "Since this month Dagster orchestrates the jobs, Airflow is off.", 0.64),
        ("Packets are sent every 15 minutes.", "Changed after the trial: packets are sent every 40 minutes.", 0.82),
        ("My shoe size is 42.", "Since the surgery my shoe size is 43.", 0.8),
        ("管理費每坪 65 元。", "管理費調成每坪 72 元,明年元月生效。", 0.77),
        ("夜間建置用 Jenkins 跑。", "夜間建置在 Buildkite 跑，Jenkins 已經下線了。", 0.6),
        ("影像辨識用 ResNet 50。", "辨識跑 ConvNeXt，兩張卡夠用，ResNet 停掉。", 0.6),
    ],
)  # fmt: skip
def test_a_newer_memory_that_says_it_changes_an_older_one_stands_for_it(
    older: str, newer: str, cosine: float | None
) -> None:
    assert changes(older, newer, cosine).left_out == {OLD: NEW}


@each_case(
    ("older", "newer", "cosine"),
    [
        ("Errors are reported to Rollbar.",
         "Someone proposed switching errors from Rollbar to Sentry; nothing has been decided.", 0.76),
        ("Rehearsals are on Thursdays at 19:30.",
         "This Thursday only, the rehearsal has been moved to the music school.", 0.72),
        ("The history exam is on 9 June in room 204.", "The biology exam is on 12 June in room 118.", 0.75),
        ("The website is hosted at Infomaniak.", "The website has a new favicon and a darker footer.", 0.44),
        ("Issue 482: the search field loses focus after every letter.",
         "Issue 498: the search field was moved and now overlaps the menu.", 0.68),
        ("PAY-318 covers refunds in the search field.", "PAY-320: refunds in the search field have moved to the cart.", 0.87),
        ("Payments go through Stripe.", "We left Stripe in May; payments go through Adyen.", 0.2),
    ],
)  # fmt: skip
def test_a_proposal_an_exception_and_a_neighbour_change_nothing(older: str, newer: str, cosine: float) -> None:
    assert changes(older, newer, cosine) == Changes({}, {})


def test_a_change_that_is_only_likely_marks_the_older_memory() -> None:
    older = "Team lunch is on Tuesdays at the Thai place."
    newer = "Lunch with the team: Thursdays, canteen on the second floor."
    assert likely_change(analyse(newer), analyse(older), 0.7) == LIKELY
    assert changes(older, newer, 0.7).earlier == {OLD: NEW}


def test_an_untrusted_memory_changes_nothing_of_a_trusted_one() -> None:
    older, newer = "Payments go through Stripe.", "We left Stripe in May; payments go through Adyen."
    assert likely_change(analyse(newer), analyse(older), 0.7) == ANNOUNCED
    assert changes(older, newer, 0.7, trust=Trust.UNTRUSTED) == Changes({}, {})


def test_each_feature_has_a_weight() -> None:
    pair = analyse("We left Stripe in May."), analyse("Payments go through Stripe.")
    features = subject_features(*pair, 0.7), changed_features(*pair, 0.7)
    by_words = subject_features(*pair, None), changed_features(*pair, None)
    assert [len(one) for one in features] == [len(SAME_SUBJECT) - 1, len(CHANGED) - 1]
    assert [len(one) for one in by_words] == [len(SAME_SUBJECT_BY_WORDS) - 1, len(CHANGED_BY_WORDS) - 1]
    assert tuple(len(one) - len(other) for one, other in zip(features, by_words, strict=True)) == COSINE_FEATURES
