"""Strict JSON: what is refused, with which code, and what the parameters allow."""

import pytest

from satchel.domain.strict_json import MAX_DEPTH, MAX_DIGITS, parse_json, parse_object
from satchel.errors import InvalidRequest
from tests.tables import each_case

NINES = "9" * MAX_DIGITS


def code_of(data: bytes | str, **options: bool) -> str:
    with pytest.raises(InvalidRequest) as refused:
        parse_object(data, "the input", **options)
    assert refused.value.message.startswith("the input ")
    return refused.value.code


@each_case(
    ("data", "code"),
    [
        (b"\xff", "not_utf8"),
        ("", "not_json"),
        ("{'a': 1}", "not_json"),
        ('{"a": ' + "9" * 5000 + "}", "not_json"),
        ('{"a": 1, "a": 1}', "duplicate_key"),
        ('{"b": {"a": 1, "a": 1}}', "duplicate_key"),
        ('{"a": NaN}', "not_finite"),
        ('{"a": Infinity}', "not_finite"),
        ('{"a": -1e999}', "not_finite"),
        ("[]", "not_an_object"),
        ("null", "not_an_object"),
        ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "too_deep"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "too_deep"),
        ('{"a":' * 100_000, "too_deep"),
    ],
)
def test_anything_but_one_strict_object_is_refused(data: bytes | str, code: str) -> None:
    assert code_of(data) == code


def test_nesting_up_to_the_limit_and_brackets_in_strings_are_read() -> None:
    assert parse_object('{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH, "it")
    assert parse_object('{"a": "' + "[" * 500 + '"}', "it") == {"a": "[" * 500}
    assert parse_object("{" + ",".join(f'"{key}": []' for key in range(100)) + "}", "it")


def test_padding_is_allowed_only_where_asked_for() -> None:
    padded = b'\xef\xbb\xbf {"a": 1}\x0c'

    assert parse_object(padded, "it", padded=True) == {"a": 1}
    assert code_of(padded) == "not_json"


def test_integers_are_bounded_only_where_asked_for() -> None:
    assert parse_object(f'{{"a": {NINES}}}', "it", bounded_integers=True) == {"a": int(NINES)}
    assert parse_object(f'{{"a": {NINES}9}}', "it") == {"a": int(NINES + "9")}
    assert code_of(f'{{"a": {NINES}9}}', bounded_integers=True) == "not_finite"


def test_any_json_value_can_be_parsed() -> None:
    assert parse_json("[1, null]", "it") == [1, None]
