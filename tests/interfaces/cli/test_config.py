"""`satchel config`: show, explain, set and unset, also with an invalid file."""

import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from satchel.config.sources import CATALOGUE
from satchel.interfaces.cli.main import main
from tests.interfaces.cli.cli_runner import Answer


@pytest.fixture
def config(capsys: pytest.CaptureFixture[str], home: Path) -> Any:
    """Run a config command on a home of its own."""

    def run(*arguments: str) -> Answer:
        code = main(["--home", str(home), "config", *arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


def write(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")
    return home / "config.toml"


class TestShow:
    def test_every_setting_is_listed_with_its_source(self, config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_SCOPE", "team")
        config("set", "recall.limit", "8")

        shown = {one["key"]: (one["value"], one["source"]) for one in config("show", "--json").result["settings"]}
        assert list(shown) == [one.key for one in CATALOGUE.entries]
        assert shown["recall.limit"] == (8, "file")
        assert shown["scope_policy.default_scope"] == ("team", "environment")
        assert shown["home"][1] == "flag"
        assert shown["budget.max_chars"] == (1800, "default")

    def test_one_setting_or_group_is_shown(self, config: Any) -> None:
        assert config("show", "recall.limit").out.splitlines()[0] == "recall.limit = 5  (default)"
        keys = [one["key"] for one in config("show", "recall", "--json").result["settings"]]
        assert keys == [one.key for one in CATALOGUE.of_group("recall")]
        assert config("show", "recal", "--json").error["hint"] == "did you mean recall?"

    def test_the_folder_in_use_and_the_model_are_named(
        self, config: Any, home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert f'home = "{home}"  (flag)' in config("show").out
        assert main(["config", "show", "home"]) == 0
        assert 'home = ""' not in capsys.readouterr().out
        assert 'embedding.provider = ""  (default: the store\'s own, else satchel)' in config("show").out

    def test_changed_lists_only_settings_that_differ(self, config: Any) -> None:
        config("set", "recall.limit", "8")
        config("set", "budget.enabled", "false")
        assert "recall.limit = 8  (file)\nbudget.enabled = false  (file)\n" in config("show", "--changed").out
        assert "max_chars" not in config("show", "--changed").out

    @pytest.mark.parametrize("key", ["ledger", "replicas.addresses"])
    def test_the_password_in_an_address_is_never_shown(self, config: Any, home: Path, key: str) -> None:
        group, _, name = key.rpartition(".")
        address = "postgresql://satchel:hunter2@db.example.org/satchel"
        write(home, f"[{group}]\n{name} = ['{address}']\n" if group else f"{name} = '{address}'\n")
        for answer in (
            config("show"),
            config("show", "--json"),
            config("explain", key),
            config("unset", key, "--json"),
        ):
            assert answer.code == 0
            assert "hunter2" not in answer.out + answer.err
        assert "satchel" in answer.out

    @pytest.mark.parametrize("command", [["show"], ["show", "--json"], ["explain", "embedding.api_key"]])
    def test_a_secret_is_never_shown(self, config: Any, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        said = config("set", "embedding.api_key", "hunter2-one")
        again = config("set", "embedding.apiKey", "hunter2-two", "--json")
        monkeypatch.setenv("SATCHEL_EMBEDDING_API_KEY", "hunter2-three")
        shown = config(*command)
        for answer in (said, again, shown, config("unset", "embedding.api_key", "--json")):
            assert "hunter2" not in answer.out + answer.err
            assert "(set)" in answer.out

    def test_reading_creates_no_files(self, config: Any, home: Path) -> None:
        for command in (["show"], ["explain"], ["explain", "recall"], ["unset", "recall.limit"]):
            assert config(*command).code == 0
        assert not home.exists()


class TestExplain:
    def test_one_setting_is_explained_in_full(self, config: Any) -> None:
        assert config("explain", "scopePolicy.maxScopeLength").out == (
            "scope_policy.max_scope_length\n"
            "  maximum length of a scope name\n"
            "  takes        a whole number, from 8 to 256\n"
            "  default      64\n"
            "  environment  SATCHEL_SCOPE_POLICY_MAX_SCOPE_LENGTH\n"
            "  OpenClaw     scopePolicy.maxScopeLength\n"
            "  now          64  (default)\n"
        )

    @pytest.mark.parametrize(
        "name",
        [
            "budget.max_chars",
            "budget.maxChars",
            "plugins.entries.openclaw-mem-engine.config.budget.maxChars",
            "SATCHEL_BUDGET_MAX_CHARS",
        ],
    )
    def test_every_name_of_a_setting_works(self, config: Any, name: str) -> None:
        (one,) = config("explain", name, "--json").result["settings"]
        assert one["key"] == "budget.max_chars"

    @pytest.mark.parametrize("name", ["scope_policy", "scopePolicy"])
    def test_a_group_is_listed(self, config: Any, name: str) -> None:
        listed = config("explain", name, "--json").result["settings"]
        assert [one["key"] for one in listed] == [one.key for one in CATALOGUE.of_group("scope_policy")]

    def test_without_a_name_all_are_listed(self, config: Any) -> None:
        assert len(config("explain", "--json").result["settings"]) == len(CATALOGUE.entries)
        assert "recall.limit = 5\n    memories that a recall returns" in config("explain").out

    def test_the_words_of_openclaw_that_are_none_of_ours(self, config: Any) -> None:
        assert "folder of the store" in config("explain", "dbPath").out
        assert "always called memories" in config("explain", "tableName").out
        assert "--home" in config("set", "dbPath", "/x", "--json").error["hint"]
        assert "always called memories" in config("set", "tableName", "x", "--json").error["message"]

    def test_an_unknown_name_gets_a_suggestion(self, config: Any) -> None:
        for command in (["explain", "recal"], ["set", "recal.limit", "5"], ["unset", "recall.limits"]):
            answer = config(*command, "--json")
            assert (answer.code, answer.error["code"]) == (2, "invalid_setting")
            assert "did you mean recall" in answer.error["hint"]


class TestSet:
    def test_a_value_is_written_and_the_old_one_reported(self, config: Any, home: Path) -> None:
        assert config("set", "recall.limit", "8").out.startswith("recall.limit = 8, was 5\n")
        assert config("set", "recall.limit", "9", "--json").result == {
            "action": "set",
            "key": "recall.limit",
            "before": 8,
            "value": 9,
            "source": "file",
            "file": str(home / "config.toml"),
            "overridden_by": "",
        }
        assert (home / "config.toml").read_text(encoding="utf-8") == "[recall]\nlimit = 9\n"
        assert [one.name for one in home.iterdir()] == ["config.toml"]
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        assert stat.S_IMODE((home / "config.toml").stat().st_mode) == 0o600

    @pytest.mark.parametrize(
        ("name", "text", "line"),
        [
            ("readOnly", "on", "read_only = true"),
            ("scope_policy", "off", "enabled = false"),
            ("scopePolicy.fallbackScopes", "a, b", 'fallback_scopes = ["a", "b"]'),
            ("scopePolicy.fallbackScopes", "", "fallback_scopes = []"),
            ("recall.min_relevance", "0.25", "min_relevance = 0.25"),
            ("embedding.model", "-x", 'model = "-x"'),
        ],
    )
    def test_each_type_is_written_as_its_toml_type(
        self, config: Any, home: Path, name: str, text: str, line: str
    ) -> None:
        assert config("set", "--", name, text).code == 0
        assert line in (home / "config.toml").read_text(encoding="utf-8").splitlines()

    def test_a_value_can_come_from_standard_input(
        self, config: Any, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import io

        monkeypatch.setattr("sys.stdin", io.StringIO("hunter2\n"))
        assert config("set", "embedding.api_key", "-").code == 0
        assert 'api_key = "hunter2"' in (home / "config.toml").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("recall.limit", "51"),
            ("scopePolicy.defaultScope", "Not A Scope"),
            ("recall.limit", "many"),
            ("recall.fusion", "magic"),
            ("read_only", "2"),
            ("home", "/x"),
        ],
    )
    def test_an_invalid_value_is_rejected_and_nothing_is_written(
        self, config: Any, home: Path, name: str, text: str
    ) -> None:
        answer = config("set", name, text, "--json")
        assert (answer.code, answer.error["code"]) == (2, "invalid_setting")
        assert not home.exists()

    def test_a_group_without_a_switch_lists_its_settings(self, config: Any) -> None:
        assert "store.duplicates" in config("set", "store", "off", "--json").error["hint"]

    def test_an_overriding_variable_is_reported(self, config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_RECALL_LIMIT", "20")
        answer = config("set", "recall.limit", "8")
        assert "SATCHEL_RECALL_LIMIT overrides the file" in answer.out
        assert config("set", "recall.limit", "9", "--json").result["value"] == 20


class TestStoreAddress:
    """The address may be written as `store`, which is the name of a group as well."""

    ADDRESS = "postgresql://satchel@db.example.org/satchel"

    def test_a_setting_of_the_group_keeps_the_address(self, config: Any, home: Path) -> None:
        path = write(home, f"# where\nstore = '{self.ADDRESS}'\n\n[recall]\nlimit = 8\n")
        assert config("set", "store.duplicates", "exact").code == 0
        assert tomllib.loads(path.read_text(encoding="utf-8")) == {
            "ledger": self.ADDRESS,
            "recall": {"limit": 8},
            "store": {"duplicates": "exact"},
        }
        shown = {one["key"]: one["value"] for one in config("show", "--changed", "--json").result["settings"]}
        assert (shown["ledger"], shown["store.duplicates"]) == (self.ADDRESS, "exact")

    @pytest.mark.parametrize("key", ["ledger", "store"])
    def test_the_address_is_set_by_either_name_and_written_once(self, config: Any, home: Path, key: str) -> None:
        path = write(home, "store = 'postgresql://old.example.org/satchel'\n")
        assert config("set", key, self.ADDRESS).code == 0
        assert tomllib.loads(path.read_text(encoding="utf-8")) == {"ledger": self.ADDRESS}

    @pytest.mark.parametrize("key", ["ledger", "store"])
    def test_the_address_is_unset_by_either_name(self, config: Any, home: Path, key: str) -> None:
        path = write(home, f"store = '{self.ADDRESS}'\n")
        assert config("unset", key, "--json").result["action"] == "unset"
        assert path.read_text(encoding="utf-8") == ""

    def test_the_address_is_added_beside_the_group(self, config: Any, home: Path) -> None:
        path = write(home, "[store]\nduplicates = 'exact'\n")
        assert config("set", "store", self.ADDRESS).code == 0
        assert tomllib.loads(path.read_text(encoding="utf-8")) == {
            "ledger": self.ADDRESS,
            "store": {"duplicates": "exact"},
        }


class TestUnset:
    def test_the_default_applies_again(self, config: Any) -> None:
        config("set", "recall.limit", "8")
        result = config("unset", "recall.limit", "--json").result
        assert (result["action"], result["before"], result["value"], result["source"]) == ("unset", 8, 5, "default")
        assert "was not set" in config("unset", "recall.limit").out

    def test_a_group_is_removed_as_a_whole(self, config: Any, home: Path) -> None:
        write(home, "read_only = false\n[recall]\nlimit = 8\nfusion = 'rrf'\n")
        assert config("unset", "recall").out == f"recall was removed from {home / 'config.toml'}\n"
        assert "[recall]" not in (home / "config.toml").read_text(encoding="utf-8")


class TestRepair:
    def test_an_invalid_value_stops_other_commands_until_it_is_corrected(
        self, config: Any, home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write(home, "[recall]\nlimit = 'many' # oops\n")
        assert main(["--home", str(home), "store", "x"]) == 2
        assert str(home / "config.toml") in capsys.readouterr().err
        assert not (home / "ledger.sqlite3").exists()

        shown = config("show")
        assert shown.code == 1
        assert "recall.limit is 'many'" in shown.out
        assert config("explain", "recall.limit").code == 0
        assert config("set", "recall.limit", "8").code == 0
        assert config("show").code == 0
        assert "limit = 8 # oops" in (home / "config.toml").read_text(encoding="utf-8")
        assert main(["--home", str(home), "store", "x"]) == 0

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("readonly = true\n", "readonly"),
            ("[nonsense]\nx = 1\n", "nonsense"),
            ("[nonsense]\nx = 1\n", "nonsense.x"),
            ("[recall]\nlimits = 1\n", "recall.limits"),
            ("[recall]\nlimit = 'x'\n", "recall.limit"),
            ("recall = 5\n", "recall"),
            ("home = '/x'\n", "home"),
        ],
    )
    def test_unknown_and_invalid_entries_can_be_removed(self, config: Any, home: Path, text: str, name: str) -> None:
        write(home, f"{text}[budget]\nmax_chars = 900\n")
        assert config("show").code == 1
        answer = config("unset", name)
        assert answer.code == 0
        if name != "nonsense.x":
            assert config("show").code == 0
        assert "max_chars = 900" in (home / "config.toml").read_text(encoding="utf-8")

    def test_remaining_problems_are_reported(self, config: Any, home: Path) -> None:
        write(home, "a = 1\nb = 2\n")
        answer = config("unset", "a")
        assert "'b'" in answer.err
        assert "'a'" not in answer.err

    def test_an_unparsable_file_is_not_changed(self, config: Any, home: Path) -> None:
        path = write(home, "recall = [\n")
        assert config("show").code == 1
        assert config("explain", "recall").code == 0
        assert config("set", "recall.limit", "5").code == 2
        assert path.read_text(encoding="utf-8") == "recall = [\n"

    def test_read_only_can_be_turned_off_again(self, config: Any) -> None:
        assert config("set", "read_only", "true").code == 0
        assert config("set", "read_only", "false").code == 0
        assert config("show", "--changed", "--json").result["settings"][-1]["value"] is False
