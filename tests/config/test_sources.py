"""Settings: where they come from, which source wins, and which values are refused."""

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

from satchel.config import EmbeddingSettings, Settings, load, look, surveyed
from satchel.config.answers import Source
from satchel.config.catalogue import Setting
from satchel.config.settings import value_of
from satchel.config.sources import ALL
from satchel.domain.embedding import Clamp
from satchel.domain.policies import Policies, RecallPolicy, ScopePolicy
from satchel.errors import InvalidRequest
from satchel.locations import platform_folder_name

NUMBERS = [one for one in ALL.settings if one.kind in (int, float)]
WHOLE = [one for one in NUMBERS if one.kind is int]
HOME = "SATCHEL_HOME"


def named(setting: Setting) -> str:
    return setting.key


def sample(setting: Setting) -> Any:
    """Return a value that is not the default."""
    if setting.kind is bool:
        return not setting.default
    if setting.kind in (int, float):
        most, least = setting.knob.most or 0, setting.knob.least or 0
        return setting.kind(least if most == setting.default else most)
    if setting.kind is tuple:
        return ("team/a", "team/b")
    return (setting.knob.choices or ("given",))[-1]


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def override(setting: Setting, value: Any) -> dict[str, Any]:
    return {setting.group: {setting.name: value}} if setting.group else {setting.name: value}


