"""The files for containers: they name commands, settings and files that exist. No engine runs them here."""

import re
from pathlib import Path
from typing import Any

import yaml

from satchel.config.sources import CATALOGUE
from satchel.interfaces.cli.parser import parse_command_line
from satchel.interfaces.http.binding import make_binding
from tests.tables import each_case

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
# Keys of a service in the Compose specification that are used here.
SERVICE_KEYS = {
    "build", "image", "restart", "depends_on", "environment", "networks", "read_only", "tmpfs", "cap_drop", "security_opt", "volumes",
    "healthcheck", "command", "ports", "entrypoint",
}  # fmt: skip


def filled(text: str) -> str:
    """Replace the variables of .env, each of which must be required."""
    assert not re.search(r"\$\{\w+\}", text), text
    return re.sub(r"\$\{\w+:\?[^}]+\}", "memory.test", text)


@each_case("name", COMPOSE["services"])
def test_a_service_has_known_keys_and_refers_to_what_is_declared(name: str) -> None:
    service = COMPOSE["services"][name]
    declared = COMPOSE["services"].keys() | COMPOSE["volumes"].keys()
    named = [one.partition(":")[0] for one in service.get("volumes", ()) if not one.startswith(("./", "/"))]

    assert service.keys() <= SERVICE_KEYS
    assert set(service.get("depends_on", ())) | set(named) <= declared
    assert set(service["networks"]) <= COMPOSE["networks"].keys()


def test_the_database_is_reached_from_inside_alone() -> None:
    database = COMPOSE["services"]["database"]

    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert database["networks"] == ["inside"] and "ports" not in database
    assert database["image"] == "pgvector/pgvector:pg17"


def test_the_commands_parse_and_the_server_is_encrypted() -> None:
    server = [filled(one) for one in COMPOSE["services"]["server"]["command"]]
    given = parse_command_line(server)
    make_binding(given.bind, certificate=given.tls_cert, key=given.tls_key, names=given.host_name)
    worker = parse_command_line(COMPOSE["services"]["worker"]["command"])

    assert COMPOSE["services"]["server"]["ports"] == [f"{given.bind.rpartition(':')[2]}:7711"]
    assert (worker._operation.name, worker.once) == ("worker", False)


@each_case("name", ["server", "worker"])
def test_every_variable_is_a_setting(name: str) -> None:
    # The address of a database, in place of the file of the embedded store.
    known = {one.variable for one in CATALOGUE.entries} | {"SATCHEL_STORE"}

    assert COMPOSE["services"][name]["environment"].keys() <= known
    assert set(re.findall(r"SATCHEL_\w+(?==)", DOCKERFILE)) <= known


def test_the_image_copies_what_exists_and_runs_without_root() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)

    assert [one for line in copied for one in line.split() if not (ROOT / one).exists()] == []
    assert DOCKERFILE.index("USER satchel") < DOCKERFILE.index("ENTRYPOINT")


def test_the_store_is_not_used_as_the_administrator_of_the_database() -> None:
    database, server = COMPOSE["services"]["database"], COMPOSE["services"]["server"]
    script = (ROOT / "deploy" / "database.sql").read_text(encoding="utf-8")

    assert "POSTGRES_USER" not in database["environment"]
    assert server["environment"]["SATCHEL_STORE"].startswith("postgresql://satchel:")
    assert "CREATE ROLE satchel LOGIN PASSWORD" in script and "SUPERUSER" not in script
    assert "./database.sql:/docker-entrypoint-initdb.d/database.sql:ro" in database["volumes"]
