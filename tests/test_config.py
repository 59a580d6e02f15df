"""Settings: where they come from, and which are refused."""

import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.config import PREFIX, Settings, load
from satchel.domain.embedding import Clamp
from satchel.errors import InvalidRequest

KNOBS = {knob.name: knob for knob in fields(Settings)}
NUMBERS = [name for name, knob in KNOBS.items() if knob.type is int]
WORDS = [name for name in KNOBS if name not in NUMBERS]


def code_for(environment: dict[str, str], **overrides: object) -> str:
    with pytest.raises(InvalidRequest) as caught:
        load(environment, **overrides)
    return caught.value.code


def variable(name: str) -> str:
    return PREFIX + name.upper()


def test_without_anything_given_the_defaults_hold() -> None:
    assert (
        load({})
        == Settings()
        == Settings(
            home="",
            scope="global",
            models="",
            embedder="",
            embedding_url="http://127.0.0.1:11434/v1",
            embedding_model="all-minilm",
            embedding_api_key="",
            embedding_dimensions=0,
            embedding_timeout_ms=10_000,
            embedding_max_chars=6_000,
            embedding_head_chars=500,
            catch_up_ms=200,
        )
    )


@pytest.mark.parametrize("name", WORDS)
def test_a_word_is_read_from_its_variable(name: str) -> None:
    given = (KNOBS[name].metadata["choices"] or ("given",))[-1]
    assert load({variable(name): given}) == load({}, **{name: given}) != Settings()


def test_a_word_that_is_none_of_the_choices_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refused:
        load({"SATCHEL_FUSION": "magic"})
    assert refused.value.code == "invalid_setting"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_read_from_its_variable(name: str) -> None:
    most = KNOBS[name].metadata["most"]
    assert load({variable(name): str(most)}) == load({}, **{name: most}) != Settings()


def test_what_is_given_wins_over_the_environment_which_wins_over_the_default() -> None:
    environment = {"SATCHEL_SCOPE": "from-environment", "SATCHEL_CATCH_UP_MS": "300"}
    assert load(environment, scope="given") == Settings(scope="given", catch_up_ms=300)
    assert load(environment, catch_up_ms=0) == Settings(scope="from-environment", catch_up_ms=0)


def test_what_is_given_as_none_is_not_given() -> None:
    assert load({"SATCHEL_SCOPE": "team"}, scope=None, home=None) == Settings(scope="team")


def test_an_empty_variable_is_not_given() -> None:
    assert load({variable(name): "" for name in KNOBS}) == Settings()


def test_other_variables_are_not_read() -> None:
    assert load({"HOME": "/h", "SCOPE": "x", "satchel_scope": "x", "SATCHEL_UNKNOWN": "x"}) == Settings()


def test_the_environment_of_the_process_is_read_when_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_SCOPE", "from-process")
    assert load().scope == "from-process"
    assert load({}).scope == "global"


def test_a_variable_that_is_overruled_is_not_even_parsed() -> None:
    assert load({"SATCHEL_CATCH_UP_MS": "soon"}, catch_up_ms=5) == Settings(catch_up_ms=5)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("text", ["soon", "1.5", "1e3", "0x10", "-", "NaN", "9" * 5_000])
def test_what_is_no_whole_number_is_refused(name: str, text: str) -> None:
    assert code_for({variable(name): text}) == "invalid_setting"


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [1_000.0, 1_000.5, float("nan"), "1000", b"1000", [1_000], True, False])
def test_a_number_that_is_given_is_a_whole_number_or_refused(name: str, value: object) -> None:
    assert code_for({}, **{name: value}) == "invalid_setting"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_accepted_at_both_ends_of_its_range_and_not_beyond(name: str) -> None:
    least, most = KNOBS[name].metadata["least"], KNOBS[name].metadata["most"]
    for value in (least, most):
        assert getattr(load({}, **{name: value}), name) == value
    for value in (least - 1, most + 1):
        assert code_for({}, **{name: value}) == "invalid_setting"
        assert code_for({variable(name): str(value)}) == "invalid_setting"


@pytest.mark.parametrize("scope", ["*", "All", "a b", "x" * 65, " "])
def test_a_scope_that_is_none_is_refused_wherever_it_comes_from(scope: str) -> None:
    assert code_for({"SATCHEL_SCOPE": scope}) == "invalid_scope"
    assert code_for({}, scope=scope) == "invalid_scope"


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(TypeError):
        load({}, no_such_setting=1)


def test_every_setting_has_help_and_every_number_a_range_that_holds_its_default() -> None:
    for name, knob in KNOBS.items():
        assert knob.metadata["help"], name
    for name in NUMBERS:
        assert KNOBS[name].metadata["least"] <= getattr(Settings(), name) <= KNOBS[name].metadata["most"], name


def test_the_store_lives_where_it_is_told_to(tmp_path: Path) -> None:
    assert load({}, home=str(tmp_path)).home_folder == tmp_path
    assert load({"SATCHEL_HOME": "/somewhere"}).home_folder == Path("/somewhere")
    assert load({}, home="~/notes").home_folder == Path.home() / "notes"


@pytest.mark.skipif(sys.platform == "win32", reason="there, any name after ~ is a folder")
def test_the_home_folder_of_nobody_is_refused() -> None:
    nobody = load({}, home="~nosuchuser/notes", models="~nosuchuser")
    for folder in ("home_folder", "models_folder"):
        with pytest.raises(InvalidRequest) as caught:
            getattr(nobody, folder)
        assert caught.value.code == "invalid_setting"
        assert "~nosuchuser" in caught.value.message


@pytest.mark.skipif(sys.platform != "linux", reason="the folder differs by platform")
def test_by_default_the_store_lives_in_the_platform_s_data_folder(tmp_path: Path) -> None:
    assert load({}).home_folder == tmp_path / "person" / "data" / "satchel"
    assert load({}).models_folder == tmp_path / "person" / "data" / "satchel" / "models"


def test_models_are_shared_by_stores_and_can_be_moved(tmp_path: Path) -> None:
    elsewhere = load({}, home=str(tmp_path), models="~/models")
    assert elsewhere.models_folder == Path.home() / "models"
    assert load({}, home=str(tmp_path)).models_folder == load({}).models_folder


def test_the_clamp_is_made_of_its_two_settings() -> None:
    assert load({}).clamp == Clamp(max_chars=6_000, head_chars=500)
    assert load({}, embedding_max_chars=200, embedding_head_chars=0).clamp == Clamp(200, 0)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from([variable(name) for name in KNOBS]), st.text(max_size=8), max_size=4))
def test_any_environment_gives_settings_or_is_refused_by_code(environment: dict[str, str]) -> None:
    try:
        assert isinstance(load(environment), Settings)
    except InvalidRequest as error:
        assert error.code in ("invalid_setting", "invalid_scope")
