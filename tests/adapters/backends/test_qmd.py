"""QMD by its recorded answers: what goes out, and what is made of what comes back."""

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.backends.outside import OutsideBackends
from satchel.domain.routing import Entry, Status
from tests.adapters.backends.asking import ask, entry, refusal
from tests.adapters.servers import answering, bare, friendly

# As QMD 2.8.3 prints it.
AUTH = {
    "docid": "#9332b7",
    "score": 0,
    "file": "qmd://notes/src/auth.md",
    "line": 3,
    "title": "Auth",
    "snippet": "@@ -2,3 @@ (1 before, 0 after)\n\nparseAuthToken reads the bearer token.\n",
}
OTHER = {**AUTH, "file": "qmd://notes/pay.md", "title": "Payments", "snippet": "The payment service.", "score": 0.99}
NUMBERED = {**AUTH, "score": 1, "snippet": "3: @@ -2,3 @@ (1 before, 0 after)\n4: \n5: parseAuthToken reads.\n6: "}


def program(tmp_path: Path, body: str, **options: Any) -> Entry:
    """Return the entry of a program that stands in for QMD and keeps what it was called with."""
    path = tmp_path / "qmd"
    path.write_text(
        f"#!{sys.executable}\nimport json, sys\nfrom pathlib import Path\n"
        f"with open({str(tmp_path / 'calls')!r}, 'a') as f: f.write(json.dumps(sys.argv[1:]) + '\\n')\n{body}\n",
        encoding="utf-8",
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return entry("qmd", "qmd-cli", command=[str(path)], collection="notes", **options)


def calls(tmp_path: Path) -> list[list[str]]:
    return [json.loads(line) for line in (tmp_path / "calls").read_text(encoding="utf-8").splitlines()]


def printing(*found: dict[str, Any]) -> str:
    return f"print(json.dumps({list(found)!r}))"


def test_the_program_is_asked_for_what_is_spelled_out_in_its_collection(tmp_path: Path) -> None:
    answer = ask(program(tmp_path, printing(AUTH, OTHER)), "find the function parseAuthToken", mode="search", limit=5)

    assert calls(tmp_path) == [["search", "--json", "-n", "5", "-c", "notes", "--", "parseAuthToken"]]
    assert answer.status is Status.SUCCESS
    assert [(one.content, one.relevance, one.path, one.line) for one in answer.results] == [
        ("parseAuthToken reads the bearer token.", 0.95, "src/auth.md", 3)
    ]


def test_where_nothing_has_every_word_any_word_is_looked_for(tmp_path: Path) -> None:
    body = f"print(json.dumps([] if sys.argv[1] == 'search' else [{OTHER!r}]))"
    answer = ask(program(tmp_path, body), "search for payment retries", mode="search")

    assert [call[0] for call in calls(tmp_path)] == ["search", "query"]
    assert calls(tmp_path)[1][-1] == "lex: payment retries\nlex: payment\nlex: retries"
    assert answer.results[0].path == "pay.md"


@pytest.mark.parametrize(("name", "expected"), [("identity", 0.99), ("bm25_legacy_x3", 1.0), ("recompute", 0.3)])
def test_a_score_becomes_a_relevance_by_a_named_way(name: str, expected: float, tmp_path: Path) -> None:
    answer = ask(program(tmp_path, printing(OTHER), relevance=name), "payment retries", mode="search")

    assert answer.results[0].relevance == expected


def test_without_models_both_ways_at_once_are_one_and_say_so(tmp_path: Path) -> None:
    answer = ask(program(tmp_path, printing(AUTH)), "bearer token", mode="query")

    assert calls(tmp_path)[0][:2] == ["query", "--json"]
    assert "--no-rerank" in calls(tmp_path)[0]
    assert answer.note == "by words only: the option models is off"


def test_a_search_by_meaning_without_vectors_is_unavailable_and_not_empty(tmp_path: Path) -> None:
    body = "sys.stderr.write('Warning: 2 documents (100%) need embeddings.\\n'); print('[]')"

    assert refusal(program(tmp_path, body), mode="vsearch").code == "BACKEND_UNAVAILABLE"


def test_no_hits_are_an_empty_answer(tmp_path: Path) -> None:
    assert ask(program(tmp_path, "print('[]')"), "anything", mode="search").status is Status.EMPTY


@pytest.mark.parametrize(
    "body",
    [
        "sys.exit(1)",
        "sys.stderr.write('Collection not found: notes\\n'); sys.exit(1)",
        "print('No results found.')",
        "print('{}')",
        "print('[' * 100_000)",
        "print(json.dumps([{'file': 1, 'snippet': 2}]))",
        "sys.stdout.buffer.write(b'\\xff\\xfe')",
        "print('[' + ','.join(['1'] * 10_000_000) + ']')",
    ],
)
def test_whatever_else_it_says_is_its_failure(body: str, tmp_path: Path) -> None:
    assert refusal(program(tmp_path, body), mode="search", seconds=30).code == "BACKEND_ERROR"


def test_a_query_is_never_taken_for_an_option(tmp_path: Path) -> None:
    ask(program(tmp_path, "print('[]')"), "--collection other; rm -rf", mode="search")

    assert all(call[call.index("--") + 1 :] == [call[-1]] for call in calls(tmp_path))


def test_variables_are_set_for_it(tmp_path: Path) -> None:
    body = "import os; sys.exit(0 if os.environ.get('XDG_CACHE_HOME') == '/x' and not print('[]') else 1)"

    assert ask(program(tmp_path, body, env={"XDG_CACHE_HOME": "/x"}), "a", mode="search").status is Status.EMPTY


def test_the_age_of_a_file_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "auth.md").write_text("x", encoding="ascii")
    answer = ask(program(tmp_path, printing(AUTH), folder=str(tmp_path)), "parseAuthToken", mode="search")

    assert answer.results[0].timestamp > "2020"


