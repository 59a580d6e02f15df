"""The doctor names settings that do nothing, and hosts that start another Satchel."""

from pathlib import Path

import pytest

from satchel.config import read_sources
from satchel.domain.hosts import CLAUDE_CODE, CURSOR
from satchel.errors import InvalidRequest
from satchel.interfaces.cli.main import main
from satchel.interfaces.configuration_findings import host_findings, settings_findings
from satchel.interfaces.install.answers import Level
from tests.interfaces.install.installing import install, installer_for, machine_in, moved
from tests.tables import each_case


def written(folder: Path, text: str) -> str:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return str(folder)


@each_case(
    "text, environment, status, named",
    [
        ("", {}, [], ""),
        ("[recall]\nlimit = 7", {}, [], ""),
        ("[recall]\nlimit = 7", {"SATCHEL_RECALL_LIMIT": "3"}, ["ok"], "recall.limit: SATCHEL_RECALL_LIMIT"),
        ("", {"SATCHEL_RECAL_LIMIT": "3"}, ["warning"], "SATCHEL_RECAL_LIMIT: did you mean SATCHEL_RECALL_LIMIT?"),
        ("", {"SATCHEL_TEST_FULL": "1", "SATCHEL_DEBUG": "1", "RECAL_LIMIT": "3"}, [], ""),
        ("[budget]\nenabled = false\nmax_chars = 900", {}, ["warning"], "budget.max_chars: budget is"),
        ("budget = false", {}, [], ""),
        ('[scope_policy]\nfallback_scopes = ["global"]', {}, ["warning"], "fallback_scopes: global is"),
    ],
)
def test_values_that_do_nothing_are_named(
    tmp_path: Path, text: str, environment: dict[str, str], status: list[str], named: str
) -> None:
    found = [*settings_findings(read_sources(environment, home=written(tmp_path, text)))]

    assert [one.status for one in found] == status
    assert named in "".join(one.message for one in found)


def test_every_problem_of_the_settings_is_announced(tmp_path: Path) -> None:
    home = written(tmp_path, 'unknown = 1\n[recall]\nlimit = "many"\nspeed = 3')

    with pytest.raises(InvalidRequest) as wrong:
        _ = read_sources({}, home=home).settings

    assert "2 more: 'satchel config' lists them" in wrong.value.hint


def test_an_installation_of_another_program_is_outdated(tmp_path: Path) -> None:
    installer = installer_for(machine_in(tmp_path), tmp_path / "store")
    install(installer, CLAUDE_CODE)
    install(installer, CURSOR, Level.PROJECT)
    assert [*host_findings(installer)] == []

    found = [*host_findings(moved(installer, "/gone/satchel"))]

    assert [(one.check, one.status) for one in found] == [("hosts", "warning")] * 2
    assert "satchel install claude-code writes" in found[0].fix
    assert "satchel install cursor --project" in found[1].fix


def test_a_folder_that_has_the_files_of_the_user_has_no_project(tmp_path: Path) -> None:
    machine = machine_in(tmp_path, {"PATH": "", "CLAUDE_CONFIG_DIR": str(tmp_path / "project" / ".claude")})
    (tmp_path / "project" / ".claude").mkdir()
    installer = installer_for(machine, tmp_path / "store")
    install(installer, CLAUDE_CODE)

    found = {one.host: one.project for one in installer.statuses().hosts}

    assert found[CLAUDE_CODE] == ""
    assert found[CURSOR] == "no"


def test_the_doctor_reports_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "We ship on Thursdays", "--home", str(home)]) == 0
    written(home, "[budget]\nenabled = false\nmax_chars = 900")

    assert main(["doctor", "--home", str(home)]) == 0

    assert "budget.max_chars: budget is switched off" in capsys.readouterr().out
