"""Search by words, meaning and both; exact names and paths first."""

from typing import Any

import pytest

from satchel.app import Satchel
from satchel.documents.values import DocMode
from satchel.errors import SatchelError
from tests.tables import each_case

CODE = '''import jwt


def parseAuthToken(token):
    """Read a token."""
    return jwt.decode(token)


class SessionStore:
    def renew(self, session_id):
        return parseAuthToken(session_id)
'''


@pytest.fixture
def stocked(memory: Satchel) -> Satchel:
    texts = [
        {"ref": "src/auth/tokens.py", "text": CODE},
        {"ref": "src/models/user.ts", "text": "export class UserModel {\n  user_id = 1;\n}\n"},
        {"ref": "src/models/order.ts", "text": "export class OrderModel {\n  order_id = 1;\n}\n"},
        {"ref": "docs/decisions.md", "text": "# Decisions\n\n## Storage\n\nWe chose SQLite over a server.\n"},
        {"ref": "docs/tokens.md", "text": "# Tokens\n\nparse auth token parse auth token parse auth token\n"},
    ]
    memory.documents.add(texts, collection="app")
    return memory


def refs(memory: Satchel, query: str, **more: Any) -> list[str]:
    return [hit.ref for hit in memory.documents.search(query, **more).result.hits]


@pytest.mark.parametrize("mode", ["search", "query"])
@pytest.mark.parametrize("query", ["parseAuthToken", "find the function parseAuthToken", "parseAuthToken()"])
def test_definitions_rank_before_mentions(stocked: Satchel, query: str, mode: str) -> None:
    first, second, *rest = stocked.documents.search(query, mode=mode).result.hits

    assert (first.heading, first.path) == (("parseAuthToken",), "src/auth/tokens.py")
    assert second.heading == ("SessionStore",)
    assert first.relevance >= 0.8 and second.relevance >= 0.8
    assert "exact" in first.match and all("exact" not in hit.match for hit in rest)


@pytest.mark.parametrize("query", ["parse_auth_token", "ParseAuthToken", "parse auth token"])
def test_a_name_is_found_in_any_spelling(stocked: Satchel, query: str) -> None:
    assert "src/auth/tokens.py" in refs(stocked, query, mode="search")


def test_a_qualified_name_finds_that_definition(stocked: Satchel) -> None:
    stocked.documents.add(
        [
            {
                "ref": "big.py",
                "text": "class Big:\n"
                + "\n".join(f"    def m{n}(self):\n        return '{'x' * 90}'\n" for n in range(9)),
            }
        ],
        collection="more",
        max_chunk_chars=200,
    )

    assert stocked.documents.search("Big.m3", mode="search").result.hits[0].heading == ("Big", "m3")


@each_case(
    ("query", "expected"),
    [
        ("src/models/*.ts", {"src/models/user.ts", "src/models/order.ts"}),
        ("search in src/models/*.ts", {"src/models/user.ts", "src/models/order.ts"}),
        ("tokens.py", {"src/auth/tokens.py"}),
        ("src/auth/", {"src/auth/tokens.py"}),
        ("app/src/models/*.ts", {"src/models/user.ts", "src/models/order.ts"}),
        ("search in app/*.ts", {"src/models/user.ts", "src/models/order.ts"}),
        ("app/src/auth/tokens.py", {"src/auth/tokens.py"}),
        ("pp/*.ts", set()),
        ("**/decisions.md", {"docs/decisions.md"}),
        ("what does docs/tokens.md say", {"docs/tokens.md"}),
    ],
)
@each_case("mode", ["search", "query"])
def test_an_exact_path_ranks_first(stocked: Satchel, query: str, expected: set[str], mode: str) -> None:
    hits = stocked.documents.search(query, mode=mode).result.hits
    bearing = [hit for hit in hits if "exact" in hit.match]

    assert {hit.path for hit in bearing} == expected
    assert list(hits[: len(bearing)]) == bearing
    assert all(hit.relevance >= 0.9 for hit in bearing)


def test_a_path_is_found_among_many(memory: Satchel) -> None:
    texts = [{"ref": f"src/models/m{number}.ts", "text": "export class Model {}"} for number in range(400)]
    memory.documents.add([*texts, {"ref": "src/models/needle.ts", "text": "nothing alike"}], collection="many")

    assert refs(memory, "needle.ts", mode="search", limit=1) == ["src/models/needle.ts"]


def test_every_hit_has_place_and_contributions(stocked: Satchel) -> None:
    answer = stocked.documents.search("which database did we choose", mode="query")
    [hit, *_] = [hit for hit in answer.result.hits if hit.path == "docs/decisions.md"]

    assert hit.citation == f"doc:app:docs/decisions.md#{hit.citation.rpartition('#')[2]}"
    assert (hit.heading, hit.title, hit.first_line, hit.last_line) == (("Decisions", "Storage"), "Storage", 1, 5)
    assert (hit.source_kind, hit.trust, hit.scope) == ("operator", "trusted", "global")
    assert hit.score == pytest.approx(sum(part.value for part in hit.contributions))
    assert 0.0 <= hit.relevance <= 1.0
    assert "chose" not in str(answer.receipt.body)


def test_a_nonsense_query_has_no_relevant_hit(stocked: Satchel) -> None:
    assert stocked.documents.search("xyzzy plugh quux", mode="search").result.hits == ()
    assert stocked.documents.search("xyzzy plugh quux", mode="query").result.relevance < 0.4


