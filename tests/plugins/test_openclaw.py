"""The files of the OpenClaw plugin that are made from the code, without OpenClaw."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plugins.generate import HOST_TOOLS, OPENCLAW, openclaw_manifest, openclaw_settings, openclaw_tools, stale_files

import satchel
from satchel.config.sources import CATALOGUE, load
from satchel.interfaces.agents import TOOLS
from satchel.interfaces.http.app import OFFERED

NOT_SETTINGS = {"command", "home", "scope", "files", "groups"}


def test_the_generated_files_are_fresh() -> None:
    assert stale_files(write=False) == [], "run `make docs`"


def test_every_memory_tool_is_offered_and_declared_to_the_host() -> None:
    names = [tool["name"] for tool in openclaw_tools()]

    assert names == [name for name in TOOLS if name.startswith("memory_")]
    assert set(names) <= OFFERED.keys()
    assert openclaw_manifest()["contracts"]["tools"] == sorted({*names, *HOST_TOOLS})


def test_no_tool_lets_the_agent_name_a_scope() -> None:
    tools = openclaw_tools()

    assert not [tool["name"] for tool in tools if "scope" in tool["parameters"]["properties"]]
    assert all(tool["scoped"] for tool in tools)


def test_only_tools_that_change_nothing_are_safe_to_replay() -> None:
    safe = openclaw_manifest()["toolMetadata"]

    assert "memory_recall" in safe
    assert not {"memory_store", "memory_forget", "memory_export", "memory_import"} & safe.keys()


def test_the_configuration_has_a_key_for_every_setting_that_a_host_can_have() -> None:
    keys = {key for key, _ in _leaves(openclaw_manifest()["configSchema"])} - NOT_SETTINGS

    left_out = {entry.key for entry in CATALOGUE.entries if entry.openclaw not in keys}
    assert left_out == {"home", "ledger", "serve.on_demand"}
    assert keys == openclaw_settings().keys()


def test_the_defaults_of_all_settings_fit_the_schema_and_mean_the_same_as_a_variable() -> None:
    schemas = dict(_leaves(openclaw_manifest()["configSchema"]))
    types: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": tuple}
    for entry in CATALOGUE.entries:
        if entry.openclaw in schemas and entry.openclaw not in NOT_SETTINGS:
            schema = schemas[entry.openclaw]
            assert isinstance(entry.default, types[schema["type"]]), entry.key
            assert schema.get("minimum", entry.default) <= entry.default <= schema.get("maximum", entry.default)
            assert entry.default in schema.get("enum", [entry.default])


def test_a_setting_given_as_its_variable_is_the_setting_of_the_configuration(tmp_path: Path) -> None:
    key = openclaw_settings()["budget.maxChars"]

    assert CATALOGUE["budget.max_chars"].openclaw == "budget.maxChars"
    assert load({key: "900"}, home=str(tmp_path)).budget.max_chars == 900


def test_secrets_are_marked_for_the_host() -> None:
    secret = {entry.openclaw for entry in CATALOGUE.entries if entry.setting.secret}

    assert {key for key, hint in openclaw_manifest()["uiHints"].items() if hint["sensitive"]} == secret


def test_the_package_has_the_version_of_satchel_and_needs_no_other() -> None:
    package = json.loads((OPENCLAW / "package.json").read_text(encoding="utf-8"))

    assert package["version"] == satchel.__version__
    assert "dependencies" not in package and package["type"] == "module"
    imported = {name for path in OPENCLAW.rglob("*.js") for name in _imports(path)}
    assert {name for name in imported if not name.startswith(("node:", "./"))} == {
        "openclaw/plugin-sdk/memory-core-host-runtime-core"
    }


def _imports(path: Path) -> Iterator[str]:
    for found in re.finditer(r"""(?:\bfrom|\bimport\()\s*"([^"]+)\"""", path.read_text(encoding="utf-8")):
        yield found[1]


def _leaves(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, inner in schema["properties"].items():
        if inner["type"] == "object":
            yield from _leaves(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner
