"""Writes what the plugins know of the code: tools, settings and version. `--check` only says which files are stale."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from satchel import __version__
from satchel.config.catalogue import SettingEntry, camel_case
from satchel.config.sources import CATALOGUE
from satchel.interfaces import agents, toolbox
from satchel.interfaces.agents import Bounds

OPENCLAW = Path(__file__).parent / "openclaw"
DESCRIPTION = "One local, auditable memory for every agent you run."
# In the host's own memory plugin, and answered by ours in the same form.
HOST_TOOLS = ("memory_search", "memory_get")
# The plugin names the folder itself, and only a server in the store's folder can be found and started.
_NOT_OFFERED = ("home", "ledger", "serve.on_demand")
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_OWN_SETTINGS = {
    "command": "program of Satchel; 'satchel' on the path if omitted",
    "home": "folder of the store; that of 'satchel' itself if omitted",
    "scope": "scope of every turn and tool call; auto, the default, is the project of the agent's workspace",
    "files": "folder in which agents may export and import; neither is possible without it",
}
_SCOPED = Bounds(scope="auto", follows_project=True, folder=Path())


def openclaw_manifest() -> dict[str, Any]:
    """Return the manifest: what the plugin is, its tools, its command and its configuration."""
    return {
        "id": "satchel",
        "name": "Satchel",
        "description": DESCRIPTION,
        "version": __version__,
        "kind": "memory",
        "categories": ["memory"],
        "activation": {"onStartup": True},
        "contracts": {"tools": sorted({*(tool["name"] for tool in openclaw_tools()), *HOST_TOOLS})},
        "toolMetadata": {
            name: {"replaySafe": True}
            for name in sorted({*HOST_TOOLS, *(tool["name"] for tool in openclaw_tools() if _is_read(tool))})
        },
        "cliCommands": [
            {
                "name": "ltm",
                "description": "List, search, count, export and import the memories of Satchel",
                "hasSubcommands": True,
            }
        ],
        "uiHints": {entry.openclaw: {"sensitive": True} for entry in _offered_settings() if entry.setting.secret},
        "configSchema": _configuration(),
    }


def openclaw_package() -> dict[str, Any]:
    """Return the package description, which names the entry."""
    return {
        "name": "satchel-openclaw",
        "version": __version__,
        "description": DESCRIPTION,
        "license": "Apache-2.0",
        "private": True,
        "type": "module",
        "openclaw": {"extensions": ["./index.js"]},
    }


def openclaw_tools() -> list[dict[str, Any]]:
    """Return the tools. None has a scope: the plugin sets it on every call."""
    return [
        {
            "name": name,
            "label": name.replace("_", " ").title(),
            "description": toolbox.description(operation),
            "parameters": toolbox.input_schema(operation, _SCOPED),
            "writes": operation.writes,
            "repeatable": operation.idempotent or not (operation.writes or operation.handles_files),
            "scoped": any(parameter.name == "scope" for parameter in operation.parameters),
        }
        for name, operation in agents.TOOLS.items()
        if operation.agents_only
    ]


def _is_read(tool: dict[str, Any]) -> bool:
    return tool["repeatable"] and not tool["writes"]


def openclaw_settings() -> dict[str, str]:
    """Return the environment variable of every setting that the plugin's configuration may have, by its key there."""
    return {entry.openclaw: entry.variable for entry in _offered_settings()}


def _offered_settings() -> Iterator[SettingEntry]:
    return (entry for entry in CATALOGUE.entries if entry.key not in _NOT_OFFERED)


def _configuration() -> dict[str, Any]:
    properties: dict[str, Any] = {
        name: {"type": "string", "minLength": 1, "description": text} for name, text in _OWN_SETTINGS.items()
    }
    properties["groups"] = {
        "type": "boolean",
        "default": False,
        "description": "also recall and capture in groups and channels, where other people speak and read",
    }
    for entry in _offered_settings():
        if entry.group:
            group = properties.setdefault(camel_case(entry.group), _object(CATALOGUE.groups[entry.group].__doc__))
            group["properties"][camel_case(entry.name)] = _setting_schema(entry)
        else:
            properties[entry.openclaw] = _setting_schema(entry)
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _object(description: str | None) -> dict[str, Any]:
    return {
        "type": "object",
        "description": (description or "").strip(),
        "additionalProperties": False,
        "properties": {},
    }


def _setting_schema(entry: SettingEntry) -> dict[str, Any]:
    """Return the schema of a setting. The host fills in no default: what is not given comes from the store's settings."""
    setting = entry.setting
    shown = f" (default {json.dumps(entry.default, ensure_ascii=False)})" if entry.default not in ("", ()) else ""
    description = f"{setting.help}{shown}"
    if entry.kind is tuple:
        bound = {} if setting.max_items is None else {"maxItems": setting.max_items}
        return {"type": "array", "items": {"type": "string"}, **bound, "description": description}
    limits: dict[str, Any] = {}
    if setting.choices:
        limits["enum"] = list(setting.choices)
    # A number outside of the range that switches a setting off counts as its limit.
    bounds = [one for one in (setting.minimum, setting.off) if one is not None]
    if setting.minimum is not None:
        limits["minimum"] = min(bounds)
    if setting.maximum is not None:
        limits["maximum"] = max(setting.maximum, setting.off if setting.off is not None else setting.maximum)
    return {"type": _TYPES[entry.kind], **limits, "description": description}


FILES = {
    OPENCLAW / "openclaw.plugin.json": openclaw_manifest,
    OPENCLAW / "package.json": openclaw_package,
    OPENCLAW / "lib" / "tools.json": openclaw_tools,
    OPENCLAW / "lib" / "settings.json": openclaw_settings,
}


def stale_files(*, write: bool) -> list[str]:
    """Return the names of the files that differ from what the code says; with `write`, mend them."""
    stale = []
    for path, content in FILES.items():
        text = json.dumps(content(), ensure_ascii=False, indent=2) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if write:
                path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    checking = "--check" in sys.argv
    found = stale_files(write=not checking)
    print(f"{'stale' if checking else 'written'}: {', '.join(found) or 'none'}")
    sys.exit(1 if checking and found else 0)
