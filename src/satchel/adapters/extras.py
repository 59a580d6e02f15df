"""Optional packages: whether they are installed, and how to install the extra that brings them."""

import sys
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from satchel.errors import Unavailable
from satchel.ports import MissingExtra

PACKAGE = "satchel-memory"


class Extra(Struct, frozen=True):
    """An extra of the package: a group of optional packages."""

    name: str
    modules: tuple[str, ...]
    """The modules it brings; all must be there."""
    purpose: str
    """What cannot be done without it."""


INDEX = Extra("index", ("lance", "pyarrow"), "an index for a large store")
BACKUP = Extra("backup", ("pyrage",), "an encrypted backup")
TABLES = Extra("index", ("lance", "pyarrow"), "reading and writing a LanceDB table")
POSTGRES = Extra("postgres", ("psycopg", "psycopg_pool"), "a store in PostgreSQL")
MINILM = Extra("minilm", ("onnx", "safetensors"), "building the graph of MiniLM")


def missing(extra: Extra) -> MissingExtra | None:
    """Return what to do if an extra is not installed; None if it is. Loads nothing."""
    if all(find_spec(name) is not None for name in extra.modules):
        return None
    return MissingExtra(f"{extra.purpose} needs the extra [{extra.name}], which is not installed", _command(extra))


def require(extra: Extra) -> None:
    """Raise Unavailable if an extra is not installed."""
    if (found := missing(extra)) is not None:
        raise Unavailable(found.message, code="missing_extra", hint=found.hint)


def _command(extra: Extra) -> str:
    """Return the command that adds an extra, by the tool that made this environment."""
    wanted, environment = f"'{PACKAGE}[{extra.name}]'", Path(sys.prefix)
    if (environment / "uv-receipt.toml").exists():
        return f"uv tool install {wanted}"
    if (environment / "pipx_metadata.json").exists():
        return f"pipx runpip {PACKAGE} install {wanted}"
    return f"pip install {wanted}"
