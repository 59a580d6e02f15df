"""Splitting a file into rows, and strict parsing."""

import json
from collections.abc import Callable, Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain import json_rows
from satchel.domain.json_rows import MAX_ROW_BYTES, RawRow, decode_row, open_rows
from satchel.domain.strict_json import parse_object
from satchel.errors import InvalidRequest
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=6)


def in_chunks(data: bytes, size: int) -> Iterator[bytes]:
    """Return bytes in arbitrary chunks, as from a pipe."""
    return (data[start : start + size] for start in range(0, len(data), size))


def read(data: bytes, size: int = 7, format: str | None = None) -> tuple[str, list[RawRow]]:
    found, raws = open_rows(in_chunks(data, size), format)
    return found, list(raws)


def reason(data: bytes) -> str:
    with pytest.raises(InvalidRequest) as refused:
        decode_row(data)
    return refused.value.code


class TestCutting:
    @steady
    @given(OBJECTS, st.integers(1, 40), st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n \n"]))
    def test_json_lines_round_trip(self, objects: list[object], size: int, bom: bool, end: str) -> None:
        text = "".join(json.dumps(one) + end for one in objects)
        found, raws = read((b"\xef\xbb\xbf" if bom else b"") + text.encode(), size)

        assert found == "jsonl"
        assert [decode_row(raw.data) for raw in raws] == objects

    @steady
    @given(OBJECTS, st.integers(1, 40), st.booleans(), st.sampled_from([None, 2]))
    def test_a_json_list_round_trips(self, objects: list[object], size: int, ascii: bool, indent: int | None) -> None:
        data = json.dumps(objects, ensure_ascii=ascii, indent=indent).encode("utf-8", "surrogatepass")
        found, raws = read(b"\n " + data + b"\n", size)

        assert found == "json"
        assert [decode_row(raw.data) for raw in raws] == objects
        assert [raw.number for raw in raws] == list(range(1, len(objects) + 1))

    def test_blank_lines_count_in_line_numbers(self) -> None:
        assert read(b'\n{"a":1}\n\n  \n{"b":2}')[1] == [RawRow(2, b'{"a":1}'), RawRow(5, b'{"b":2}')]

    @each_case("data", [b"", b"\n\n\n", b"\xef\xbb\xbf", b" \r\n\t", b"[]", b" [ ] \n"])
    def test_an_empty_file_has_no_rows(self, data: bytes) -> None:
        assert read(data)[1] == []

    @each_case("size", [1, 1000, 1 << 18])
    def test_a_row_that_is_too_long_is_reported_and_skipped(self, size: int) -> None:
        count = 5_000_000 if size > 1 else MAX_ROW_BYTES + 1
        long = b'{"text":"' + b"x" * count + b'"}'

        assert read(long + b"\n{}\n", size)[1] == [RawRow(1, problem="row_too_long"), RawRow(2, b"{}")]
        assert read(b"[" + long + b",{}]", size)[1] == [RawRow(1, problem="row_too_long"), RawRow(2, b"{}")]

    def test_a_file_is_read_up_to_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_rows, "MAX_TOTAL_BYTES", 10)

        assert read(b"{}\n" * 9, 3)[1] == [
            *(RawRow(number, b"{}") for number in (1, 2, 3)),
            RawRow(4, problem="file_too_large"),
        ]
        assert read(b"[{},{},{},{},{},{}]", 3)[1][-1].problem == "file_too_large"

    def test_a_broken_list_is_reported_after_its_valid_rows(self) -> None:
        assert read(b'[{"a":1},{"b":')[1] == [RawRow(1, b'{"a":1}'), RawRow(2, problem="cut_off")]
        assert read(b'[{"a":1}')[1] == [RawRow(1, b'{"a":1}'), RawRow(2, problem="cut_off")]
        assert read(b'[{"a":"x\\')[1] == [RawRow(1, problem="cut_off")]
        assert read(b"[{}] junk")[1] == [RawRow(1, b"{}"), RawRow(2, problem="trailing_data")]
        assert read(b"[{},]")[1] == [RawRow(1, b"{}"), RawRow(2, b"")]
        assert read(b'{"a":1}', format="json")[1] == [RawRow(1, problem="not_a_list")]


