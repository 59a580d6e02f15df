"""Editing the settings file: layout, comments, permissions, concurrency."""

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faults.extent import extent
from tests.tables import each_case

from satchel.config import Settings, file, load
from satchel.config.catalogue import SettingEntry
from satchel.config.settings import value_of
from satchel.config.sources import CATALOGUE
from satchel.errors import InvalidRequest

WRITTEN = """# My settings.
models = "/big/disk" # shared

# What a recall does.
[recall] # short answers
limit = 3   # three
  # indented remark

# Who sees what.
[scope_policy]
fallback_scopes = [
  "a", # first
  "b",
]
"""


@pytest.fixture
def path(home: Path) -> Path:
    home.mkdir()
    return home / file.NAME


def changed(path: Path, key: str, value: Any) -> str:
    file.set_value(path, CATALOGUE[key], value)
    return path.read_text(encoding="utf-8")


def test_a_value_is_changed_in_place(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    assert changed(path, "recall.limit", 8) == WRITTEN.replace("limit = 3 ", "limit = 8 ")


def test_a_new_value_goes_into_its_table_without_moving_comments(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    text = changed(path, "recall.fusion", "rrf")
    assert text == WRITTEN.replace("# three\n", '# three\nfusion = "rrf"\n')


def test_a_new_table_goes_to_the_end(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    assert changed(path, "budget.max_chars", 900) == WRITTEN + "\n[budget]\nmax_chars = 900\n"


def test_a_new_value_at_the_top_keeps_every_line(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    text = changed(path, "read_only", True)
    assert [line for line in text.splitlines() if line and line != "read_only = true"] == [
        line for line in WRITTEN.splitlines() if line
    ]
    assert tomllib.loads(text)["read_only"] is True


def test_a_value_is_removed_and_the_rest_stays(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    assert file.remove(path, "recall", "limit")
    assert path.read_text(encoding="utf-8") == WRITTEN.replace("limit = 3   # three\n", "")
    assert not file.remove(path, "recall", "limit")


def test_a_whole_table_is_removed(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    assert file.remove(path, "scope_policy", "")
    assert tomllib.loads(path.read_text(encoding="utf-8")) == {"models": "/big/disk", "recall": {"limit": 3}}


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("budget = false\n", "budget.max_chars", 900, {"budget": {"enabled": False, "max_chars": 900}}),
        ("budget = false\n", "budget.enabled", True, {"budget": {"enabled": True}}),
        ("recall = 5\nread_only = true\n", "recall.limit", 9, {"recall": {"limit": 9}, "read_only": True}),
        (
            "recall.limit = 5\nread_only = true\n",
            "recall.fusion",
            "rrf",
            {"recall": {"limit": 5, "fusion": "rrf"}, "read_only": True},
        ),
        ("recall = { limit = 5 }\n", "recall.fusion", "rrf", {"recall": {"limit": 5, "fusion": "rrf"}}),
        ("[recall]\nlimit = 5", "recall.fusion", "rrf", {"recall": {"limit": 5, "fusion": "rrf"}}),
        ("[recall]\r\nlimit = 5\r\n", "recall.limit", 6, {"recall": {"limit": 6}}),
        ("x = 1\n[y]\nz = 2\n", "read_only", True, {"x": 1, "y": {"z": 2}, "read_only": True}),
        ("", "scope_policy.fallback_scopes", ("a", "b"), {"scope_policy": {"fallback_scopes": ["a", "b"]}}),
        ("", "embedding.url", 'a"b\\c 記', {"embedding": {"url": 'a"b\\c 記'}}),
    ],
)
def test_every_layout_can_be_changed(path: Path, before: str, key: str, value: Any, after: dict[str, Any]) -> None:
    path.write_text(before, encoding="utf-8", newline="")
    assert tomllib.loads(changed(path, key, value)) == after


def test_a_group_switch_is_removed(path: Path) -> None:
    path.write_text("budget = false\n", encoding="utf-8")
    assert not file.remove(path, "budget", "max_chars")
    assert file.remove(path, "budget", "enabled")
    assert path.read_text(encoding="utf-8") == ""


def test_an_invalid_file_is_not_changed(path: Path) -> None:
    path.write_text("recall = [\n", encoding="utf-8")
    for change in (
        lambda: file.set_value(path, CATALOGUE["recall.limit"], 5),
        lambda: file.remove(path, "recall", "limit"),
    ):
        with pytest.raises(InvalidRequest):
            change()
    assert path.read_text(encoding="utf-8") == "recall = [\n"


def test_file_and_folder_are_private(home: Path) -> None:
    before = os.umask(0)
    try:
        file.set_value(home / "deep" / file.NAME, CATALOGUE["recall.limit"], 5)
    finally:
        os.umask(before)
    assert stat.S_IMODE((home / "deep").stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "deep" / file.NAME).stat().st_mode) == 0o600
    assert [one.name for one in (home / "deep").iterdir()] == [file.NAME]


def test_a_change_makes_a_readable_file_private(path: Path) -> None:
    path.write_text(WRITTEN, encoding="utf-8")
    path.chmod(0o644)
    changed(path, "embedding.api_key", "secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("", encoding="utf-8")
    path.symlink_to(tmp_path / "dotfiles.toml")
    changed(path, "recall.limit", 5)
    assert path.is_symlink()
    assert "limit = 5" in (tmp_path / "dotfiles.toml").read_text(encoding="utf-8")


def test_a_failed_write_keeps_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(WRITTEN, encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        changed(path, "recall.limit", 8)
    assert path.read_text(encoding="utf-8") == WRITTEN
    assert [one.name for one in path.parent.iterdir()] == [file.NAME]


def test_concurrent_changes_lose_nothing(home: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from satchel.config import file; from satchel.config.sources import CATALOGUE\n"
        "for value in range(1, 6): file.set_value(Path(sys.argv[1]), CATALOGUE[sys.argv[2]], value)"
    )
    keys = ["recall.limit", "budget.min_recent_slots", "receipts.max_items", "embedding.head_chars"]
    running = [subprocess.Popen([sys.executable, "-c", script, str(home / file.NAME), key]) for key in keys]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    found = load({}, home=str(home))
    assert {value_of(found, CATALOGUE[key]) for key in keys} == {5}


def _values(entry: SettingEntry) -> st.SearchStrategy[Any]:
    setting = entry.setting
    # As long as the shortest limit on their length allows: each entry is valid whatever the others are.
    scopes = st.from_regex(r"[a-z0-9][a-z0-9._:/-]{0,7}", fullmatch=True)
    if entry.kind is bool:
        return st.booleans()
    if entry.kind is tuple:
        return st.lists(scopes, max_size=setting.max_items).map(tuple)
    if entry.kind is int:
        return st.integers(int(setting.minimum or 0), int(setting.maximum or 0))
    if entry.kind is float:
        return st.floats(setting.minimum, setting.maximum)
    if setting.choices:
        return st.sampled_from([str(choice) for choice in setting.choices])
    return scopes if "scope" in entry.name else st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)


def _fits(chosen: dict[str, Any]) -> bool:
    """Say whether every scope that is named is short enough for the longest that is chosen with it."""
    names = [chosen.get("scope_policy.default_scope", ""), *chosen.get("scope_policy.fallback_scopes", ())]
    longest: int = chosen.get("scope_policy.max_scope_length", 64)
    return max(map(len, names)) <= longest


VALUES = {one.key: _values(one) for one in CATALOGUE.entries if one.in_file}
# Every edit parses the whole file, so a file with all settings at once would take most of the time of the suite.
PARTS = [list(VALUES)[start : start + 8] for start in range(0, len(VALUES), 8)]
others = st.lists(st.sampled_from(list(VALUES)), max_size=3)


@each_case("keys", PARTS, ids=lambda keys: keys[0])
@settings(max_examples=extent(3, 8), deadline=None, derandomize=True)
@given(data=st.data())
def test_every_valid_value_round_trips_through_the_file(keys: list[str], data: st.DataObject) -> None:
    from tempfile import TemporaryDirectory

    together = dict.fromkeys([*keys, *data.draw(others)])
    chosen = data.draw(st.fixed_dictionaries({key: VALUES[key] for key in together}).filter(_fits))
    given: dict[str, Any] = {}
    with TemporaryDirectory() as home:
        for key, value in chosen.items():
            entry = CATALOGUE[key]
            file.set_value(Path(home) / file.NAME, entry, value)
            (given.setdefault(entry.group, {}) if entry.group else given)[entry.name] = value
        assert load({}, home=home) == load({}, home=home, **given)
        for key in chosen:
            assert file.remove(Path(home) / file.NAME, CATALOGUE[key].group, CATALOGUE[key].name)
        assert load({}, home=home) == Settings(home=home)
