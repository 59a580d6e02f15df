"""Documents are parsed as their host parses them, and every edit is checked."""

from typing import Any, ClassVar

import pytest

from satchel.interfaces.install.documents import Document, Format, Uneditable, Unparsable, parsed
from satchel.interfaces.install.plain import MISSING, WrongShape, value_at, with_item, with_value, without
from tests.tables import each_case


@each_case("content", [b"{a: 1}", b'{"a": 1,}', b"// c\n{}", b"{'a': 1}", b"[" * 100_000, b"[]", b"1", b"\xff"])
def test_strict_json_has_no_extras(content: bytes) -> None:
    with pytest.raises(Unparsable):
        parsed(Format.JSON, content)


@each_case("content", [b"{a: 1}", b'{"a": 1,}', b"// c\n{a: 1}", b"\xef\xbb\xbf{'a': 1}"])
def test_json5_has_them(content: bytes) -> None:
    assert parsed(Format.JSON5, content).data == {"a": 1}


@each_case("content", [b"[" * 100_000, b"[]", b"a", b"\xff", b"{ //"])
def test_other_content_is_refused(content: bytes) -> None:
    with pytest.raises(Unparsable):
        parsed(Format.JSON5, content)


@each_case("content", [b"a", b"a = 1\na = 2", b"\xff", b"a = " + b"[" * 100_000])
def test_invalid_toml_is_refused(content: bytes) -> None:
    with pytest.raises(Unparsable):
        parsed(Format.TOML, content)


@each_case("format", list(Format))
def test_an_empty_file_is_an_empty_object(format: Format) -> None:
    document = parsed(format, b"")

    assert document.data == {}
    assert parsed(format, document.set(("a", "b"), 1).text.encode()).data == {"a": {"b": 1}}


def test_a_mark_at_the_beginning_stays() -> None:
    document = parsed(Format.JSON, b"\xef\xbb\xbf{}")

    assert document.set(("a",), 1).text == '\ufeff{\n  "a": 1\n}'


def test_an_edit_with_another_result_is_refused() -> None:
    wrong = Document(Format.JSON, '{"a": 1}', {"a": 2})

    with pytest.raises(Uneditable):
        wrong.set(("b",), 1)


def test_numbers_that_differ_from_themselves_can_be_kept() -> None:
    assert parsed(Format.JSON5, b"{a: NaN}").set(("b",), 1).text == '{a: NaN, "b": 1}'


class TestPlainData:
    data: ClassVar[Any] = {"a": {"b": [1, {"c": 2}]}}

    def test_values_are_found_by_path(self) -> None:
        assert value_at(self.data, ("a", "b", 1, "c")) == 2
        for path in (("x",), ("a", "x"), ("a", "b", 2), ("a", "b", -1), ("a", 0), ("a", "b", "c")):
            assert value_at(self.data, path) is MISSING

    def test_changes_leave_the_original_alone(self) -> None:
        assert with_value(self.data, ("a", "b", 1, "c"), 3) == {"a": {"b": [1, {"c": 3}]}}
        assert with_value(self.data, ("x", "y"), 3) == {**self.data, "x": {"y": 3}}
        assert with_item(self.data, ("a", "b"), 3) == {"a": {"b": [1, {"c": 2}, 3]}}
        assert without(self.data, ("a", "b", 0)) == {"a": {"b": [{"c": 2}]}}
        assert without(self.data, ("a", "x")) == self.data
        assert without(self.data, ("a",)) == {}
        assert self.data == {"a": {"b": [1, {"c": 2}]}}

    @each_case("path", [("a", 0), ("a", "b", "c"), ("a", "b", 0, "c")])
    def test_a_value_of_another_kind_on_the_way_is_named(self, path: tuple[str | int, ...]) -> None:
        with pytest.raises(WrongShape, match="a"):
            with_value(self.data, path, 1)
