"""When two statements contradict each other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.contradiction import Contradiction, contradiction
from satchel.domain.statements.comparable import analyse
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
        ("The clinic opens at 8:30 on weekdays", "Since October the clinic opens at 8:00 on weekdays", NUMBER),
        ("Lunch is at 12:30", "As of 3 March 2027, lunch is at 12:00", NUMBER),
        ("Standup is at 9:00", "Starting next week, standup is at 9:30", NUMBER),
        ("預設語言是日文", "從這個月起預設語言是韓文", VALUE),
        ("We use Grafana for dashboards", "Because the licence ran out, we use Superset for dashboards", VALUE),
        ("報表用 PostgreSQL", "因為太慢，報表用 DuckDB", VALUE),
        ("會費是 200 元", "自明年開始，會費是 300 元", NUMBER),
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
        ("The shop is open from Monday to Friday", "The shop is open from Tuesday to Saturday"),
        ("從台北到高雄搭高鐵", "從台中到高雄搭高鐵"),
        ("", "Use tabs"),
    ],
)
def test_other_pairs_do_not_contradict(one: str, other: str) -> None:
    assert contradiction(analyse(one), analyse(other)) is None
    assert contradiction(analyse(other), analyse(one)) is None


@steady
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    first, second = analyse(one), analyse(other)
    assert contradiction(first, second) == contradiction(second, first)
    assert contradiction(first, first) is None
