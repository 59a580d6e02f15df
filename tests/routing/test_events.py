"""Events as moments: which event a question names, which records state it, and when it was."""

from datetime import UTC, datetime

from satchel.domain.moment import DAY_MS
from satchel.routing.events import asked_event, event_moment, event_period, moment_taken
from satchel.routing.lanes import LaneHit
from tests.tables import each_case

NOW = int(datetime(2026, 3, 18, 15, tzinfo=UTC).timestamp() * 1000)


def _said(text: str, days_ago: int, id: str = "one") -> LaneHit:
    return LaneHit(id, text, 0.5, NOW - days_ago * DAY_MS)


@each_case(
    ("query", "name", "before", "versions"),
    [
        ("what happened since the last release", "the last release", False, ()),
        ("what did we decide before we shipped 2.1", "we shipped 2.1", True, ("2.1",)),
        ("what was decided before release 61 about photos", "release 61", True, ("61",)),
        ("what was fixed after the latest deployment?", "the latest deployment", False, ()),
        ("what changed since v3.0.1", "v3.0.1", False, ("3.0.1",)),
        ("since the launch, what broke", "the launch", False, ()),
        ("上次發布之後改了什麼", "上次發布", False, ()),
        ("上线以前决定了什么", "上线", True, ()),
    ],
)
def test_a_question_names_a_release(query: str, name: str, before: bool, versions: tuple[str, ...]) -> None:
    event = asked_event(query)

    assert event is not None and event.is_release
    assert (event.name, event.before, event.versions) == (name, before, versions)


@each_case(
    "query",
    [
        "what did we decide about the oven",
        "last release",
        "why is the before hook slow",
        "昨天改了什麼",
        "until what time may we deploy",
        "",
    ],
)
def test_a_question_without_a_moment_names_no_release(query: str) -> None:
    event = asked_event(query)

    assert event is None or not event.is_release


@each_case(
    "text",
    [
        "Deployed release 61 to production.",
        "we shipped 2.1 and went home",
        "Version 4 is out",
        "ran: git tag -a v2.1",
        "npm publish done",
        "已發布到正式環境",
        "部署了新版本",
    ],
)
def test_a_statement_of_a_release_gives_its_moment(text: str) -> None:
    event = asked_event("what happened since the last release")
    assert event is not None
    moment = event_moment(event, [_said(text, 3)], NOW)

    assert moment is not None
    assert moment.at == NOW - 3 * DAY_MS


@each_case(
    "text",
    [
        "we will be deployed by Monday",
        "when was it released?",
        "not shipped yet",
        "Deployed to staging.",
        "the release notes are long",
        "no production deploys after four",
        "還沒發布了",
    ],
)
def test_a_plan_a_question_or_a_denial_states_no_release(text: str) -> None:
    event = asked_event("what happened since the last release")
    assert event is not None

    assert event_moment(event, [_said(text, 3)], NOW) is None


def test_the_newest_statement_counts_and_a_version_has_to_match() -> None:
    records = [_said("Deployed release 60.", 9), _said("Deployed release 61.", 2), _said("released in 2027", -20)]
    last, older = asked_event("what happened since the last release"), asked_event("what happened before release 60")
    assert last is not None and older is not None
    newest, matching = event_moment(last, records, NOW), event_moment(older, records, NOW)

    assert newest is not None and newest.at == NOW - 2 * DAY_MS
    assert matching is not None and matching.at == NOW - 9 * DAY_MS
    assert event_period(older, matching, NOW).holds(NOW - 10 * DAY_MS)
    assert not event_period(last, newest, NOW).holds(newest.at)
    assert event_period(last, newest, NOW).holds(NOW)
    assert (
        moment_taken(last, newest)
        == '"since the last release": taken as Monday 16 March 2026, from "Deployed release 61."'
    )


def test_a_day_that_the_statement_names_is_the_moment() -> None:
    event = asked_event("what happened since the last release")
    assert event is not None
    moment = event_moment(event, [_said("yesterday we deployed at noon", 2)], NOW)

    assert moment is not None and moment.whole_day
    assert moment.at == int(datetime(2026, 3, 15, tzinfo=UTC).timestamp() * 1000)


def test_another_event_has_to_be_stated_in_its_own_words() -> None:
    event = asked_event("what changed since the flood in the cellar")
    assert event is not None and not event.is_release

    assert event_moment(event, [_said("the flood ruined the cellar", 5)], NOW) is not None
    assert event_moment(event, [_said("the cellar is dry", 5), _said("if a flood fills the cellar", 4)], NOW) is None
