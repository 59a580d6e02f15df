"""TOML is edited as text: a new table goes to the end and disappears without a trace."""

import tomllib

import pytest

from satchel.interfaces.install.toml_text import append_at, remove_at, set_at
from tests.tables import each_case

SERVER = {"command": "/bin/satchel", "args": ["mcp", "--scope", "auto"]}
PATH = ("mcp_servers", "satchel")
TEXTS = [
    "",
    'model = "x"\n',
    '# top\nmodel = "x" # best\n\n[mcp_servers.other]\ncommand = "y"\n\n# about a\n[profiles.a]\nb = 1\n# end\n',
    '[mcp_servers]\n[mcp_servers.other]\ncommand = "y"\n',
    'mcp_servers.other.command = "y"\n',
    'a = 1\r\n[b]\r\nc = "d"\r\n',
    'text = """\n[mcp_servers.satchel]\n"""\n',
]


@each_case("text", TEXTS)
def test_a_table_is_added_at_the_end_and_removed_without_a_trace(text: str) -> None:
    added = set_at(text, PATH, SERVER)

    assert added.startswith(text)
    assert tomllib.loads(added)["mcp_servers"]["satchel"] == SERVER
    assert remove_at(added, PATH) == text


@each_case("text", TEXTS)
def test_what_others_appended_stays(text: str) -> None:
    later = '\n# trusted\n[hooks.state."a:b:0:0"]\ntrusted_hash = "x"\n'

    assert remove_at(set_at(text, PATH, SERVER) + later, PATH) == text + later


def test_tables_inside_ours_are_removed_too() -> None:
    text = 'a = 1\n\n[mcp_servers.satchel]\ncommand = "x"\n\n[mcp_servers.satchel.env]\nA = "1"\n\n[b]\nc = 2\n'

    assert remove_at(text, PATH) == "a = 1\n\n[b]\nc = 2\n"


def test_an_inline_table_stays_inline() -> None:
    text = 'mcp_servers = {other = {command = "y"}}\n'

    added = set_at(text, PATH, SERVER)
    assert tomllib.loads(added)["mcp_servers"] == {"other": {"command": "y"}, "satchel": SERVER}
    assert remove_at(added, PATH) == text


def test_values_are_set_before_the_first_table() -> None:
    text = "# top\n[a]\nb = 1\n"

    assert tomllib.loads(set_at(text, ("notify",), ["x"])) == {"notify": ["x"], "a": {"b": 1}}
    assert set_at(text, ("a", "b"), 2) == "# top\n[a]\nb = 2\n"
    assert tomllib.loads(append_at(text, ("list",), 1)) == {"list": [1], "a": {"b": 1}}


def test_a_value_that_is_no_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="mcp_servers"):
        set_at("mcp_servers = 1\n", PATH, SERVER)
