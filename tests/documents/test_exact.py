"""Names and paths that a question spells out."""

import pytest

from satchel.documents.exact import Asked, asked_for, glob_of, standing, terms_of
from satchel.domain.document import DocKind, Place


def place(path: str = "a.py", heading: tuple[str, ...] = ()) -> Place:
    return Place("c", path, DocKind.CODE, heading, 1, 2, "0123456789")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("find the function parseAuthToken", [("parseAuthToken",)]),
        ("all usages of UserService and user_id", [("UserService",), ("user_id",)]),
        ("UserService.get", [("UserService", "get")]),
        ("render()", [("render",)]),
        ("auth", [("auth",)]),
        ("how do I sort a list", []),
        ("what is the relationship", []),
    ],
)
def test_names(query: str, names: list[tuple[str, ...]]) -> None:
    assert list(asked_for(query).names) == names


@pytest.mark.parametrize(
    "query", ["src/models/*.ts", "./a/b", "docs/", "**/x.md", "config.py", "a/b/c", "tests/unit", "see `lib/x.go`,"]
)
def test_paths(query: str) -> None:
    assert len(asked_for(query).paths) == 1


@pytest.mark.parametrize(
    "query",
    [
        "and/or",
        "TCP/IP",
        "24/7",
        "2026/03/17",
        "https://example.org/a/b.md",
        "Node.js",
        "version 3.11",
        "e.g.",
        "5 * 3",
        "I/O",
    ],
)
def test_what_only_looks_like_a_path_is_none(query: str) -> None:
    assert asked_for(query).paths == ()


def test_terms_hold_names_in_every_spelling() -> None:
    assert terms_of("where is parseAuthToken") == ("parseauthtoken", "parse", "auth", "token")


def test_defining_counts_more_than_mentioning_and_a_path_most() -> None:
    asked = Asked((("parseAuthToken",),))

    defines = standing(asked, place(heading=("Tokens", "parseAuthToken")), "def parseAuthToken")
    names = standing(asked, place(heading=("main",)), "x = parseAuthToken(y)")
    neither = standing(asked, place(heading=("main",)), "x = parseAuthTokens(y); parse auth token")
    path = standing(Asked(paths=("src/*.py",)), place("lib/src/a.py"), "")

    assert [way for _, way in (path, defines, names, neither)] == ["path", "defines", "names", ""]
    assert path[0] >= defines[0] > names[0] > neither[0] == 0


@pytest.mark.parametrize(
    ("pattern", "glob"), [("./a/b.md", "a/b.md"), ("/a/", "a/*"), ("**/x.md", "*x.md"), ("~/a/*.py", "a/*.py")]
)
def test_a_pattern_as_a_database_reads_it(pattern: str, glob: str) -> None:
    assert glob_of(pattern) == glob
