"""The reference pages are up to date, and links work."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_pages_are_up_to_date() -> None:
    assert _generator().stale_pages(write=False) == [], "run `make docs`"


def test_every_link_between_pages_works() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_screenshots_of_the_readme_are_small() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    sizes = {name: (ROOT / name).stat().st_size for name in re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", readme)}

    assert len(sizes) == 4
    assert {name: size for name, size in sizes.items() if size > 150_000} == {}


def test_the_readme_has_examples() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert readme.count("```console\n") == 1
    assert readme.count("```python\n") == 1
