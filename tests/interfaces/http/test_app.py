"""The HTTP API on real sockets: every operation, and every kind of bad request."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel.domain.strict_json import MAX_DEPTH
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.body import MAX_BYTES
from satchel.interfaces.operations import OPERATIONS
from tests.interfaces.http.running import SHORT, Server, heard, parsed, request
from tests.tables import each_case


def _store(server: Server, text: str, **more: Any) -> str:
    return str(server.ask("/v1/store", {"text": text, **more}).json["result"]["id"])


class TestAnswers:
    @pytest.mark.parametrize("tcp", [False, True])
    def test_an_operation_answers_with_the_envelope(self, server: Server, tcp: bool) -> None:
        stored = server.ask("/v1/store", {"text": f"We ship on Thursdays, {tcp}", "kind": "decision"}, tcp=tcp)

        assert stored.status == 200
        assert stored.headers["content-type"] == "application/json"
        assert stored.headers["connection"] == "close"
        assert stored.headers["satchel-exit-code"] == "0"
        assert set(stored.json) == {"ok", "result", "receipt"}
        assert stored.json["result"]["trust"] == "trusted"

    @each_case("name", OFFERED)
    def test_every_operation_answers_an_empty_request_in_its_shape(self, server: Server, name: str) -> None:
        answer = server.ask(f"/v1/{name}", {})

        assert answer.status in (200, 400, 403, 404), answer.body
        assert answer.headers["satchel-exit-code"] in ("0", "1", "2")
        assert set(answer.json) <= ({"content", "details", "isError"} if name.startswith("memory_") else _ENVELOPE)

    def test_terminal_operations_are_not_offered(self, server: Server) -> None:
        apart = [one.name for one in OPERATIONS if one.terminal_only]

        assert {"demo", "eval", "model install", "config set", "import", "export"} <= set(apart)
        for name in apart:
            for spelt in (name.replace(" ", "_"), name.replace(" ", "-"), name.replace(" ", "%20")):
                assert server.ask(f"/v1/{spelt}").status == 404

    def test_no_file_is_written_where_a_request_says(self, server: Server, tmp_path: Path) -> None:
        picture = tmp_path / "drift.svg"
        answer = server.ask("/v1/drift", {"svg": str(picture), "force": True})

        assert (answer.status, answer.json["error"]["code"]) == (400, "unknown_param")
        assert not picture.exists()

    def test_no_request_occupies_a_worker_for_ever(self, server: Server) -> None:
        answer = server.ask("/v1/ingest", {"follow": True})

        assert (answer.status, answer.json["error"]["code"]) == (400, "unknown_param")

    def test_no_operation_has_the_name_of_a_route_about_the_server(self) -> None:
        assert not {"status", "stop", "open", "openapi.json"} & set(OFFERED)

    @pytest.mark.parametrize(
        ("route", "body", "status", "code"),
        [
            ("/v1/get", {"id": "nobody"}, 404, "not_found"),
            ("/v1/get", {}, 400, "missing_param"),
            ("/v1/get", {"id": "a", "colour": "red"}, 400, "unknown_param"),
            ("/v1/get", {"id": 7}, 400, "wrong_type"),
            ("/v1/store", {"text": " "}, 400, "empty_text"),
            ("/v1/store", {"text": "a", "kind": "nonsense"}, 400, "unknown_word"),
            ("/v1/recall", {"query": "a", "limit": 10**9}, 400, "out_of_range"),
            ("/v1/receipts_show", {"name": "zzzz"}, 404, "not_found"),
        ],
    )
    def test_a_failure_has_the_status_of_its_kind(
        self, server: Server, route: str, body: dict[str, Any], status: int, code: str
    ) -> None:
        answer = server.ask(route, body)

        assert (answer.status, answer.error) == (status, code)
        assert answer.json["receipt"]["body"]["decided"] == {"error": code}
        assert "satchel-exit-code" in answer.headers

    def test_a_hint_names_parameters_and_to_a_command_its_options(self, server: Server) -> None:
        def hint(**headers: str) -> str:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return str(server.ask("/v1/get", {"id": "nobody"}, headers=named).json["error"]["hint"])

        assert hint() == "name its scope with 'scope', or use 'all_scopes'"
        assert hint(Satchel_Actor="cli") == "name its scope with --scope, or use --all-scopes"

    def test_the_operator_may_set_every_parameter(self, server: Server) -> None:
        id = _store(server, "from a page", source_kind="web", source_ref="https://example.org", scope="project/x")

        found = server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]
        assert (found["memory"]["source_kind"], found["memory"]["trust"]) == ("web", "untrusted")
        assert found["history"][0]["actor"] == "http"

    def test_an_unknown_actor_is_refused(self, server: Server) -> None:
        stored = server.ask("/v1/store", {"text": "from a hook"}, headers={"Satchel-Actor": "hook"}).json["result"]
        refused = server.ask("/v1/store", {"text": "from nobody"}, headers={"Satchel-Actor": "root"})

        assert server.ask("/v1/get", {"id": stored["id"]}).json["result"]["history"][0]["actor"] == "hook"
        assert (refused.status, refused.error) == (400, "bad_actor")

    def test_a_lone_surrogate_comes_back_escaped(self, server: Server) -> None:
        answer = server.ask("/v1/get", b'{"id": "\\ud800"}')

        assert answer.status == 404
        answer.body.decode("utf-8")

    def test_an_unknown_path_names_the_list_of_all(self, server: Server) -> None:
        refused = server.ask("/v1/fact/current", b"{}")
        assert (refused.status, refused.error) == (404, "no_route")
        assert refused.json["error"]["hint"] == "GET /v1/openapi.json lists all"

    def test_the_status_describes_the_server(self, server: Server) -> None:
        status = server.ask("/v1/status", b"", method="GET").json["result"]

        assert status == server.status
        assert status["pid"] == server.process.pid


_ENVELOPE = {"ok", "result", "error", "receipt"}


class TestAgents:
    def test_a_tool_answers_in_its_shape_and_what_it_stores_is_untrusted(self, server: Server) -> None:
        headers = {"Satchel-Client": "tester\t1.0 \x01 of 客户"}
        stored = server.ask("/v1/memory_store", {"text": "An agent said so"}, headers=headers).json
        assert set(stored) == {"content", "details"}
        assert stored["content"][0]["type"] == "text"

        found = server.ask("/v1/get", {"id": stored["details"]["id"]}).json["result"]["memory"]
        assert (found["trust"], found["source_kind"]) == ("untrusted", "tool")
        assert found["source_ref"] == "http tester 1.0 of 客户"

    def test_a_tool_refuses_operator_parameters(self, server: Server) -> None:
        refused = server.ask("/v1/memory_store", {"text": "Trust me", "source_kind": "operator"})

        assert refused.status == 400
        assert refused.json["isError"] is True
        assert refused.json["details"]["error"] == "unknown_param"

    def test_files_need_a_folder(self, server: Server) -> None:
        refused = server.ask("/v1/memory_export", {"outPath": "a.jsonl"})

        assert (refused.status, refused.json["details"]["error"]) == (403, "no_folder")

    def test_a_tool_writes_only_into_the_given_folder(self, own_server: Callable[..., Server], tmp_path: Any) -> None:
        (tmp_path / "files").mkdir()
        server = own_server(None, "--files", str(tmp_path / "files"))
        _store(server, "to be exported")

        assert server.ask("/v1/memory_export", {"out_path": "out.jsonl"}).status == 200
        assert "to be exported" in (tmp_path / "files" / "out.jsonl").read_text(encoding="utf-8")
        assert server.ask("/v1/memory_export", {"out_path": "../out.jsonl"}).status == 400


class TestBodies:
    @pytest.mark.parametrize(
        "kind",
        [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp",
         "application/json; charset=utf-16", "text/json", "application/json, text/plain"],
    )  # fmt: skip
    def test_only_json_is_accepted(self, server: Server, kind: str | None) -> None:
        refused = server.ask("/v1/store", {"text": "not as JSON"}, headers={"Content-Type": kind})

        assert (refused.status, refused.error) == (415, "not_json")

    @pytest.mark.parametrize("kind", ["application/json", "Application/JSON", "application/json; charset=utf-8"])
    def test_json_content_types_are_accepted(self, server: Server, kind: str) -> None:
        assert server.ask("/v1/stats", headers={"Content-Type": kind}).status == 200

    @pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
    def test_post_routes_refuse_other_methods(self, server: Server, method: str) -> None:
        for route in ("/v1/store", "/v1/forget", "/v1/stop"):
            headers: dict[str, str | None] = {"Host": "localhost", "Authorization": f"Bearer {server.token}"}
            answer = server.send(request(method, f"{route}?text=by+address", headers))
            assert answer.startswith(b"HTTP/1.1 405")
        assert server.is_well()

    @each_case(
        "body",
        [
            b"", b"{", b"[]", b'"text"', b"7", b"null", b"{}{}", b"{'a': 1}", b'{"text": NaN}', b'{"text": Infinity}', b'{"text": -Infinity}',
            b'{"importance": 1e999, "text": "a"}', b'{"text": "a", "text": "b"}', b'{"text": {"a": 1, "a": 2}}', b'{"text": "\xff"}',
            b'\xef\xbb\xbf{"text": "a"}', b'{"text": "\x00"}', b'{"limit": ' + b"9" * 5000 + b"}", b"[" * 100_000, b'{"a":' * 100_000,
            b'{"text": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}", "{}".encode("utf-16"), b'{"text": "\xed\xa0\x80"}',
        ],
        ids=range(23),
    )  # fmt: skip
    def test_anything_but_one_strict_json_object_is_refused(self, server: Server, body: bytes) -> None:
        refused = server.ask("/v1/store", body)

        assert (refused.status, refused.error) == (400, "bad_json")
        assert refused.json["error"]["message"].startswith("the body ")
        assert refused.json["error"]["hint"] == "send one JSON object; without parameters: {}"
        assert server.is_well()

    def test_parameters_in_the_address_are_refused(self, server: Server) -> None:
        # Ignored, the answer would be that of another scope.
        refused = server.ask("/v1/recall?scope=project/shop", {"query": "a"})

        assert (refused.status, refused.error) == (400, "unknown_param")

    def test_json_as_deep_as_allowed_is_read(self, server: Server) -> None:
        deep = b'{"text": ' + b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1) + b"}"

        assert server.ask("/v1/store", deep).error == "wrong_type"

    def test_a_too_large_body_is_refused_before_it_is_read(self, server: Server) -> None:
        # Nothing of the body is sent: the announcement is enough.
        refused = server.ask("/v1/store", b"", headers={"Content-Length": str(MAX_BYTES + 1)})

        assert (refused.status, refused.error) == (413, "too_large")

    def test_a_too_large_chunked_body_is_refused_while_reading(self, server: Server) -> None:
        chunk = b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20))
        headers = {"Content-Length": None, "Transfer-Encoding": "chunked"}
        refused = server.ask("/v1/store", chunk * 10, headers=headers)

        assert (refused.status, refused.error) == (413, "too_large")
        assert server.is_well()

    def test_chunks_are_read(self, server: Server) -> None:
        headers = {"Content-Length": None, "Transfer-Encoding": "chunked"}
        body = b'{"text": "in chunks"}'
        chunks = b"".join(b"%x\r\n%s\r\n" % (1, body[start : start + 1]) for start in range(len(body)))

        assert server.ask("/v1/store", chunks + b"0\r\n\r\n", headers=headers).status == 200

    @pytest.mark.parametrize(
        "data",
        [
            b"\x00" * 1000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 50_000,
            b"POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            b"POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}",
            b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
            b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ],
        ids=range(10),
    )  # fmt: skip
    def test_the_server_survives_invalid_http(self, server: Server, data: bytes) -> None:
        with server.connect() as connection:
            connection.sendall(data)
            connection.shutdown(1)
            answer = heard(connection)

        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
        assert server.is_well()

    def test_content_length_with_chunks_is_at_most_one_request(self, server: Server) -> None:
        body = b"0\r\n\r\nPOST /v1/stop HTTP/1.1\r\nHost: localhost\r\n\r\n"
        headers = {"Transfer-Encoding": "chunked"}

        assert server.ask("/v1/stats", body, headers=headers).status == 400
        assert server.is_well()

    def test_only_the_first_pipelined_request_is_answered(self, server: Server) -> None:
        headers: dict[str, str | None] = {
            "Host": "localhost",
            "Authorization": f"Bearer {server.token}",
            "Content-Type": "application/json",
            "Content-Length": "2",
        }
        one = request("POST", "/v1/stats", headers, b"{}")

        assert parsed(server.send(one * 5)).status == 200
        assert server.is_well()

    def test_an_incomplete_body_does_nothing(self, server: Server) -> None:
        before = server.ask("/v1/stats").json["result"]["tally"]["memories"]
        body = json.dumps({"text": "broken off"}).encode()
        headers: dict[str, str | None] = {
            "Host": "localhost",
            "Authorization": f"Bearer {server.token}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body) + 1),
        }
        with server.connect() as connection:
            connection.sendall(request("POST", "/v1/store", headers, body))

        assert server.is_well()
        assert server.ask("/v1/stats").json["result"]["tally"]["memories"] == before


def test_a_body_is_requested_only_after_the_guard(server: Server) -> None:
    headers: dict[str, str | None] = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Content-Length": "2",
        "Expect": "100-continue",
    }
    with server.connect() as connection:
        connection.sendall(request("POST", "/v1/stats", headers))
        assert heard(connection).startswith(b"HTTP/1.1 401")
    with server.connect() as connection:
        connection.sendall(request("POST", "/v1/stats", headers | {"Authorization": f"Bearer {server.token}"}))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100")
        connection.sendall(b"{}")
        assert parsed(heard(connection)).status == 200


def test_slow_clients_are_disconnected_and_others_are_served(own_server: Callable[..., Server]) -> None:
    server = own_server(script=SHORT)
    headers: dict[str, str | None] = {
        "Host": "localhost",
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
        "Content-Length": "100",
    }
    with server.connect() as silent, server.connect() as halting, server.connect() as late:
        halting.sendall(b"POST /v1/stats HTTP/1.1\r\nHost: local")
        late.sendall(request("POST", "/v1/stats", headers, b'{"text": "'))
        assert server.is_well()
        assert heard(silent) == b""
        assert heard(halting) == b""
        assert (parsed(heard(late)).status) == 408
    assert server.is_well()


def test_hundreds_of_concurrent_requests_are_answered(server: Server) -> None:
    statuses: list[int] = []

    def one(number: int) -> None:
        if number % 4:
            statuses.append(server.ask("/v1/stats").status)
        else:
            statuses.append(server.ask("/v1/store", {"text": f"one of many, number {number} of them"}).status)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert statuses == [200] * 200
    assert server.is_well()
    listed = server.ask("/v1/list", {"limit": 500}).json["result"]["memories"]
    assert sum(one["text"].startswith("one of many") for one in listed) == 50