def write(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")


def refusal(environment: dict[str, str] | None = None, **given: Any) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as caught:
        load(environment or {}, **given)
    assert caught.value.code == "invalid_setting"
    return caught.value


# Sources


def test_without_anything_given_the_defaults_hold() -> None:
    assert load({}) == Settings()
    assert (Settings().scope_policy.default_scope, Settings().recall.fusion) == ("global", "scores")
    assert {one.source for one in look({}).readings} == {Source.DEFAULT}


@pytest.mark.parametrize("setting", ALL.settings, ids=named)
def test_every_setting_is_read_from_its_variable(setting: Setting) -> None:
    value = sample(setting)
    found = load({setting.variable: as_text(value)})
    assert value_of(found, setting) == value
    assert found == load({}, **override(setting, value)) != Settings()


@pytest.mark.parametrize("setting", [one for one in ALL.settings if one.in_file], ids=named)
def test_a_flag_wins_over_the_environment_that_over_the_file_that_over_the_default(
    setting: Setting, home: Path
) -> None:
    value = sample(setting)
    line = f"{setting.name} = {json.dumps(value)}"
    write(home, f"[{setting.group}]\n{line}\n" if setting.group else line)
    survey = look({}, home=str(home))
    assert (survey.of(setting).value, survey.of(setting).source) == (value, Source.FILE)

    other = setting.default
    text = as_text(other)
    if text:
        survey = look({setting.variable: text}, home=str(home))
        assert (survey.of(setting).value, survey.of(setting).source) == (other, Source.ENVIRONMENT)
    survey = look({setting.variable: as_text(value)}, home=str(home), **override(setting, other))
    assert (survey.of(setting).value, survey.of(setting).source) == (other, Source.FLAG)


def test_what_is_given_as_none_is_not_given() -> None:
    environment = {"SATCHEL_SCOPE": "team", "SATCHEL_RECALL_LIMIT": "7"}
    found = load(environment, scope_policy=None, home=None, recall={"limit": None})
    assert (found.scope_policy.default_scope, found.recall.limit) == ("team", 7)


def test_an_empty_variable_is_not_given() -> None:
    assert load({one.variable: "" for one in ALL.settings}) == Settings()


def test_other_variables_are_not_read() -> None:
    assert load({"HOME": "/h", "SCOPE": "x", "satchel_scope": "x", "SATCHEL_UNKNOWN": "x"}) == Settings()


def test_the_environment_of_the_process_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_SCOPE", "from-process")
    assert load().scope_policy.default_scope == "from-process"
    assert load({}).scope_policy.default_scope == "global"


def test_what_is_overruled_is_not_even_looked_at(home: Path) -> None:
    write(home, "[recall]\nlimit = 'many'\n")
    assert load({"SATCHEL_RECALL_LIMIT": "9"}, home=str(home)).recall.limit == 9
    assert load({"SATCHEL_RECALL_LIMIT": "soon"}, home=str(home), recall={"limit": 3}).recall.limit == 3


def test_the_file_is_the_one_of_the_home_that_is_named(home: Path, tmp_path: Path) -> None:
    write(home, "read_only = true\n")
    write(tmp_path / "other", "[recall]\nlimit = 9\n")
    assert load({HOME: str(home)}).read_only
    both = load({HOME: str(home)}, home=str(tmp_path / "other"))
    assert (both.read_only, both.recall.limit) == (False, 9)


def test_a_group_is_switched_by_a_plain_true_or_false(home: Path) -> None:
    write(home, "scope_policy = false\nbudget = true\n")
    assert load({}, home=str(home)).scope_policy == ScopePolicy(enabled=False)
    assert load({}, home=str(home), budget=False).budget.enabled is False


def test_settings_made_by_hand_can_be_surveyed(home: Path) -> None:
    made = Settings(home=str(home), recall=RecallPolicy(limit=9))
    assert surveyed(made).settings == made


# What is refused


@pytest.mark.parametrize("setting", NUMBERS, ids=named)
@pytest.mark.parametrize("text", ["soon", "1.5.2", "0x10", "-", "NaN", "inf", "9" * 5_000])
def test_a_text_that_is_no_number_is_refused(setting: Setting, text: str) -> None:
    assert setting.variable in refusal({setting.variable: text}).message


@pytest.mark.parametrize("setting", WHOLE, ids=named)
@pytest.mark.parametrize(
    "value", [1_000.0, 1_000.5, float("nan"), "1000", b"1000", [1_000], True, False, pytest.param(10**5_000, id="long")]
)
def test_a_whole_number_that_is_given_is_one_or_refused(setting: Setting, value: object) -> None:
    refusal(**override(setting, value))


@pytest.mark.parametrize("setting", NUMBERS, ids=named)
def test_a_number_is_accepted_at_both_ends_of_its_range_and_not_beyond(setting: Setting) -> None:
    least, most, step = setting.knob.least, setting.knob.most, 1 if setting.kind is int else 0.001
    assert least is not None
    assert most is not None
    for value in (setting.kind(least), setting.kind(most)):
        assert value_of(load({}, **override(setting, value)), setting) == value
    for value in (setting.kind(least - step), setting.kind(most + step)):
        message = refusal(**override(setting, value)).message
        assert f"from {least} to {most}" in message
        assert setting.key in message


def test_a_cap_that_can_be_switched_off_is_off_or_in_its_range() -> None:
    assert load({}, embedding={"max_bytes": 0}).embedding.max_bytes == 0
    assert "or 0 for off" in refusal(embedding={"max_bytes": 1}).message


@pytest.mark.parametrize("text", ["true", "1", "YES", " on ", "True"])
def test_a_switch_is_on(text: str) -> None:
    assert load({"SATCHEL_READ_ONLY": text}).read_only is True


@pytest.mark.parametrize("text", ["false", "0", "No", "off"])
def test_a_switch_is_off(text: str) -> None:
    assert load({"SATCHEL_BUDGET_ENABLED": text}).budget.enabled is False


@pytest.mark.parametrize("text", ["maybe", "2", "-1", "enabled"])
def test_a_switch_that_is_neither_is_refused(text: str) -> None:
    assert "true or false" in refusal({"SATCHEL_READ_ONLY": text}).message


def test_a_list_is_separated_by_commas_and_has_its_limit() -> None:
    variable = "SATCHEL_SCOPE_POLICY_FALLBACK_SCOPES"
    assert load({variable: " a , b,,c "}).scope_policy.fallback_scopes == ("a", "b", "c")
    assert "at most 6" in refusal({variable: "a,b,c,d,e,f,g"}).message
    refusal(scope_policy={"fallback_scopes": "a"})
    refusal(scope_policy={"fallback_scopes": [1]})


@pytest.mark.parametrize("scope", ["*", "All", "a b", "x" * 65, " "])
def test_a_scope_that_is_none_is_refused_wherever_it_comes_from(scope: str) -> None:
    assert "SATCHEL_SCOPE" in refusal({"SATCHEL_SCOPE": scope}).message
    assert "a scope is" in refusal(scope_policy={"default_scope": scope}).hint
    refusal(scope_policy={"fallback_scopes": ["good", scope]})
    with pytest.raises(InvalidRequest):
        Settings(scope_policy=ScopePolicy(default_scope=scope))


def test_a_word_that_is_none_of_the_choices_is_refused() -> None:
    assert "one of: scores, rrf" in refusal({"SATCHEL_RECALL_FUSION": "magic"}).message
    refusal({"SATCHEL_EMBEDDER": "magic"})


@pytest.mark.parametrize("text", ["a\0b", "a\nb", "\udcff", 5, None.__class__])
def test_a_text_that_cannot_be_written_down_is_refused(text: Any) -> None:
    refusal(embedding={"model": text})


def test_a_secret_is_not_repeated_in_the_error() -> None:
    assert "hunter2" not in refusal(embedding={"api_key": "hunter2\n"}).message


@pytest.mark.parametrize(
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
def test_what_is_wrong_in_the_file_is_one_error_that_names_it(home: Path, text: str, said: str) -> None:
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
def test_an_unknown_name_is_refused_with_a_guess(home: Path, text: str, meant: str) -> None:
    write(home, text)
    assert refusal(home=str(home)).hint == f"did you mean {meant}?"


def test_an_unknown_name_without_a_likely_one_says_where_they_are_listed() -> None:
    assert refusal(zzzzzz=1).hint == "'satchel config explain' lists them all"
    assert refusal(recall={"zzzzzzzzzzzzz": 1}).hint == "'satchel config explain' lists them all"


def test_a_file_that_is_not_utf8_or_no_file_is_refused(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_bytes(b"models = '\xff'")
    assert "not UTF-8" in refusal(home=str(home)).message
    (home / "config.toml").unlink()
    (home / "config.toml").mkdir()
    refusal(home=str(home))
    (home / "config.toml").rmdir()
    os.mkfifo(home / "config.toml")
    assert "not a plain file" in refusal(home=str(home)).message


def test_where_no_file_can_be_there_is_none(home: Path) -> None:
    assert not home.exists()
    load({}, home=str(home))
    home.write_text("a file", encoding="utf-8")
    load({}, home=str(home))
    load({}, home="x" * 5_000)


def test_everything_that_is_wrong_is_found_at_once(home: Path) -> None:
    write(home, "x = 1\nread_only = 3\n[recall]\na = 1\nb = 2\nlimit = 7\n")
    survey = look({}, home=str(home))
    assert len(survey.problems) == 4
    assert survey.of(ALL["recall.limit"]).value == 7
    assert survey.of(ALL["read_only"]).value is False


# What they come to


def test_every_setting_has_help_a_name_of_its_own_and_every_number_a_range_that_holds_its_default() -> None:
    for names in ([one.key for one in ALL.settings], [one.variable for one in ALL.settings]):
        assert len(set(names)) == len(ALL.settings)
    assert len({one.openclaw for one in ALL.settings}) == len(ALL.settings)
    assert all(one.knob.help for one in ALL.settings)
    for one in NUMBERS:
        assert one.knob.least is not None
        assert one.knob.most is not None
    assert Settings() == Settings()


def test_the_policies_are_those_that_were_set() -> None:
    assert Settings().policies == Policies()
    assert load({}, recall={"limit": 9}).policies == Policies(recall=RecallPolicy(limit=9))


def test_the_store_lives_where_it_is_told_to(tmp_path: Path) -> None:
    assert load({}, home=str(tmp_path)).home_folder == tmp_path
    assert load({HOME: "/somewhere"}).home_folder == Path("/somewhere")
    assert load({}, home="~/notes").home_folder == Path.home() / "notes"


@pytest.mark.skipif(sys.platform == "win32", reason="there, any name after ~ is a folder")
def test_the_home_folder_of_nobody_is_refused() -> None:
    assert "~nosuchuser" in refusal(home="~nosuchuser/notes").message
    nobody = load({}, models="~nosuchuser")
    with pytest.raises(InvalidRequest) as caught:
        _ = nobody.models_folder
    assert caught.value.code == "invalid_setting"


def test_a_home_without_a_name_is_refused() -> None:
    assert "--home" in refusal(home="").hint


@pytest.mark.skipif(sys.platform != "linux", reason="the folder differs by platform")
def test_by_default_the_store_lives_in_the_platform_s_data_folder(tmp_path: Path) -> None:
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
@given(st.dictionaries(st.sampled_from([one.variable for one in ALL.settings]), st.text(max_size=8), max_size=4))
def test_any_environment_gives_settings_or_is_refused_by_code(environment: dict[str, str]) -> None:
    try:
        assert isinstance(load(environment), Settings)
    except InvalidRequest as error:
        assert error.code == "invalid_setting"


@pytest.mark.parametrize("named", [None, "", " ", "/somewhere/else", "relative"])
def test_the_platform_s_folder_is_the_one_that_platformdirs_names(
    named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if named is None:
        monkeypatch.delenv("XDG_DATA_HOME")
    else:
        monkeypatch.setenv("XDG_DATA_HOME", named)
    assert platform_folder_name() == user_data_dir("satchel", appauthor=False)