# Pieces of JSON of which some rows have duplicate keys, colons, escapes, and numbers that only one parser accepts.
_NAMES = ['"a"', '"b"', '"a:b"', '"\\u0061"', '"a\\u003ab"', '""', "a", '"\ud800"']
_VALUES = [
    *('"x"', '"::"', '"\\u003a"', '"\\\\u003a"', '"\\":"', '"\u00e9"', '"\\ud83d"', '"\\/"', '"\t"'),
    *(
        "1",
        "-0",
        "0.5",
        "1e5",
        "1e999",
        "NaN",
        "01",
        "1.",
        "+1",
        "9" * 17,
        "9" * 19,
        "9" * 20,
        f"-{'9' * 19}",
        "9" * 5000,
    ),
    *(
        "true",
        "null",
        "nil",
        "[]",
        '["x:", "y"]',
        '["x", 1]',
        "[[1]]",
        "{}",
        '{"x":"y:"}',
        '{"x":"", "x":""}',
        '{"x":{"y":1}}',
    ),
]
_PAIRS = st.lists(st.tuples(st.sampled_from(_NAMES), st.sampled_from(_VALUES)), max_size=4)


def _parse_strictly(data: bytes) -> dict[str, object]:
    return parse_object(data, "the row", bounded_integers=True)


def _result(parse: Callable[[bytes], Mapping[str, object]], data: bytes) -> str:
    """Return what a parser reads with the types, or the code of its error."""
    try:
        return repr(parse(data))
    except InvalidRequest as refused:
        return refused.code


class TestReading:
    @each_case(
        ("data", "code"),
        [
            (b"", "not_json"),
            (b"{", "not_json"),
            (b"{'a': 1}", "not_json"),
            (b'{"a": 1} x', "not_json"),
            (b'{"a": "\x00"}', "not_json"),
            (b"\x00\x00", "not_json"),
            (b'{"a": "\xff\xfe"}', "not_utf8"),
            (b'{"a": "\xed\xa0\x80"}', "not_utf8"),
            (b"[1]", "not_an_object"),
            (b'"text"', "not_an_object"),
            (b"null", "not_an_object"),
            (b'{"a": NaN}', "not_finite"),
            (b'{"a": -Infinity}', "not_finite"),
            (b'{"a": 1e999}', "not_finite"),
            (b'{"a": ' + b"9" * 900_000 + b"}", "not_finite"),
            (b'{"a": 1, "a": 2}', "duplicate_key"),
            (b'{"a": {"b": 1, "b": 1}}', "duplicate_key"),
            (b'{"a":' * 65 + b"1" + b"}" * 65, "too_deep"),
            (b"[" * 500_000, "too_deep"),
            (b'{"a":' * 200_000, "too_deep"),
        ],
    )
    def test_an_invalid_row_is_rejected_with_the_reason(self, data: bytes, code: str) -> None:
        assert reason(data) == code

    def test_brackets_in_a_text_are_not_nesting(self) -> None:
        assert decode_row(json.dumps({"text": "[{" * 500 + '\\"'}).encode()) == {"text": "[{" * 500 + '\\"'}

    def test_the_maximum_depth_is_accepted(self) -> None:
        assert decode_row(b'{"a":' * 64 + b"1" + b"}" * 64)

    @steady
    @given(_PAIRS, st.sampled_from(["", " "]))
    def test_a_row_is_what_the_strict_parser_reads(self, pairs: list[tuple[str, str]], blank: str) -> None:
        fields = f",{blank}".join(f"{name}{blank}:{value}" for name, value in pairs)
        data = f"{blank}{{{fields}}}{blank}".encode("utf-8", "surrogatepass")

        assert _result(decode_row, data) == _result(_parse_strictly, data)

    @steady
    @given(st.binary(max_size=60))
    def test_any_bytes_are_parsed_or_rejected(self, data: bytes) -> None:
        for format in ("json", "jsonl", None):
            for raw in read(data, 3, format)[1]:
                try:
                    assert raw.problem or isinstance(decode_row(raw.data), dict)
                except InvalidRequest as refused:
                    assert refused.code
