"""Settings: sources, precedence, and values that are refused."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from platformdirs import user_data_dir
from tests.tables import each_case

from satchel.config import EmbeddingSettings, Settings, load, read_sources, sources_of
from satchel.config.answers import SettingSource
from satchel.config.catalogue import SettingEntry
from satchel.config.settings import value_of
from satchel.config.sources import CATALOGUE
from satchel.domain.embedding import Clamp
from satchel.domain.policies import Policies, RecallPolicy, ScopePolicy
from satchel.errors import InvalidRequest
from satchel.locations import platform_folder_name

NUMBERS = [one for one in CATALOGUE.entries if one.kind in (int, float)]
WHOLE = [one for one in NUMBERS if one.kind is int]
HOME = "SATCHEL_HOME"


def named(entry: SettingEntry) -> str:
    return entry.key


def sample(entry: SettingEntry) -> Any:
    """Return a value that is not the default."""
    if entry.kind is bool:
        return not entry.default
    if entry.kind in (int, float):
        most, least = entry.setting.maximum or 0, entry.setting.minimum or 0
        return entry.kind(least if most == entry.default else most)
    if entry.kind is tuple:
        return ("team/a", "team/b")
    return (entry.setting.choices or ("given",))[-1]


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def override(entry: SettingEntry, value: Any) -> dict[str, Any]:
    return {entry.group: {entry.name: value}} if entry.group else {entry.name: value}


def write(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")


def refusal(environment: dict[str, str] | None = None, **given: Any) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        load(environment or {}, **given)
    assert caught.value.code == "invalid_setting"
    return caught.value


# Sources


def test_defaults_apply_when_nothing_is_given() -> None:
    assert load({}) == Settings()
    assert (Settings().scope_policy.default_scope, Settings().recall.fusion) == ("global", "scores")
    assert {one.source for one in read_sources({}).readings} == {SettingSource.DEFAULT}


@each_case("entry", CATALOGUE.entries, ids=named)
def test_every_setting_is_read_from_its_variable(entry: SettingEntry) -> None:
    value = sample(entry)
    found = load({entry.variable: as_text(value)})
    assert value_of(found, entry) == value
    assert found == load({}, **override(entry, value)) != Settings()


@each_case("entry", [one for one in CATALOGUE.entries if one.in_file], ids=named)
def test_flags_override_environment_over_file_over_default(entry: SettingEntry, home: Path) -> None:
    value = sample(entry)
    line = f"{entry.name} = {json.dumps(value)}"
    write(home, f"[{entry.group}]\n{line}\n" if entry.group else line)
    sources = read_sources({}, home=str(home))
    assert (sources.of(entry).value, sources.of(entry).source) == (value, SettingSource.FILE)

    other = entry.default
    text = as_text(other)
    if text:
        sources = read_sources({entry.variable: text}, home=str(home))
        assert (sources.of(entry).value, sources.of(entry).source) == (other, SettingSource.ENVIRONMENT)
    sources = read_sources({entry.variable: as_text(value)}, home=str(home), **override(entry, other))
    assert (sources.of(entry).value, sources.of(entry).source) == (other, SettingSource.FLAG)


def test_none_means_not_given() -> None:
    environment = {"SATCHEL_SCOPE": "team", "SATCHEL_RECALL_LIMIT": "7"}
    found = load(environment, scope_policy=None, home=None, recall={"limit": None})
    assert (found.scope_policy.default_scope, found.recall.limit) == ("team", 7)


def test_an_empty_variable_means_not_given() -> None:
    assert load({one.variable: "" for one in CATALOGUE.entries}) == Settings()


def test_unrelated_variables_are_ignored() -> None:
    assert load({"HOME": "/h", "SCOPE": "x", "satchel_scope": "x", "SATCHEL_UNKNOWN": "x"}) == Settings()


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_SCOPE", "from-process")
    assert load().scope_policy.default_scope == "from-process"
    assert load({}).scope_policy.default_scope == "global"


def test_an_overridden_value_is_not_checked(home: Path) -> None:
    write(home, "[recall]\nlimit = 'many'\n")
    assert load({"SATCHEL_RECALL_LIMIT": "9"}, home=str(home)).recall.limit == 9
    assert load({"SATCHEL_RECALL_LIMIT": "soon"}, home=str(home), recall={"limit": 3}).recall.limit == 3


def test_the_file_of_the_given_home_is_read(home: Path, tmp_path: Path) -> None:
    write(home, "read_only = true\n")
    write(tmp_path / "other", "[recall]\nlimit = 9\n")
    assert load({HOME: str(home)}).read_only
    both = load({HOME: str(home)}, home=str(tmp_path / "other"))
    assert (both.read_only, both.recall.limit) == (False, 9)


def test_true_or_false_switches_a_group(home: Path) -> None:
    write(home, "scope_policy = false\nbudget = true\n")
    assert load({}, home=str(home)).scope_policy == ScopePolicy(enabled=False)
    assert load({}, home=str(home), budget=False).budget.enabled is False


def test_sources_of_settings_return_the_same_settings(home: Path) -> None:
    made = Settings(home=str(home), recall=RecallPolicy(limit=9))
    assert sources_of(made).settings == made


# What is refused


@each_case("entry", NUMBERS, ids=named)
@each_case("text", ["soon", "1.5.2", "0x10", "-", "NaN", "inf", "9" * 5_000])
def test_text_that_is_not_a_number_is_refused(entry: SettingEntry, text: str) -> None:
    assert entry.variable in refusal({entry.variable: text}).message


@each_case("entry", WHOLE, ids=named)
@pytest.mark.parametrize(
    "value", [1_000.0, 1_000.5, float("nan"), "1000", b"1000", [1_000], True, False, pytest.param(10**5_000, id="long")]
)
def test_integers_must_be_integers(entry: SettingEntry, value: object) -> None:
    refusal(**override(entry, value))


@each_case("entry", NUMBERS, ids=named)
def test_numbers_are_accepted_only_within_their_range(entry: SettingEntry) -> None:
    least, most, step = entry.setting.minimum, entry.setting.maximum, 1 if entry.kind is int else 0.001
    assert least is not None
    assert most is not None
    for value in (entry.kind(least), entry.kind(most)):
        assert value_of(load({}, **override(entry, value)), entry) == value
    for value in (one for one in (entry.kind(least - step), entry.kind(most + step)) if one != entry.setting.off):
        message = refusal(**override(entry, value)).message
        assert f"from {least} to {most}" in message
        assert entry.key in message


def test_a_limit_may_be_off_or_in_its_range() -> None:
    assert load({}, embedding={"max_bytes": 0}).embedding.max_bytes == 0
    assert "or 0 for off" in refusal(embedding={"max_bytes": 1}).message


@each_case("text", ["true", "1", "YES", " on ", "True"])
def test_a_switch_is_on(text: str) -> None:
    assert load({"SATCHEL_READ_ONLY": text}).read_only is True


@each_case("text", ["false", "0", "No", "off"])
def test_a_switch_is_off(text: str) -> None:
    assert load({"SATCHEL_BUDGET_ENABLED": text}).budget.enabled is False


@each_case("text", ["maybe", "2", "-1", "enabled"])
def test_an_invalid_switch_is_refused(text: str) -> None:
    message = refusal({"SATCHEL_READ_ONLY": text}).message
    assert f"read_only is {text!r}" in message
    assert "true or false, or yes, no, on, off, 1, 0" in message


def test_lists_are_separated_by_commas_and_bounded() -> None:
    variable = "SATCHEL_SCOPE_POLICY_FALLBACK_SCOPES"
    assert load({variable: " a , b,,c "}).scope_policy.fallback_scopes == ("a", "b", "c")
    assert "at most 6" in refusal({variable: "a,b,c,d,e,f,g"}).message
    refusal(scope_policy={"fallback_scopes": "a"})
    refusal(scope_policy={"fallback_scopes": [1]})


@each_case("scope", ["*", "All", "a b", "x" * 65, " "])
def test_an_invalid_scope_is_refused_from_every_source(scope: str) -> None:
    assert "SATCHEL_SCOPE" in refusal({"SATCHEL_SCOPE": scope}).message
    assert "use up to 64 of a-z" in refusal(scope_policy={"default_scope": scope}).message
    refusal(scope_policy={"fallback_scopes": ["good", scope]})
    with pytest.raises(InvalidRequest):
        Settings(scope_policy=ScopePolicy(default_scope=scope))


def test_a_value_outside_the_choices_is_refused() -> None:
    assert "one of: scores, rrf" in refusal({"SATCHEL_RECALL_FUSION": "magic"}).message
    refusal({"SATCHEL_EMBEDDER": "magic"})


@each_case("text", ["a\0b", "a\nb", "\udcff", 5, None.__class__])
def test_control_characters_and_surrogates_are_refused(text: Any) -> None:
    refusal(embedding={"model": text})


def test_a_secret_is_not_repeated_in_the_error() -> None:
    assert "hunter2" not in refusal(embedding={"api_key": "hunter2\n"}).message


@each_case(
    ("text", "said"),
    [
        ("recall = 5", "recall must be a table of settings"),
        ("budget = 'yes'", "budget must be true, false or a table"),
        ("recall = true", "recall must be a table of settings"),
        ("[recall]\nlimit = 'five'", "recall.limit is 'five'; it must be a whole number from 1 to 50"),
        ("[recall]\nlimit = true", "recall.limit is true; it must be a whole number"),
        ("[recall]\nlimit = 51", "from 1 to 50"),
        ("[recall]\nmin_relevance = nan", "a number from 0.0 to 1.0"),
        ("read_only = 1", "read_only is 1; it must be true or false"),
        ("models = 1979-05-27", "models is"),
        ("home = '/x'", "home cannot be set"),
        ("recall = [", "cannot be read"),
        ("[recall]\n[recall]\n", "cannot be read"),
        ("x = " + "[" * 5_000, "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_is_one_error_that_names_the_file(home: Path, text: str, said: str) -> None:
    write(home, text)
    message = refusal(home=str(home)).message
    assert message.startswith(str(home / "config.toml"))
    assert said in message


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("readonly = true", "read_only"),
        ("[recal]\nlimit = 3", "recall"),
        ("[recall]\nlimits = 3", "recall.limit"),
        ("[embedding]\napiKey = 'x'", "embedding.api_key"),
    ],
)
def test_an_unknown_name_is_refused_with_a_suggestion(home: Path, text: str, meant: str) -> None:
    write(home, text)
    assert refusal(home=str(home)).hint == f"did you mean {meant}?"


def test_an_unknown_name_without_a_close_match_points_to_the_list() -> None:
    assert refusal(zzzzzz=1).hint == "'satchel config explain' lists them all"
    assert refusal(recall={"zzzzzzzzzzzzz": 1}).hint == "'satchel config explain' lists them all"


def test_a_file_that_is_not_utf8_or_not_regular_is_refused(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_bytes(b"models = '\xff'")
    assert "not UTF-8" in refusal(home=str(home)).message
    (home / "config.toml").unlink()
    (home / "config.toml").mkdir()
    refusal(home=str(home))
    (home / "config.toml").rmdir()
    os.mkfifo(home / "config.toml")
    assert "not a regular file" in refusal(home=str(home)).message


def test_an_impossible_path_counts_as_no_file(home: Path) -> None:
    assert not home.exists()
    load({}, home=str(home))
    home.write_text("a file", encoding="utf-8")
    load({}, home=str(home))
    load({}, home="x" * 5_000)


def test_all_problems_are_reported_at_once(home: Path) -> None:
    write(home, "x = 1\nread_only = 3\n[recall]\na = 1\nb = 2\nlimit = 7\n")
    sources = read_sources({}, home=str(home))
    assert len(sources.problems) == 4
    assert sources.of(CATALOGUE["recall.limit"]).value == 7
    assert sources.of(CATALOGUE["read_only"]).value is False


# What they come to


def test_every_setting_has_help_a_unique_name_and_a_range_with_its_default() -> None:
    for names in ([one.key for one in CATALOGUE.entries], [one.variable for one in CATALOGUE.entries]):
        assert len(set(names)) == len(CATALOGUE.entries)
    assert len({one.openclaw for one in CATALOGUE.entries}) == len(CATALOGUE.entries)
    assert all(one.setting.help for one in CATALOGUE.entries)
    for one in NUMBERS:
        assert one.setting.minimum is not None
        assert one.setting.maximum is not None
    assert Settings() == Settings()


def test_the_policies_are_those_that_were_set() -> None:
    assert Settings().policies == Policies()
    assert load({}, recall={"limit": 9}).policies == Policies(recall=RecallPolicy(limit=9))


def test_the_home_folder_can_be_set(tmp_path: Path) -> None:
    assert load({}, home=str(tmp_path)).home_folder == tmp_path
    assert load({HOME: "/somewhere"}).home_folder == Path("/somewhere")
    assert load({}, home="~/notes").home_folder == Path.home() / "notes"


@pytest.mark.skipif(sys.platform == "win32", reason="there, any name after ~ is a folder")
def test_the_home_of_an_unknown_user_is_refused() -> None:
    assert "~nosuchuser" in refusal(home="~nosuchuser/notes").message
    nobody = load({}, models="~nosuchuser")
    with pytest.raises(InvalidRequest) as caught:
        _ = nobody.models_folder
    assert caught.value.code == "invalid_setting"


def test_an_empty_home_is_refused() -> None:
    assert "--home" in refusal(home="").hint


@pytest.mark.skipif(sys.platform != "linux", reason="the folder differs by platform")
def test_the_default_home_is_the_platforms_data_folder(tmp_path: Path) -> None:
    assert load({}).home_folder == tmp_path / "person" / "data" / "satchel"
    assert load({}).models_folder == tmp_path / "person" / "data" / "satchel" / "models"


def test_models_are_shared_by_stores_and_can_be_moved(tmp_path: Path) -> None:
    elsewhere = load({}, home=str(tmp_path), models="~/models")
    assert elsewhere.models_folder == Path.home() / "models"
    assert load({}, home=str(tmp_path)).models_folder == load({}).models_folder


def test_the_clamp_is_made_of_its_three_settings() -> None:
    assert load({}).clamp == Clamp(max_chars=6_000, head_chars=500, max_bytes=0)
    short = EmbeddingSettings(max_chars=200, head_chars=0, max_bytes=500)
    assert replace(Settings(), embedding=short).clamp == Clamp(200, 0, 500)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from([one.variable for one in CATALOGUE.entries]), st.text(max_size=8), max_size=4))
def test_any_environment_is_accepted_or_refused_with_a_code(environment: dict[str, str]) -> None:
    try:
        assert isinstance(load(environment), Settings)
    except InvalidRequest as error:
        assert error.code == "invalid_setting"


@pytest.mark.parametrize("named", [None, "", " ", "/somewhere/else", "relative"])
def test_the_platform_folder_equals_that_of_platformdirs(named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if named is None:
        monkeypatch.delenv("XDG_DATA_HOME")
    else:
        monkeypatch.setenv("XDG_DATA_HOME", named)
    assert platform_folder_name() == user_data_dir("satchel", appauthor=False)
