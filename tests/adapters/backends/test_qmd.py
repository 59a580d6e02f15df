"""QMD by recorded answers: requests, and how results are read."""

import json
import sqlite3
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.backends.external import ConfiguredBackends
from satchel.domain.routing import BackendEntry, RouteStatus
from tests.adapters.backends.asking import ask, entry, refusal
from tests.adapters.servers import answering, bare, friendly
from tests.tables import each_case

# Output of QMD 2.8.3.
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


def program(tmp_path: Path, body: str, **options: Any) -> BackendEntry:
    """Return the entry of a fake QMD program that records its arguments."""
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


def test_the_program_gets_the_exact_words_and_the_collection(tmp_path: Path) -> None:
    answer = ask(program(tmp_path, printing(AUTH, OTHER)), "find the function parseAuthToken", mode="search", limit=5)

    assert calls(tmp_path) == [["search", "--json", "-n", "5", "-c", "notes", "--", "parseAuthToken"]]
    assert answer.status is RouteStatus.SUCCESS
    assert [(one.content, one.relevance, one.path, one.line) for one in answer.results] == [
        ("parseAuthToken reads the bearer token.", 0.95, "src/auth.md", 3)
    ]


def test_without_a_match_of_all_words_any_word_is_searched(tmp_path: Path) -> None:
    body = f"print(json.dumps([] if sys.argv[1] == 'search' else [{OTHER!r}]))"
    answer = ask(program(tmp_path, body), "search for payment retries", mode="search")

    assert [call[0] for call in calls(tmp_path)] == ["search", "query"]
    assert calls(tmp_path)[1][-1] == "lex: payment retries\nlex: payment\nlex: retries"
    assert answer.results[0].path == "pay.md"


@pytest.mark.parametrize(("name", "expected"), [("identity", 0.99), ("bm25_legacy_x3", 1.0), ("recompute", 0.3)])
def test_a_score_becomes_a_relevance_by_the_configured_rule(name: str, expected: float, tmp_path: Path) -> None:
    answer = ask(program(tmp_path, printing(OTHER), relevance=name), "payment retries", mode="search")

    assert answer.results[0].relevance == expected


def test_without_models_a_query_is_by_words_only_and_notes_it(tmp_path: Path) -> None:
    answer = ask(program(tmp_path, printing(AUTH)), "bearer token", mode="query")

    assert calls(tmp_path)[0][:2] == ["query", "--json"]
    assert "--no-rerank" in calls(tmp_path)[0]
    assert answer.note == "by words only: the option models is off"


def test_a_vector_search_without_vectors_is_unavailable(tmp_path: Path) -> None:
    body = "sys.stderr.write('Warning: 2 documents (100%) need embeddings.\\n'); print('[]')"

    assert refusal(program(tmp_path, body), mode="vsearch").code == "BACKEND_UNAVAILABLE"


def test_no_hits_are_an_empty_answer(tmp_path: Path) -> None:
    assert ask(program(tmp_path, "print('[]')"), "anything", mode="search").status is RouteStatus.EMPTY


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
def test_any_other_output_is_an_error(body: str, tmp_path: Path) -> None:
    assert refusal(program(tmp_path, body), mode="search", seconds=30).code == "BACKEND_ERROR"


def test_a_query_is_never_a_command_line_option(tmp_path: Path) -> None:
    ask(program(tmp_path, "print('[]')"), "--collection other; rm -rf", mode="search")

    assert all(call[call.index("--") + 1 :] == [call[-1]] for call in calls(tmp_path))


def test_environment_variables_are_set(tmp_path: Path) -> None:
    body = "import os; sys.exit(0 if os.environ.get('XDG_CACHE_HOME') == '/x' and not print('[]') else 1)"

    assert ask(program(tmp_path, body, env={"XDG_CACHE_HOME": "/x"}), "a", mode="search").status is RouteStatus.EMPTY


def test_the_time_of_a_result_is_that_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "auth.md").write_text("x", encoding="ascii")
    answer = ask(program(tmp_path, printing(AUTH), folder=str(tmp_path)), "parseAuthToken", mode="search")

    assert answer.results[0].timestamp > "2020"


