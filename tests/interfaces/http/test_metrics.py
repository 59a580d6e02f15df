"""Counters and their text: every line must be one that Prometheus can parse."""

import re

from satchel.interfaces.http.metrics import BUCKETS, Metrics, Sample, gauge, gauges, text_of
from tests.tables import each_case

LINE = re.compile(
    r"# (HELP [a-z_]+ [^\n]+|TYPE [a-z_]+ (counter|gauge|histogram))"
    r'|[a-z_]+(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? -?[0-9.e+-]+'
)


def recorded() -> Metrics:
    metrics = Metrics()
    metrics.record("/v1/recall", 200, 0.004, None)
    metrics.record("/v1/recall", 200, 0.005, None)
    metrics.record("/v1/recall", 400, 0.3, None)
    metrics.record("-", 401, 99.0, "bad_token")
    return metrics


def test_requests_are_counted_by_route_and_status_and_refusals_by_reason() -> None:
    lines = text_of(recorded().families()).splitlines()

    assert 'satchel_requests_total{route="/v1/recall",status="200"} 2' in lines
    assert 'satchel_requests_total{route="/v1/recall",status="400"} 1' in lines
    assert 'satchel_requests_total{route="-",status="401"} 1' in lines
    assert 'satchel_refused_requests_total{reason="bad_token"} 1' in lines


@each_case("bound, count", [("0.005", 2), ("0.01", 2), ("0.25", 2), ("0.5", 3), ("10", 3), ("+Inf", 3)])
def test_a_bucket_counts_what_took_at_most_its_bound(bound: str, count: int) -> None:
    line = f'satchel_request_duration_seconds_bucket{{route="/v1/recall",le="{bound}"}} {count}'

    assert line in text_of(recorded().families()).splitlines()


def test_a_histogram_has_its_sum_and_count() -> None:
    lines = text_of(recorded().families()).splitlines()

    assert 'satchel_request_duration_seconds_sum{route="/v1/recall"} 0.309' in lines
    assert 'satchel_request_duration_seconds_count{route="/v1/recall"} 3' in lines
    assert 'satchel_request_duration_seconds_bucket{route="-",le="+Inf"} 1' in lines
    assert sum(line.startswith("satchel_request_duration_seconds_bucket") for line in lines) == 2 * (len(BUCKETS) + 1)


def test_every_line_has_the_form_of_the_format() -> None:
    others = [
        gauge("satchel_uptime_seconds", "Time.", 1.5),
        gauges("satchel_odd", "Odd labels.", "kind", {'a"b\\c\nd': 1e12, "": -1}),
    ]
    lines = text_of([*recorded().families(), *others]).splitlines()

    assert [line for line in lines if not LINE.fullmatch(line)] == []
    assert 'satchel_odd{kind="a\\"b\\\\c\\nd"} 1e+12' in lines


def test_a_sample_without_labels_has_no_braces() -> None:
    assert Sample(1.0).labels == {}
    assert text_of([gauge("a", "b", 3)]) == "# HELP a b\n# TYPE a gauge\na 3\n"
