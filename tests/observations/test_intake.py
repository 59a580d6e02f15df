"""Intake: strict JSON, splitting of streams, dead letters, importance notations."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.strict_json import MAX_DEPTH
from satchel.errors import InvalidRequest
from satchel.observations.event import CaptureContext, read_object
from satchel.observations.intake import MAX_EVENT_BYTES, MAX_LETTER_CHARS, EventStream, parse_events
from tests.domain.safety.test_redact import WORD, made_up
from tests.tables import each_case

steady = settings(max_examples=100, deadline=None, derandomize=True)


@each_case(
    ("raw", "code"),
    [
        (b"", "not_json"),
        (b"nonsense", "not_json"),
        (b'{"a": 1', "not_json"),
        (b'{"a": 1} {"b": 2}', "not_json"),
        (b'{"a": NaN}', "not_json"),
        (b'{"a": -Infinity}', "not_json"),
        (b'{"a": 1e999}', "not_json"),
        (b'{"a": 1, "a": 2}', "not_json"),
        (b'{"a": "\x01"}', "not_json"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not_json"),
        (b"\x00" * 100, "not_json"),
        (b"[1]", "not_an_object"),
        (b"7", "not_an_object"),
        (b"null", "not_an_object"),
        (b'{"a": "\xff"}', "not_utf8"),
        (b'{"a":' * 80 + b"1" + b"}" * 80, "too_deep"),
        (b'{"a":' + b"[" * 100_000, "too_deep"),
    ],
)
def test_invalid_json_is_rejected_with_the_reason(raw: bytes, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_object(raw)
    assert refused.value.code == code


@each_case("raw", [b'\xef\xbb\xbf{"a": 1}', b'  {"a": 1}\r', b'{"a":1}\t'])
def test_a_byte_order_mark_and_surrounding_blanks_are_accepted(raw: bytes) -> None:
    assert read_object(raw) == {"a": 1}


def test_the_maximum_depth_is_accepted() -> None:
    deep = b'{"a":' * (MAX_DEPTH - 1) + b"1" + b"}" * (MAX_DEPTH - 1)
    assert read_object(deep)


def cut(data: bytes, size: int) -> list[bytes]:
    stream, found = EventStream(), list[bytes]()
    for start in range(0, len(data), size):
        found += stream.feed(data[start : start + size])
    return [raw for raw in (*found, *stream.end()) if raw.strip()]


@steady
@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=6), st.integers(1, 40))
def test_lines_are_split_correctly_however_they_arrive(events: list[dict[str, str]], size: int) -> None:
    data = "\n".join(json.dumps(one, ensure_ascii=False) for one in events).encode()
    assert [json.loads(raw) for raw in cut(data, size)] == events


@each_case("size", [1, 3, 7, 1000])
def test_one_object_may_span_several_lines(size: int) -> None:
    event = {"text": "x", "detail": {"a": [1, 2]}}
    assert [json.loads(raw) for raw in cut(json.dumps(event, indent=2).encode(), size)] == [event]


@each_case("size", [1, 5, 1000])
def test_an_invalid_first_line_does_not_affect_the_others(size: int) -> None:
    assert cut(b'{"a": 1,\n{"text": "x"}\nbad\n', size) == [b'{"a": 1,', b'{"text": "x"}', b"bad"]


def test_an_endless_line_is_kept_only_up_to_the_limit() -> None:
    stream = EventStream()
    for _ in range(40):
        assert stream.feed(b"x" * (1 << 19)) == []
    assert len(stream.end()[0]) == MAX_EVENT_BYTES + 1


def test_valid_events_become_lines_and_invalid_ones_dead_letters_without_secrets() -> None:
    key = "gh" + "p_" + made_up(WORD, 36, 1)
    raws = [
        b'{"text": "one"}',
        f"bad {key} line {'x' * 9000}".encode(),
        b'{"text": "[nomem] two"}',
        b'{"text": "three"}',
    ]
    found = parse_events(raws, CaptureContext(5, "global", nonce="n"), "capture:1")

    assert [json.loads(line)["text"] for line in found.lines] == ["one", "three"]
    assert (found.private, [(one.reason, one.offset, one.size) for one in found.letters]) == (
        1,
        [("not_json", 1, len(raws[1]))],
    )
    assert key not in found.letters[0].line and len(found.letters[0].line) == MAX_LETTER_CHARS
    assert len(set(found.keys)) == 2
