"""Splitting Markdown into statements."""

from satchel.importing.markdown import Statement, split_note, statements
from tests.tables import each_case

NOTE = """\
---
title: "House rules"
tags: [style, git]
aliases:
  - rules
  - conduct
created: 2024-05-01
---
# Project

We ship on Thursdays.
The office is in Oslo.

## Rules
* Use tabs
  - except in YAML
* Build with:
  ```
  make all
  ```

<!-- not for readers -->
Run the server:

```
make serve
```
"""


def test_front_matter_is_read_apart() -> None:
    note = split_note(NOTE)

    assert note.fields == {
        "title": "House rules",
        "tags": ["style", "git"],
        "aliases": ["rules", "conduct"],
        "created": "2024-05-01",
    }
    assert note.body.startswith("# Project")


def test_each_item_and_paragraph_is_a_statement_with_its_line() -> None:
    assert list(statements(split_note(NOTE))) == [
        Statement("We ship on Thursdays.\nThe office is in Oslo.", 11, ("Project",)),
        Statement("Use tabs", 15, ("Project", "Rules")),
        Statement("except in YAML", 16, ("Project", "Rules", "Use tabs")),
        Statement("Build with:\n```\nmake all\n```", 17, ("Project", "Rules")),
        Statement("Run the server:\n```\nmake serve\n```", 23, ("Project", "Rules")),
    ]


@each_case("text", ["", "\n\n", "---\n", "---\ntitle: x\n---", "# Only a heading", "<!-- a comment -->"])
def test_a_file_without_statements_has_none(text: str) -> None:
    assert list(statements(split_note(text))) == []


def test_deep_lists_end() -> None:
    deep = "\n".join(f"{'  ' * level}- level {level}" for level in range(500))

    assert len(list(statements(split_note(deep)))) <= 500
