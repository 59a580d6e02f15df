"""Which extras are installed, and the command that installs one."""

import sys
from pathlib import Path

import pytest

from satchel.adapters import extras
from satchel.adapters.extras import Extra
from satchel.errors import Unavailable
from tests.tables import each_case, fresh_folder

ABSENT = Extra("absent", ("json", "no_such_module"), "flying")


def test_an_extra_whose_modules_are_there_is_not_missing() -> None:
    assert extras.missing(Extra("present", ("json", "array"), "reading")) is None
    extras.require(Extra("present", ("json",), "reading"))


@each_case(
    ("marker", "command"),
    [
        ("", "pip install 'satchel-memory[absent]'"),
        ("uv-receipt.toml", "uv tool install 'satchel-memory[absent]'"),
        ("pipx_metadata.json", "pipx runpip satchel-memory install 'satchel-memory[absent]'"),
    ],
)
def test_the_error_names_the_command_of_the_tool_that_installed_satchel(
    marker: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = fresh_folder(tmp_path)
    if marker:
        (environment / marker).touch()
    monkeypatch.setattr(sys, "prefix", str(environment))

    with pytest.raises(Unavailable) as raised:
        extras.require(ABSENT)

    assert (raised.value.code, raised.value.hint) == ("missing_extra", command)
    assert raised.value.message == "flying needs the extra [absent], which is not installed"
