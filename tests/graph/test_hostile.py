"""Texts that are made to take long do not: every reader looks at a text a bounded number of times.

No clock is asked. A reader that looks at these again and again for every character would not end within a test run.
"""

import pytest

from satchel.graph.prose import read_prose
from satchel.graph.reading import read_file

LONG = 100_000
TEXTS = {
    "spaces": " " * LONG,
    "lines": "\n" * LONG,
    "a heading of spaces": "# " + " " * LONG + "x",
    "headings": "# a\n" * (LONG // 4),
    "fences": "```a\n" * (LONG // 5),
    "indented fence": " " * LONG + "```",
    "bars": "|" * LONG + "x",
    "brackets": "[" * LONG,
    "links": "[a](b" * (LONG // 5),
    "ticks": "`" * LONG,
    "mentions": "`ab` " * (LONG // 5),
    "deciders": "- **deciders" * (LONG // 12),
    "options": "## Options\n" + "- a\n" * (LONG // 4),
    "digits": "1" * LONG + ".",
    "dashes": "---\n" * (LONG // 4),
    "sentences": "Alpha uses Beta. " * (LONG // 17),
    "one sentence": "Alpha uses Beta and " * (LONG // 20),
    "chinese": "支付依赖会话，" * (LONG // 7),
    "aliases": "A (aka " * (LONG // 7),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("path", ["docs/decisions/a.md", "a.py", "requirements.txt", "package.json", "pyproject.toml"])
def test_a_file_made_to_take_long_is_read(name: str, path: str) -> None:
    assert len(read_file(path, TEXTS[name], "p").claims) <= 20_000


@pytest.mark.parametrize("name", TEXTS)
def test_a_memory_made_to_take_long_is_read(name: str) -> None:
    assert len(read_prose(TEXTS[name]).claims) <= 20_000


@pytest.mark.parametrize("conditions", [900, 5_000])
def test_a_long_chain_of_conditions_ends_no_reading(conditions: int) -> None:
    code = "import os\nif a: pass\n" + "elif b: pass\n" * conditions + "def f(): os.remove()\n"

    assert read_file("a.py", code, "p").sightings[0].ref.name == "a"


def test_many_parameters_are_many() -> None:
    code = f"def f({', '.join(f'p{number}' for number in range(20_000))}): return p1()\n"

    assert len(read_file("a.py", code, "p").sightings) == 3