def test_the_server_is_asked_once_for_any_of_the_words() -> None:
    with friendly(lambda _: {"results": [NUMBERED]}) as server:
        one = entry("qmd", "qmd-http", url=server.url, collection="notes")
        answer = ask(one, "find the function parseAuthToken", mode="search", limit=3)

    assert server.paths == ["/v1/query"]
    assert server.requests == [
        {
            "searches": [
                {"type": "lex", "query": "parseAuthToken"},
                {"type": "lex", "query": "parse auth token"},
                {"type": "lex", "query": "parseauthtoken"},
            ],
            "limit": 3,
            "rerank": False,
            "collections": ["notes"],
        }
    ]
    assert [(one.content, one.relevance) for one in answer.results] == [("parseAuthToken reads.", 0.95)]


def test_a_server_with_models_is_asked_by_meaning_too() -> None:
    with friendly(lambda _: {"results": []}) as server:
        one = entry("qmd", "qmd-http", url=server.url, models=True)
        for mode in ("vsearch", "query"):
            ask(one, "bearer token", mode=mode)

    kinds = [[search["type"] for search in request["searches"]] for request in server.requests]
    assert kinds == [["vec"], ["lex", "lex", "lex", "vec"]]


def test_a_server_without_models_has_no_search_by_meaning() -> None:
    assert refusal(entry("qmd", "qmd-http"), mode="vsearch").code == "BACKEND_UNAVAILABLE"


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"results": 1}', b"junk", b'{"results": [{"file": 1}]}'])
def test_a_server_that_answers_otherwise_has_failed(body: bytes) -> None:
    with bare(answering("200 OK", body)) as server:
        assert refusal(entry("qmd", "qmd-http", url=server.url), mode="search").code == "BACKEND_ERROR"


def test_a_server_that_is_not_there_is_unavailable() -> None:
    assert refusal(entry("qmd", "qmd-http", url="http://127.0.0.1:9"), mode="search").code == "BACKEND_UNAVAILABLE"
    assert refusal(entry("qmd", "qmd-http", url="nonsense"), mode="search").code == "BACKEND_UNAVAILABLE"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"collection": 1},
        {"collection": "n", "command": 1},
        {"collection": "n", "relevance": "x"},
        {"collection": "n", "env": []},
    ],
)
def test_options_that_are_wrong_make_it_unavailable(options: dict[str, Any]) -> None:
    assert refusal(entry("qmd", "qmd-cli", **options)).code == "BACKEND_UNAVAILABLE"


def test_an_adapter_of_another_backend_is_refused() -> None:
    for adapter in ("cognee-http", "nonsense", ""):
        assert refusal(entry("qmd", adapter)).code == "BACKEND_UNAVAILABLE"


def test_an_old_qmd_is_not_ready(tmp_path: Path) -> None:
    probe = OutsideBackends().probe(program(tmp_path, "print('qmd 0.9.0' if sys.argv[1] == '--version' else '[]')"))
    assert not probe.installed
    assert "2.0" in probe.reason

    probe = OutsideBackends().probe(program(tmp_path, "print('qmd 2.8.3 (x)' if sys.argv[1] == '--version' else '[]')"))
    assert (probe.installed, probe.runs, probe.answers) == (True, True, True)