def test_search_is_deterministic(stocked: Satchel) -> None:
    one = stocked.documents.search("token", mode="query")
    other = stocked.documents.search("token", mode="query")

    assert one.result == other.result
    assert one.receipt.digest == other.receipt.digest


def test_vsearch_uses_meaning_only(stocked: Satchel) -> None:
    answer = stocked.documents.search("token", mode="vsearch").result

    assert answer.answered_by is DocMode.VSEARCH
    assert {name for hit in answer.hits for name in hit.match} == {"vector"}


def test_without_a_model_search_is_lexical_and_reported(home: Any) -> None:
    from satchel.config import load

    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
        done = memory.documents.add([{"ref": "a.md", "text": "green tea"}], collection="c")
        answer = memory.documents.search("tea", mode="vsearch")

    assert any("embedder_none" in warning for warning in done.receipt.warnings)
    assert [hit.ref for hit in answer.result.hits] == ["a.md"]
    assert (answer.result.mode, answer.result.answered_by) == (DocMode.VSEARCH, DocMode.SEARCH)
    assert any(warning.startswith("words_only") for warning in answer.receipt.warnings)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"query": " "}, "empty_query"),
        ({"query": "x", "mode": "bm25"}, "unknown_word"),
        ({"query": "x", "limit": 0}, "out_of_range"),
        ({"query": "x", "limit": 201}, "out_of_range"),
        ({"query": "x", "limit": True}, "out_of_range"),
        ({"query": "x", "scope": "No Scope!"}, "invalid_scope"),
        ({"query": "x", "scope": "a", "all_scopes": True}, None),
        ({"query": "x", "collection": "../x"}, "invalid_collection"),
    ],
)
def test_an_invalid_request_is_one_clear_error(memory: Satchel, given: dict[str, Any], code: str | None) -> None:
    with pytest.raises(SatchelError) as refused:
        memory.documents.search(**given)

    assert code is None or refused.value.code == code


@each_case(
    "query",
    [
        '"',
        "AND OR NOT",
        "a* NEAR(b)",
        "*" * 300,
        "/" * 200,
        "(" * 500,
        "\ud800",
        "x\0y",
        "[" * 100,
        "雪" * 3_000,
        "a/" * 90,
    ],
)
@each_case("mode", ["search", "query"])
def test_any_query_is_accepted(stocked: Satchel, query: str, mode: str) -> None:
    stocked.documents.search(query, mode=mode)


def test_chinese_is_found(memory: Satchel) -> None:
    memory.documents.add([{"ref": "a.md", "text": "# 決定\n\n我們採用資料庫索引。\n"}], collection="c")

    assert refs(memory, "資料庫", mode="search") == ["a.md"]


class TestScopes:
    def add(self, memory: Satchel, collection: str, text: str, scope: str | None) -> None:
        memory.documents.add([{"ref": "a.md", "text": text}], collection=collection, scope=scope)

    def test_scopes_are_isolated(self, memory: Satchel) -> None:
        for scope in ("red", "blue", None):
            self.add(memory, "notes", f"tea of {scope}", scope)

        for mode in DocMode:
            assert {hit.scope for hit in memory.documents.search("tea", scope="red", mode=mode).result.hits} == {"red"}
            assert {hit.scope for hit in memory.documents.search("tea", mode=mode).result.hits} == {"global"}
        assert {hit.scope for hit in memory.documents.search("tea", all_scopes=True).result.hits} == {
            "red",
            "blue",
            "global",
        }

    def test_documents_of_other_scopes_do_not_crowd_out_hits(self, memory: Satchel) -> None:
        memory.documents.add(
            [{"ref": f"{number}.md", "text": "green tea green tea"} for number in range(300)],
            collection="b",
            scope="blue",
        )
        self.add(memory, "r", "a word on tea", "red")

        for mode in DocMode:
            assert refs(memory, "green tea", scope="red", mode=mode, limit=5) == ["a.md"]

    def test_search_can_be_limited_to_a_collection(self, memory: Satchel) -> None:
        self.add(memory, "one", "tea", None)
        self.add(memory, "two", "tea", None)

        answer = memory.documents.search("tea", collection="two").result

        assert ({hit.collection for hit in answer.hits}, answer.collections) == ({"two"}, ("two",))
        assert memory.documents.search("tea", collection="three").result.hits == ()

    def test_a_scope_tag_in_the_query_is_honored(self, memory: Satchel) -> None:
        self.add(memory, "r", "tea", "red")

        assert refs(memory, "[SCOPE: red] tea", mode="search") == ["a.md"]

    def test_a_scope_sees_the_repo_it_names_in_the_default_scope(self, memory: Satchel) -> None:
        self.add(memory, "api", "tea of the api", None)
        self.add(memory, "api-docs", "tea of its docs", None)
        self.add(memory, "web", "tea of the web", None)
        self.add(memory, "api", "a secret tea", "vault")

        def seen(scope: str) -> set[tuple[str, str]]:
            hits = memory.documents.search("tea", scope=scope, mode="search").result.hits
            return {(hit.collection, hit.scope) for hit in hits}

        assert seen("repo/api") == {("api", "global"), ("api-docs", "global")}
        assert seen("api") == {("api", "global"), ("api-docs", "global")}
        assert seen("vault") == {("api", "vault")}
        assert seen("elsewhere") == set()
