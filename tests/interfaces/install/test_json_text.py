"""JSON and JSON5 are edited as text: what is inserted and removed again leaves every byte as it was."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.interfaces.install.json_text import append_at, remove_at, set_at
from satchel.interfaces.install.json_tree import JsonSyntaxError, parse
from satchel.interfaces.install.plain import WrongShape
from tests.tables import each_case

SERVER = {"command": "/bin/satchel", "args": ["mcp"]}


class TestParse:
    @each_case(
        "text, value",
        [
            ("{}", {}),
            (' \n[1, -2.5e3, "a\\u00e9\\n", true, false, null]\t', [1, -2500.0, "aé\n", True, False, None]),
            (
                "{a: 1, $b_2: 'it\\'s', \"c\": +.5, d: 0xFF, e: 5.,}",
                {"a": 1, "$b_2": "it's", "c": 0.5, "d": 255, "e": 5.0},
            ),
            ("// one\n{/* two */ 'a' /* three */: /* four */ [1 /* five */, 2,] // six\n} // seven", {"a": [1, 2]}),
            ("'line \\\nbreak \\x41\\v\\0'", "line break A\v\0"),
            ('"\\ud83d\\ude00"', "😀"),
            ('{"a": 1, "a": 2}', {"a": 2}),
            ('{"é": 1, über: 2}', {"é": 1, "über": 2}),
            ('"// not a comment"', "// not a comment"),
        ],
    )
    def test_json5_is_read(self, text: str, value: Any) -> None:
        assert parse(text).value == value

    @each_case(
        "text",
        ["", "{", "[1 2]", "{a}", "{a: }", "{,}", "[,]", "{} {}", "'open", '"a\nb"', "/* open", "nope", "{1: 2}"],
    )
    def test_other_text_is_refused(self, text: str) -> None:
        with pytest.raises(JsonSyntaxError, match="line"):
            parse(text)

    @each_case("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 300 + "]" * 300])
    def test_deep_nesting_is_refused(self, text: str) -> None:
        with pytest.raises(JsonSyntaxError, match="deep"):
            parse(text)

    def test_an_endless_number_is_refused(self) -> None:
        with pytest.raises(JsonSyntaxError, match="too long"):
            parse("9" * 100_000)

    def test_a_comment_does_not_take_long(self) -> None:
        assert parse("/*" + " *" * 200_000 + "/ 1").value == 1


class TestEdit:
    @each_case(
        "before, after",
        [
            ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "k": 2\n}\n'),
            ('{\n\t"a": {\n\t\t"b": 1\n\t}\n}', '{\n\t"a": {\n\t\t"b": 1\n\t},\n\t"k": 2\n}'),
            ('{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "k": 2\r\n}'),
            ('{"a":1,"b":"c"}', '{"a":1,"b":"c","k":2}'),
            ('{"a": 1}', '{"a": 1, "k": 2}'),
            ('{ "a": 1 }', '{ "a": 1, "k": 2 }'),
            ("{\n  a: 1, // mine\n}", '{\n  a: 1, // mine\n  "k": 2,\n}'),
            ("{\n  a: 1 // mine\n}", '{\n  a: 1, // mine\n  "k": 2\n}'),
            ("{\n  a: 1\n  // the end\n}", '{\n  a: 1,\n  "k": 2\n  // the end\n}'),
            ("{}", '{\n  "k": 2\n}'),
        ],
    )
    def test_a_member_is_added_in_the_layout_of_the_file(self, before: str, after: str) -> None:
        assert set_at(before, ("k",), 2) == after
        assert remove_at(after, ("k",)) == before

    def test_objects_on_the_way_are_created(self) -> None:
        text = set_at("{}\n", ("mcpServers", "satchel"), SERVER)

        assert text.startswith('{\n  "mcpServers": {\n    "satchel": {\n      "command": "/bin/satchel",\n')
        assert json.loads(text) == {"mcpServers": {"satchel": SERVER}}

    def test_a_value_is_replaced_in_place(self) -> None:
        assert set_at("{\n  a: 1, // one\n  b: 2,\n}", ("a",), "x") == '{\n  a: "x", // one\n  b: 2,\n}'

    def test_the_last_of_two_equal_names_counts(self) -> None:
        assert set_at('{"a": 1, "a": 2}', ("a",), 3) == '{"a": 1, "a": 3}'

    @each_case(
        "before, after, path",
        [
            ('{\n  "k": 1,\n  "b": 2\n}', '{\n  "b": 2\n}', ("k",)),
            ('{\n  "a": 1,\n  "k": 1,\n  "b": 2\n}', '{\n  "a": 1,\n  "b": 2\n}', ("k",)),
            ("{\n  // above\n  k: 1,\n}", "{\n  // above\n}", ("k",)),
            ("{ // above\n k: 1}", "{ // above\n }", ("k",)),
            ("[1, // one\n 2]", "[1 // one\n ]", (1,)),
            ("[1, // one\n 2, 3]", "[1, // one\n  3]", (1,)),
            ('{"a": [1, 2, 3]}', '{"a": [1, 3]}', ("a", 1)),
            ('{"a": [1, 2, 3]}', '{"a": [1, 2]}', ("a", 2)),
            ('{"a": 1}', '{"a": 1}', ("b", "c")[:1]),
        ],
    )
    def test_a_member_is_removed_with_its_comma(self, before: str, after: str, path: tuple[str | int, ...]) -> None:
        assert remove_at(before, path) == after

    def test_an_item_is_added(self) -> None:
        assert append_at('{"a": [\n  1\n]}', ("a",), 2) == '{"a": [\n  1,\n  2\n]}'
        assert json.loads(append_at("{}", ("a", "b"), 2)) == {"a": {"b": [2]}}

    @each_case("path", [("a", "b"), ("list", "b"), ("text", "b", "c")])
    def test_a_value_of_another_kind_on_the_way_is_an_error(self, path: tuple[str, ...]) -> None:
        text = '{"a": 1, "list": [], "text": "x"}'
        for edit in (set_at, append_at):
            with pytest.raises(WrongShape, match=path[0]):
                edit(text, path, 1)
        with pytest.raises(WrongShape):
            append_at(text, ("a",), 1)


names = st.text(string.ascii_letters + '_"\\é', min_size=1, max_size=5).filter(lambda name: name != "satchel")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
blanks = st.sampled_from(["", "", "", " ", "\n", "\n  ", "\r\n\t", "  "])
comments = st.sampled_from([" // it, is: {a} \n", "/* { */", " /* \n */ ", "// x\r\n  "])


@st.composite
def laid_out(draw: st.DrawFn, value: Any, between: st.SearchStrategy[str], commas: st.SearchStrategy[str]) -> str:
    """A text of a value with white space, comments and trailing commas wherever they may be."""

    def gap() -> str:
        return draw(between)

    def text(one: Any) -> str:
        if isinstance(one, dict):
            inner = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{text(item)}{gap()}" for key, item in one.items()]
            return "{" + ",".join(inner) + (draw(commas) if inner else "") + gap() + "}"
        if isinstance(one, list):
            inner = [f"{gap()}{text(item)}{gap()}" for item in one]
            return "[" + ",".join(inner) + (draw(commas) if inner else "") + gap() + "]"
        return json.dumps(one, ensure_ascii=draw(st.booleans()))

    return gap() + text(value) + gap()


json_texts = st.dictionaries(names, values, max_size=5).flatmap(lambda one: laid_out(one, blanks, st.just("")))
json5_texts = st.dictionaries(names, values, max_size=5).flatmap(
    lambda one: laid_out(one, blanks | comments, st.sampled_from(["", ",", " ,"]))
)


def _containers(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    own = [path] if isinstance(value, dict | list) else []
    return own + [found for key, one in inner for found in _containers(one, (*path, key))]


@given(text=json_texts | json5_texts, added=values, data=st.data())
def test_what_is_inserted_and_removed_again_leaves_no_trace(text: str, added: Any, data: st.DataObject) -> None:
    before = parse(text).value
    path = data.draw(st.sampled_from(_containers(before)))
    holder = before
    for key in path:
        holder = holder[key]
    if isinstance(holder, dict):
        place: tuple[str | int, ...] = (*path, "satchel")
        inserted = set_at(text, place, added)
        holder["satchel"] = added
    else:
        place = (*path, len(holder))
        inserted = append_at(text, path, added)
        holder.append(added)

    assert parse(inserted).value == before
    assert remove_at(inserted, place) == text


@given(text=json_texts, added=values)
def test_strict_json_stays_strict(text: str, added: Any) -> None:
    inserted = set_at(text, ("satchel", "deep"), added)

    assert json.loads(inserted) == json.loads(text) | {"satchel": {"deep": added}}


@given(text=json5_texts, data=st.data())
def test_removing_anything_leaves_the_rest(text: str, data: st.DataObject) -> None:
    before = parse(text).value
    holder = before
    path: tuple[str | int, ...] = ()
    while holder:
        key = data.draw(st.sampled_from(list(holder if isinstance(holder, dict) else range(len(holder)))))
        path = (*path, key)
        if not isinstance(holder[key], dict | list) or data.draw(st.booleans()):
            del holder[key]
            break
        holder = holder[key]
    else:
        return

    assert parse(remove_at(text, path)).value == before
