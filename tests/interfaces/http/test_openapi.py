"""The OpenAPI document: it describes every route, and every real answer fits what it says."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.openapi import openapi_document
from tests.interfaces.http.filled import calls_of, filled_server
from tests.interfaces.http.running import Server
from tests.tables import each_case

ABOUT = {"/health", "/metrics", "/v1/openapi.json", "/v1/status", "/v1/stop"}


def parts(value: Any, key: str) -> Iterator[Any]:
    """Yield the values of a key anywhere in a document."""
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        for one in value.values():
            yield from parts(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from parts(one, key)


def found_at(document: Any, reference: str) -> Any:
    """Return what a reference within a document points to."""
    for step in reference.removeprefix("#/").split("/"):
        document = document[step.replace("~1", "/").replace("~0", "~")]
    return document


@cache
def validator(reference: str) -> Draft202012Validator:
    """Return a validator for a schema of the document."""
    return Draft202012Validator({**openapi_document(), "$ref": reference})


def problems(path: str, method: str, status: int, body: Any) -> list[str]:
    """Return what of a response's body does not fit the document."""
    responses = openapi_document()["paths"][path][method]["responses"]
    key = str(status) if str(status) in responses else f"{status // 100}XX"
    response = responses[key]
    start = response.get("$ref", f"#/paths/{path.replace('/', '~1')}/{method}/responses/{key}")
    if "content" not in found_at(openapi_document(), start):
        return []
    found = validator(f"{start}/content/application~1json/schema").iter_errors(body)
    return [f"{one.json_path}: {one.message[:200]}" for one in found]


def test_it_describes_exactly_the_routes_that_there_are() -> None:
    assert set(openapi_document()["paths"]) == {f"/v1/{name}" for name in OFFERED} | ABOUT


def test_every_reference_leads_somewhere_and_every_schema_is_valid() -> None:
    document = openapi_document()
    references = set(parts(document, "$ref"))

    assert len(references) > 100
    for reference in references:
        assert found_at(document, reference), reference
    for schema in (*parts(document, "schema"), *document["components"]["schemas"].values()):
        if isinstance(schema, dict):
            Draft202012Validator.check_schema(schema)


def test_every_operation_has_a_name_of_its_own() -> None:
    names = list(parts(openapi_document()["paths"], "operationId"))

    assert len(names) == len(set(names)) == len(OFFERED) + len(ABOUT)


@each_case("name", OFFERED)
def test_it_says_which_token_an_operation_takes(name: str) -> None:
    described = openapi_document()["paths"][f"/v1/{name}"]["post"]["security"]

    assert [*map(list, described)] == [["operatorToken"]] + [["programToken"]] * (not OFFERED[name].operator_only)


def test_operations_have_examples_that_fit_their_parameters() -> None:
    found, wrong = set(), []
    for name in OFFERED:
        body = openapi_document()["paths"][f"/v1/{name}"]["post"]["requestBody"]["content"]["application/json"]
        for example in body.get("examples", {}).values():
            found.add(name)
            problems = Draft202012Validator({**openapi_document(), **body["schema"]}).iter_errors(example["value"])
            wrong += [(name, example["value"], one.message) for one in problems]

    assert wrong == []
    # What these read comes from a pipe.
    assert set(OFFERED) - found == {"capture", "turn_start", "turn_before", "turn_after"}


def test_it_is_served_with_any_token(server: Server) -> None:
    answer = server.ask("/v1/openapi.json", b"", method="GET")

    assert answer.json == json.loads(json.dumps(openapi_document()))
    assert server.ask("/v1/openapi.json", b"", method="GET", headers={"Authorization": None}).status == 401


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, int, Any]]:
    """What a server answers to calls of every operation, right ones and wrong ones."""
    with filled_server(tmp_path_factory.mktemp("filled") / "home") as (server, ids):
        asked = [(name, call) for name, _, call in calls_of(ids)] + [(name, {"nonsense": 1}) for name in OFFERED]
        replies = [(name, server.ask(f"/v1/{name}", call)) for name, call in asked]
        return [(name, reply.status, reply.json) for name, reply in replies]


def test_every_answer_fits_the_document(answered: list[tuple[str, int, Any]]) -> None:
    wrong = {
        (name, status): found
        for name, status, body in answered
        if (found := problems(f"/v1/{name}", "post", status, body))
    }

    assert wrong == {}


def test_nine_of_ten_operations_were_answered_with_a_result(answered: list[tuple[str, int, Any]]) -> None:
    succeeded = {name for name, status, _ in answered if status == 200}

    assert len(succeeded) >= 0.9 * len(OFFERED), set(OFFERED) - succeeded


def test_the_answers_about_the_server_fit_the_document(server: Server) -> None:
    for path in ("/health", "/v1/status"):
        assert problems(path, "get", 200, server.ask(path, b"", method="GET").json) == []
    refused = server.ask("/v1/status", b"", method="GET", headers={"Authorization": None})
    assert problems("/v1/status", "get", refused.status, refused.json) == []


def test_the_file_in_the_reference_is_the_document() -> None:
    file = Path(__file__).parents[3] / "docs" / "reference" / "openapi.json"

    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(json.dumps(openapi_document()))
