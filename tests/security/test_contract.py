"""Thousands of requests made from the OpenAPI document: none is a server error, every answer is as described."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.interfaces.http.openapi import openapi_document
from satchel.interfaces.tokens import issue_token
from tests.interfaces.http.running import Server

SECONDS = 60
SEED = "20261116"
# A server that cannot reach an embedder or a backend says so with 503. Stopping it would end the test.
SETTINGS = """\
[checks.not_a_server_error]
expected-statuses = ["2xx", "4xx", "503"]
"""
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"

installed = pytest.mark.skipif(
    not importlib.util.find_spec("schemathesis"), reason="requirements/contract.txt is not installed"
)


@installed
@pytest.mark.whole
def test_the_document_is_valid_openapi() -> None:
    from openapi_spec_validator import validate

    validate(openapi_document())


@installed
@pytest.mark.whole
@pytest.mark.parametrize("sender", ["operator", "program"])
def test_no_request_made_from_the_document_breaks_the_server(tmp_path: Path, sender: str) -> None:
    server = Server(tmp_path / "home", "--port", "0")
    try:
        file = AccessFile(server.home)
        program = issue_token(file, "fuzz", 0, scopes=("project/shop",), read_only=True)[1]
        before = server.ask("/v1/stats", {"all_scopes": True}).json["result"]["tally"]
        ran = _run(server, tmp_path, server.token if sender == "operator" else program)
        assert ran.returncode == 0, ran.stdout[-6_000:]
        if sender == "program":
            assert server.ask("/v1/stats", {"all_scopes": True}).json["result"]["tally"] == before
        assert server.is_well()
    finally:
        server.stop()
    assert "Traceback" not in server.log.read_text(encoding="utf-8")


def _run(server: Server, folder: Path, token: str) -> "subprocess.CompletedProcess[str]":
    (folder / "schemathesis.toml").write_text(SETTINGS, encoding="utf-8")
    address = f"http://127.0.0.1:{server.status['port']}/v1/openapi.json"
    options = [
        "--header", f"Authorization: Bearer {token}", "--phases", "coverage,fuzzing", "--max-examples", "20",
        "--exclude-path", "/v1/stop", "--checks", CHECKS, "--max-time", str(SECONDS), "--seed", SEED,
        "--generation-database", "none", "--no-color",
    ]  # fmt: skip
    command = [sys.executable, "-m", "schemathesis.cli", "run", address, *options]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
