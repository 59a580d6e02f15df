"""Hostile texts are read in linear time.

There is no timing: with a quadratic reader these tests would not finish.
"""

from satchel.graph.readers.prose import read_prose
from satchel.graph.reading import read_file
from tests.tables import each_case

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


@each_case("name", TEXTS)
@each_case("path", ["docs/decisions/a.md", "a.py", "requirements.txt", "package.json", "pyproject.toml"])
def test_a_hostile_file_is_read(name: str, path: str) -> None:
    assert len(read_file(path, TEXTS[name], "p").relations) <= 20_000


@each_case("name", TEXTS)
def test_a_hostile_memory_is_read(name: str) -> None:
    assert len(read_prose(TEXTS[name]).relations) <= 20_000


@each_case("conditions", [900, 5_000])
def test_a_long_elif_chain_is_read(conditions: int) -> None:
    code = "import os\nif a: pass\n" + "elif b: pass\n" * conditions + "def f(): os.remove()\n"

    assert read_file("a.py", code, "p").mentions[0].ref.name == "a"


def test_a_function_with_many_parameters_is_read() -> None:
    code = f"def f({', '.join(f'p{number}' for number in range(20_000))}): return p1()\n"

    assert len(read_file("a.py", code, "p").mentions) == 3
