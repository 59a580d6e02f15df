"""Names and paths spelled out in a query."""

from satchel.documents.exact import ExactTerms, exact_match, exact_terms, glob_of, terms_of
from satchel.domain.document import ChunkLocation, DocKind
from tests.tables import each_case


def place(path: str = "a.py", heading: tuple[str, ...] = ()) -> ChunkLocation:
    return ChunkLocation("c", path, DocKind.CODE, heading, 1, 2, "0123456789")


@each_case(
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
    assert list(exact_terms(query).names) == names


@each_case(
    "query", ["src/models/*.ts", "./a/b", "docs/", "**/x.md", "config.py", "a/b/c", "tests/unit", "see `lib/x.go`,"]
)
def test_paths(query: str) -> None:
    assert len(exact_terms(query).paths) == 1


@each_case(
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
def test_words_that_only_look_like_paths_are_not(query: str) -> None:
    assert exact_terms(query).paths == ()


def test_search_terms_include_every_spelling_of_a_name() -> None:
    assert terms_of("where is parseAuthToken") == ("parseauthtoken", "parse", "auth", "token")


def test_a_path_gains_most_then_a_definition_then_a_mention() -> None:
    asked = ExactTerms((("parseAuthToken",),))

    defines = exact_match(asked, place(heading=("Tokens", "parseAuthToken")), "def parseAuthToken")
    names = exact_match(asked, place(heading=("main",)), "x = parseAuthToken(y)")
    neither = exact_match(asked, place(heading=("main",)), "x = parseAuthTokens(y); parse auth token")
    path = exact_match(ExactTerms(paths=("src/*.py",)), place("lib/src/a.py"), "")

    assert [way for _, way in (path, defines, names, neither)] == ["path", "defines", "names", ""]
    assert path[0] >= defines[0] > names[0] > neither[0] == 0


@each_case(
    ("pattern", "matches"),
    [("c/*.py", True), ("c/a.py", True), ("./c/**/*.py", True), ("a.py", True), ("d/*.py", False), ("*/c/*.py", False)],
)
def test_a_path_may_begin_with_the_name_of_its_collection(pattern: str, matches: bool) -> None:
    assert (exact_match(ExactTerms(paths=(pattern,)), place("a.py"), "")[1] == "path") is matches


@each_case(("pattern", "glob"), [("./a/b.md", "a/b.md"), ("/a/", "a/*"), ("**/x.md", "*x.md"), ("~/a/*.py", "a/*.py")])
def test_patterns_are_translated_to_sqlite_globs(pattern: str, glob: str) -> None:
    assert glob_of(pattern) == glob