def test_without_a_folder_the_time_is_that_in_the_index_of_qmd(tmp_path: Path) -> None:
    index = tmp_path / "cache" / "qmd" / "index.sqlite"
    index.parent.mkdir(parents=True)
    with sqlite3.connect(index) as db:
        db.execute("CREATE TABLE documents (collection TEXT, path TEXT, modified_at TEXT)")
        db.executemany(
            "INSERT INTO documents VALUES (?, ?, ?)",
            [
                ("notes", "src/auth.md", "2026-03-17T14:30:00.000Z"),
                ("other", "src/auth.md", "2030-01-01T00:00:00.000Z"),
            ],
        )
    db.close()
    variables = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    answer = ask(program(tmp_path, printing(AUTH), env=variables), "parseAuthToken", mode="search")

    assert answer.results[0].timestamp == "2026-03-17T14:30:00.000Z"


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0"])
def test_an_index_of_qmd_that_cannot_be_read_costs_only_the_times(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").write_bytes(content)
    variables = {"INDEX_PATH": str(tmp_path / "index.sqlite")}
    answer = ask(program(tmp_path, printing(AUTH), env=variables), "parseAuthToken", mode="search")

    assert answer.results[0].timestamp == "1970-01-01T00:00:00Z"


def test_an_error_keeps_every_line_of_the_message(tmp_path: Path) -> None:
    body = (
        "sys.stderr.write('Error: collection is locked\\n  by process 7\\n\\n    at open (store.js:1)\\n'); sys.exit(1)"
    )

    assert refusal(program(tmp_path, body), mode="search").message == (
        "Error: collection is locked by process 7 at open (store.js:1)"
    )


def test_the_server_gets_one_request_for_any_of_the_words() -> None:
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


def test_a_server_with_models_also_searches_by_meaning() -> None:
    with friendly(lambda _: {"results": []}) as server:
        one = entry("qmd", "qmd-http", url=server.url, models=True)
        for mode in ("vsearch", "query"):
            ask(one, "bearer token", mode=mode)

    kinds = [[search["type"] for search in request["searches"]] for request in server.requests]
    assert kinds == [["vec"], ["lex", "lex", "lex", "vec"]]


def test_a_server_without_models_has_no_search_by_meaning() -> None:
    assert refusal(entry("qmd", "qmd-http"), mode="vsearch").code == "BACKEND_UNAVAILABLE"


@each_case("body", [b"[]", b"{}", b'{"results": 1}', b"junk", b'{"results": [{"file": 1}]}'])
def test_an_unexpected_answer_of_the_server_is_an_error(body: bytes) -> None:
    with bare(answering("200 OK", body)) as server:
        assert refusal(entry("qmd", "qmd-http", url=server.url), mode="search").code == "BACKEND_ERROR"


def test_an_unreachable_server_is_unavailable() -> None:
    assert refusal(entry("qmd", "qmd-http", url="http://127.0.0.1:9"), mode="search").code == "BACKEND_UNAVAILABLE"
    assert refusal(entry("qmd", "qmd-http", url="nonsense"), mode="search").code == "BACKEND_UNAVAILABLE"


@each_case(
    "options",
    [
        {},
        {"collection": 1},
        {"collection": "n", "command": 1},
        {"collection": "n", "relevance": "x"},
        {"collection": "n", "env": []},
    ],
)
def test_invalid_options_make_the_backend_unavailable(options: dict[str, Any]) -> None:
    assert refusal(entry("qmd", "qmd-cli", **options)).code == "BACKEND_UNAVAILABLE"


def test_an_adapter_of_another_backend_is_refused() -> None:
    for adapter in ("cognee-http", "nonsense", ""):
        assert refusal(entry("qmd", adapter)).code == "BACKEND_UNAVAILABLE"


def test_an_old_qmd_is_unavailable(tmp_path: Path) -> None:
    probe = ConfiguredBackends().probe(program(tmp_path, "print('qmd 0.9.0' if sys.argv[1] == '--version' else '[]')"))
    assert not probe.installed
    assert "2.0" in probe.reason

    probe = ConfiguredBackends().probe(
        program(tmp_path, "print('qmd 2.8.3 (x)' if sys.argv[1] == '--version' else '[]')")
    )
    assert (probe.installed, probe.runs, probe.answers) == (True, True, True)
