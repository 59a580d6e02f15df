"""SECURITY.md says nothing that cannot be run or opened."""

import re
from pathlib import Path

from satchel import __version__
from satchel.interfaces.agents import EVERYDAY_TOOLS, TOOLS
from satchel.interfaces.cli.commands import COMMANDS
from satchel.interfaces.operations import AREAS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_every_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", PAGE)

    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_every_test_of_this_folder_is_named() -> None:
    own = {f"tests/security/{one.name}" for one in Path(__file__).parent.glob("test_*.py")} - {
        "tests/security/test_policy.py"
    }

    assert own == set(re.findall(r"\((tests/security/test_\w+\.py)\)", PAGE))


def test_every_command_exists() -> None:
    known = {word for area in AREAS.values() for word in area.words} | {one.name for one in COMMANDS}
    named = set(re.findall(r"`satchel (\w[\w-]*)", PAGE))

    assert named and named <= known


def test_what_it_says_of_agents_holds() -> None:
    assert __version__
    assert "confirm" not in TOOLS and "review" not in TOOLS
    assert set(EVERYDAY_TOOLS) <= set(TOOLS)


def test_it_is_two_screens_at_most() -> None:
    assert len(PAGE.splitlines()) <= 80
