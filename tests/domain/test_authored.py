"""Scope tags: where they count, which lines they apply to, and how they are removed."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.authored import (
    INJECTED_ELEMENTS,
    MAX_LAYERS,
    MAX_TAGGED_LINES,
    ScopedLine,
    remove_tags,
    scoped_lines,
    tagged_scope,
)
from tests.tables import each_case

steady = settings(max_examples=400, deadline=None, derandomize=True)

pieces = st.sampled_from(
    [
        "[SCOPE: a]",
        "[iso: b]",
        "[ ScOpE : c d ]",
        "[SCOPE: ]",
        "[SCOPE:",
        "- ",
        "> ",
        "1. ",
        "[ ] ",
        "[x]",
        "```",
        "~~~~",
        "<relevant-memories>",
        "</relevant-memories>",
        "<!-- openclaw-mem-engine:autoRecall",
        "-->",
        "word ",
        " ",
        "\n",
        "\r\n",
        "\u2028",
        "\ufeff",
    ]
)
texts = st.one_of(
    st.lists(pieces, max_size=24).map("".join), st.text(st.characters(exclude_categories=()), max_size=40)
)


@each_case(
    ("text", "name"),
    [
        ("[SCOPE: team]\nhello", "team"),
        ("[scope:team] hello", "team"),
        ("[ Iso  :  team a ] hello", "team a"),
        ("[SCOPE：团队] 你好", "团队"),
        ("first line\n[SCOPE: team]", "team"),
        ("\ufeff[SCOPE: team] hello", "team"),
        ("> [SCOPE: team] quoted", "team"),
        ("- [ ] [SCOPE: team] buy milk", "team"),
        ("  2) [SCOPE: team] buy milk", "team"),
        ("（3） [SCOPE: team] 买牛奶", "team"),
        ("[SCOPE: a] [ISO: b] hello", "b"),
        ("[SCOPE: a]\n[ISO: b]\n[ISO: c]", "b"),
        ("[SCOPE: a]\n[SCOPE: b]", "a"),
    ],
)
def test_a_tag_in_front_of_a_line_names_the_scope(text: str, name: str) -> None:
    assert tagged_scope(text) == name


@each_case(
    "text",
    [
        "",
        "hello [SCOPE: team]",
        "[SCOPE: ] hello",
        "[SCOPE team] hello",
        "[SCOPES: team] hello",
        "[[SCOPE: team]]",
        "[SCOPE: a\nb]",
        "```\n[SCOPE: team]\n```",
        "~~~ yaml\n[SCOPE: team]",
        "> ```\n> [SCOPE: team]\n> ```",
        "````\n```\n[SCOPE: team]\n````",
        "<relevant-memories>\n1. [SCOPE: team]\n</relevant-memories>",
        "<relevant-memories>\n[SCOPE: team]",
        '<Relevant-Memories version="1">\n[SCOPE: team]\n</RELEVANT-MEMORIES >',
        "<!-- openclaw-mem-engine:autoRecall\n[SCOPE: team] -->",
        "hello <system-reminder>\n[SCOPE: team]\n</system-reminder>",
    ],
)
def test_a_tag_elsewhere_is_ignored(text: str) -> None:
    assert tagged_scope(text) is None
    assert remove_tags(text) == text


@each_case("layer", ["> ", "- ", "* ", "• ", "1. ", "(2) ", "[ ] ", "[x] "])
def test_a_tag_is_found_behind_limited_layout(layer: str) -> None:
    assert tagged_scope(layer * MAX_LAYERS + "[SCOPE: deep] text") == "deep"
    assert tagged_scope(layer * (MAX_LAYERS + 1) + "[SCOPE: deep] text") is None


def test_a_tag_after_a_fence_or_a_block_counts() -> None:
    assert tagged_scope("```\ncode\n```\n[SCOPE: team] hello") == "team"
    assert tagged_scope("`code` and ``` more ``` code\n[SCOPE: team] hello") == "team"
    for element in INJECTED_ELEMENTS:
        assert tagged_scope(f"<{element}>\n[ISO: other]\n</{element}>\n[SCOPE: team] hello") == "team"


def test_a_fence_inside_an_injected_block_hides_nothing_after_it() -> None:
    assert tagged_scope("<relevant-memories>\n```\n</relevant-memories>\n[SCOPE: team] hello") == "team"


def test_only_the_first_lines_are_searched_for_the_scope_of_a_text() -> None:
    assert tagged_scope("x\n" * (MAX_TAGGED_LINES - 1) + "[SCOPE: team]") == "team"
    assert tagged_scope("x\n" * MAX_TAGGED_LINES + "[SCOPE: team]") is None


@each_case(
    ("text", "left"),
    [
        ("[SCOPE: team] what did we decide?", "what did we decide?"),
        ("[SCOPE: team]\nwhat did we decide?", "what did we decide?"),
        ("[SCOPE: team]\r\nwhat did we decide?", "what did we decide?"),
        ("- [SCOPE: team] [ISO: b] what?", "- what?"),
        ("- [SCOPE: team]\nwhat?", "what?"),
        ("what?\n[SCOPE: team]", "what?\n"),
        ("[SCOPE: team]", ""),
        ("a [SCOPE: team] b", "a [SCOPE: team] b"),
        ("[SCOPE: a]<relevant-memories>x</relevant-memories>", "<relevant-memories>x</relevant-memories>"),
    ],
)
def test_a_question_is_asked_without_its_tags(text: str, left: str) -> None:
    assert remove_tags(text) == left


@steady
@given(texts)
@example("- [SCOPE: a] > [SCOPE: b]")
@example("[SCOPE: a] ```\n```\n[SCOPE: b]\n```")
def test_no_tag_is_left_after_removal(text: str) -> None:
    left = remove_tags(text)
    assert tagged_scope(left) is None
    assert remove_tags(left) == left


@steady
@given(texts)
def test_removing_tags_changes_no_other_word(text: str) -> None:
    assert [line.text for line in scoped_lines(remove_tags(text))] == [line.text for line in scoped_lines(text)]


def scopes(text: str) -> dict[str, str | None]:
    return {line.text: line.scope for line in scoped_lines(text)}


def test_a_tag_governs_its_line_and_alone_the_next_one() -> None:
    text = "[SCOPE: a] one\ntwo\n[SCOPE: b]\nthree\nfour\n[ISO: c]\n[SCOPE: d] five\n[SCOPE: e]\n\nsix"
    assert scopes(text) == {"one": "a", "two": None, "three": "b", "four": None, "five": "d", "six": None}


def test_a_tag_governs_nothing_across_a_fence_or_a_block() -> None:
    assert scopes("[SCOPE: a]\n```\ncode\n```\none") == {"one": None}
    assert scopes("[SCOPE: a]\n<relevant-memories>\nx\n</relevant-memories>\none") == {"one": None}


def test_layout_is_separated_from_the_text_of_a_line() -> None:
    assert list(scoped_lines("> - [x] [SCOPE: a] buy milk  ")) == [ScopedLine("buy milk", "> - [x] ", "a", opens=False)]


def test_a_line_after_a_blank_line_opens_a_block() -> None:
    text = "one\ntwo\n\nthree\n```\ncode\n```\nfour\n[SCOPE: a]\nfive"
    assert {line.text: line.opens for line in scoped_lines(text)} == {
        "one": False,
        "two": False,
        "three": True,
        "four": True,
        "five": False,
    }


def test_a_tag_far_down_still_governs_its_line() -> None:
    assert scopes("x\n" * 500 + "[SCOPE: a] one")["one"] == "a"


@each_case(
    "text",
    [
        "[SCOPE:" + " " * 200_000,
        "[SCOPE: " * 40_000,
        "<relevant-memories>" * 40_000,
        "<relevant-memories " * 40_000,
        "- " * 100_000,
        "`" * 200_000,
        "</relevant-memories" + " " * 200_000,
    ],
)
def test_a_hostile_text_is_read_in_one_pass(text: str) -> None:
    tagged_scope(text)
    remove_tags(text)
    list(scoped_lines(text))
