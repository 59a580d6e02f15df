"""Install into every host and out of it again: files stay as they were, whatever is in them."""

import json
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.config import file
from satchel.domain.hosts import CLAUDE_CODE, CODEX, CURSOR, GEMINI, HOOK_EVENTS, HOSTS, OPENCLAW
from satchel.errors import InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.interfaces.install import files
from satchel.interfaces.install.answers import InstallCheck, Level
from satchel.interfaces.install.documents import Format, parsed
from satchel.interfaces.install.machine import Machine
from satchel.interfaces.install.service import Checks, Installer
from tests.interfaces.install.installing import (
    host_files,
    install,
    installer_for,
    machine_in,
    moved,
    tree,
    uninstall,
)
from tests.tables import each_case, fresh_folder

EVERYWHERE = [(host, level) for host in HOSTS for level in Level if (host, level) != (OPENCLAW, Level.PROJECT)]

JSON = {
    "no file": None,
    "empty": "",
    "blank": " \n\n",
    "empty object": "{}",
    "empty object on two lines": "{\n}\n",
    "others": '{\n  "theme": "dark",\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "hooks": {}\n}\n',
    "hooks of others": '{"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "say done"}]}]}}',
    "one line": '{"a":1,"mcpServers":{}}',
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}\n\t}\n}',
    "CRLF": '{\r\n    "a": {\r\n        "b": [1, 2]\r\n    }\r\n}\r\n',
    "BOM": '\ufeff{\n  "a": "é"\n}\n',
}
JSON5 = JSON | {
    "comments": "// top\n{\n  // of plugins\n  plugins: { slots: { memory: 'memory-core' } }, // the slot\n}\n// end\n",
    "trailing commas": "{\n  a: [1, 2,],\n  mcpServers: {\n    other: { command: 'x', },\n  },\n}",
    "an allowlist": '{plugins: {allow: ["a"], load: {paths: ["/a", "/b"]}}}',
}
TOML = {
    "no file": None,
    "empty": "",
    "others": '# my file\nmodel = "x" # best\n\n[mcp_servers.other]\ncommand = "x"\n\n# about the profile\n[profiles.a]\nb = 1\n',
    "own notify": 'notify = ["say"]\n[features]\nhooks = false\n',
    "hooks off": "[features]\nhooks = false\n",
    "inline": 'mcp_servers = {other = {command = "x"}}\n',
    "no end of line": "a = 1",
    "CRLF": '[a]\r\nb = "c"\r\n',
}
LAYOUTS: dict[Format, dict[str, str | None]] = {Format.JSON: JSON, Format.JSON5: JSON5, Format.TOML: TOML}
CASES = [
    (host, level, name)
    for host, level in EVERYWHERE
    for name in dict.fromkeys(
        ["no file", "others", "CRLF"]
        if level is Level.PROJECT
        else [*JSON, *TOML]
        if host == CODEX
        else JSON
        if host == CLAUDE_CODE
        else JSON5
    )
]


def write(machine: Machine, host: str, level: Level, layout: str) -> None:
    """Write the files of a host in a layout; files whose format does not have it are not there."""
    for one in host_files(machine, host, level):
        text = LAYOUTS[one.format].get(layout)
        if text is not None:
            one.path.parent.mkdir(exist_ok=True)
            one.path.write_bytes(text.encode())
            one.path.chmod(0o640)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Installer]:
    """Make an installer on a machine of its own."""

    def make() -> Installer:
        folder = fresh_folder(tmp_path)
        return installer_for(machine_in(folder), folder / "store")

    return make


def servers(installer: Installer, host: str, level: Level = Level.USER) -> Any:
    one = host_files(installer.machine, host, level)[0]
    data = parsed(one.format, one.path.read_bytes()).data
    return data.get("mcp_servers" if host == CODEX else "mcpServers")


def hooks(installer: Installer, host: str, level: Level = Level.USER) -> dict[str, list[str]]:
    one = host_files(installer.machine, host, level)[-1]
    found = parsed(one.format, one.path.read_bytes()).data.get("hooks", {})
    return {event: [hook["command"] for group in groups for hook in group["hooks"]] for event, groups in found.items()}


class TestEveryLayout:
    @each_case("host, level, layout", CASES)
    def test_uninstall_restores_every_byte(
        self, fresh: Callable[[], Installer], host: str, level: Level, layout: str
    ) -> None:
        installer = fresh()
        machine = installer.machine
        write(machine, host, level, layout)
        before = tree(machine.home, machine.project)

        assert install(installer, host, level) == "installed"
        after = tree(machine.home, machine.project)
        assert install(installer, host, level) == "unchanged"
        assert tree(machine.home, machine.project) == after != before
        assert uninstall(installer, host, level) == ["uninstalled"]
        assert tree(machine.home, machine.project) == before
        assert uninstall(installer, host, level) == ["not_installed"]

    @each_case("host, level, layout", CASES)
    def test_everything_else_in_the_file_stays(
        self, fresh: Callable[[], Installer], host: str, level: Level, layout: str
    ) -> None:
        installer = fresh()
        write(installer.machine, host, level, layout)
        paths = [one for one in host_files(installer.machine, host, level) if one.path.exists()]
        before = [parsed(one.format, one.path.read_bytes()).data for one in paths]
        lines = [one.path.read_bytes().split(b"\n") for one in paths]

        install(installer, host, level)
        # Somebody else adds a key, so that the backup cannot be used.
        for one in paths:
            document = parsed(one.format, one.path.read_bytes()).set(("added",), {"by": "someone"})
            one.path.write_bytes(document.text.encode())
        assert uninstall(installer, host, level) == ["uninstalled"]

        after = [parsed(one.format, one.path.read_bytes()).data for one in paths]
        assert after == [one | {"added": {"by": "someone"}} for one in before]
        for one, old in zip(paths, lines, strict=True):
            if len(old) > 2:
                new = one.path.read_bytes().split(b"\n")
                assert sum(line in new or line + b"," in new for line in old) >= len(old) - 1, "the layout is kept"

    @each_case("host, level", EVERYWHERE)
    def test_without_records_our_entries_are_found(
        self, fresh: Callable[[], Installer], host: str, level: Level
    ) -> None:
        installer = fresh()
        write(installer.machine, host, level, "CRLF")
        before = [
            parsed(one.format, one.path.read_bytes()).data
            for one in host_files(installer.machine, host, level)
            if one.path.exists()
        ]
        install(installer, host, level)
        for path in installer.kept.folder.iterdir():
            path.unlink()

        assert uninstall(installer, host, level) == ["uninstalled"]
        kept = [one for one in host_files(installer.machine, host, level) if one.path.exists()]
        after = [parsed(one.format, one.path.read_bytes()).data for one in kept]
        assert after[: len(before)] == before


class TestWhatIsWritten:
    def test_claude_code(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, CLAUDE_CODE)
        command = installer.machine.program[0]

        assert servers(installer, CLAUDE_CODE)["satchel"] == {
            "type": "stdio",
            "command": command,
            "args": ["mcp", "--scope", "auto"],
        }
        assert hooks(installer, CLAUDE_CODE) == {
            event: [f"{command} hook claude-code {event}"] for event in HOOK_EVENTS[CLAUDE_CODE]
        }
        settings = json.loads((installer.machine.home / ".claude" / "settings.json").read_text())
        assert settings["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 10

    def test_codex(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, CODEX)

        config = tomllib.loads((installer.machine.home / ".codex" / "config.toml").read_text())
        assert config == {
            "mcp_servers": {"satchel": {"command": installer.machine.program[0], "args": ["mcp", "--scope", "auto"]}}
        }
        assert list(hooks(installer, CODEX)) == list(HOOK_EVENTS[CODEX])

    def test_codex_notify_is_used_only_if_hooks_are_off_and_it_is_free(self, fresh: Callable[[], Installer]) -> None:
        own, free = fresh(), fresh()
        for installer, layout in ((own, "own notify"), (free, "hooks off")):
            write(installer.machine, CODEX, Level.USER, layout)
        (warning,) = own.install(CODEX, Level.USER, dry_run=False, sure=True).warnings
        install(free, CODEX)

        config = own.machine.home / ".codex" / "config.toml"
        assert tomllib.loads(config.read_text())["notify"] == ["say"]
        assert "notify" in warning
        config = free.machine.home / ".codex" / "config.toml"
        assert tomllib.loads(config.read_text())["notify"][-3:] == ["hook", "codex", "notify"]
        config.write_text(config.read_text().replace("hooks = false", "hooks = true"))
        assert install(free, CODEX) == "updated"
        assert "notify" not in tomllib.loads(config.read_text())

    def test_trust_that_codex_noted_for_our_hooks_goes_with_them(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        write(installer.machine, CODEX, Level.USER, "others")
        config, hooks_file = (one.path for one in host_files(installer.machine, CODEX))
        hooks_file.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}')
        before = config.read_text()
        install(installer, CODEX)
        assert "hooks.state" not in config.read_text()

        def trust(place: str) -> str:
            return f'\n[hooks.state."{hooks_file}:{place}"]\ntrusted_hash = "sha256:x"\n'

        ours = trust("session_start:0:0") + trust("stop:1:0")
        config.write_text(config.read_text() + "\n[hooks.state]\n" + ours)
        uninstall(installer, CODEX)
        assert config.read_text() == before

        install(installer, CODEX)
        config.write_text(config.read_text() + trust("stop:0:0") + ours)
        uninstall(installer, CODEX)
        assert config.read_text() == before + trust("stop:0:0")

    def test_openclaw(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        write(installer.machine, OPENCLAW, Level.USER, "an allowlist")
        install(installer, OPENCLAW)

        (one,) = host_files(installer.machine, OPENCLAW)
        assert parsed(Format.JSON5, one.path.read_bytes()).data["plugins"] == {
            "allow": ["a", "satchel"],
            "load": {"paths": ["/a", "/b", str(installer.machine.plugin)]},
            "slots": {"memory": "satchel"},
            "entries": {
                "satchel": {
                    "enabled": True,
                    "hooks": {"allowConversationAccess": True},
                    "config": {"command": installer.machine.program[0]},
                }
            },
        }

    def test_comments_of_openclaw_survive_and_the_slot_is_given_back(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        write(installer.machine, OPENCLAW, Level.USER, "comments")
        (one,) = host_files(installer.machine, OPENCLAW)
        install(installer, OPENCLAW)
        text = one.path.read_text()
        assert all(comment in text for comment in ("// top", "// of plugins", "// the slot", "// end"))
        assert parsed(Format.JSON5, text.encode()).data["plugins"]["slots"]["memory"] == "satchel"

        one.path.write_text(text + "// later\n")
        uninstall(installer, OPENCLAW)
        assert one.path.read_text() == str(JSON5["comments"]).replace("'memory-core'", '"memory-core"') + "// later\n"

    def test_gemini_counts_in_milliseconds(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, GEMINI)

        settings = json.loads((installer.machine.home / ".gemini" / "settings.json").read_text())
        assert settings["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] == 10_000
        assert settings["mcpServers"]["satchel"]["args"] == ["mcp", "--scope", "auto"]

    @each_case(
        "host, variable, path",
        [
            (CLAUDE_CODE, "CLAUDE_CONFIG_DIR", "x/.claude.json"),
            (CODEX, "CODEX_HOME", "x/config.toml"),
            (OPENCLAW, "OPENCLAW_STATE_DIR", "x/openclaw.json"),
            (OPENCLAW, "OPENCLAW_CONFIG_PATH", "x"),
            (OPENCLAW, "OPENCLAW_HOME", "x/.openclaw/openclaw.json"),
        ],
    )
    def test_variables_name_the_folder(
        self, fresh: Callable[[], Installer], tmp_path: Path, host: str, variable: str, path: str
    ) -> None:
        machine = replace(fresh().machine, variables={variable: str(tmp_path / "x")})

        assert host_files(machine, host)[0].path == tmp_path / path

    def test_another_store_is_named_in_every_command(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        store = Path("/my stores/one")
        installer = replace(installer, machine=replace(installer.machine, store=store))
        for host in (CLAUDE_CODE, OPENCLAW):
            install(installer, host)

        assert servers(installer, CLAUDE_CODE)["satchel"]["args"][-2:] == ["--home", str(store)]
        assert hooks(installer, CLAUDE_CODE)["Stop"][0].endswith(" --home '/my stores/one'")
        config = (installer.machine.home / ".openclaw" / "openclaw.json").read_bytes()
        entry = parsed(Format.JSON5, config).data["plugins"]["entries"]["satchel"]
        assert entry["config"]["home"] == str(store)

        back = replace(installer, machine=replace(installer.machine, store=None))
        assert install(back, OPENCLAW) == "updated"
        config = (installer.machine.home / ".openclaw" / "openclaw.json").read_bytes()
        assert "home" not in parsed(Format.JSON5, config).data["plugins"]["entries"]["satchel"]["config"]

    def test_a_project_gets_no_path_of_this_machine(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, CLAUDE_CODE, Level.PROJECT)
        assert servers(installer, CLAUDE_CODE, Level.PROJECT)["satchel"]["command"] == "satchel"
        assert hooks(installer, CLAUDE_CODE, Level.PROJECT)["Stop"] == ["satchel hook claude-code Stop"]

        moved_away = moved(installer, "/opt/satchel")
        report = moved_away.install(CLAUDE_CODE, Level.PROJECT, dry_run=False, sure=True)
        assert servers(installer, CLAUDE_CODE, Level.PROJECT)["satchel"]["command"] == "/opt/satchel"
        assert "not on PATH" in report.warnings[0]


class TestUpdate:
    @each_case("host", [CLAUDE_CODE, CODEX, OPENCLAW, CURSOR, GEMINI])
    def test_a_moved_program_changes_our_entries_only(self, fresh: Callable[[], Installer], host: str) -> None:
        installer = fresh()
        write(installer.machine, host, Level.USER, "others")
        before = tree(installer.machine.home)
        install(installer, host)
        first = tree(installer.machine.home)

        later = moved(installer, "/new/satchel")
        assert install(later, host) == "updated"
        old, new = installer.machine.program[0].encode(), b"/new/satchel"
        assert tree(installer.machine.home) == {
            path: content and content.replace(old, new) for path, content in first.items()
        }
        assert uninstall(later, host) == ["uninstalled"]
        assert tree(installer.machine.home) == before

    def test_changes_of_a_person_between_two_installations_stay(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        write(installer.machine, CURSOR, Level.USER, "others")
        path = host_files(installer.machine, CURSOR)[0].path
        before = path.read_text()
        install(installer, CURSOR)
        path.write_text(path.read_text().replace('"dark"', '"light"'))

        assert install(moved(installer, "/new/satchel"), CURSOR) == "updated"
        uninstall(installer, CURSOR)
        assert path.read_text() == before.replace('"dark"', '"light"')

    def test_older_forms_are_replaced_and_what_a_person_added_stays(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        machine = installer.machine
        old = {"command": "satchel", "args": ["mcp", "--scope", "project/x"], "env": {"A": "1"}}
        (machine.home / ".claude.json").write_text(json.dumps({"mcpServers": {"satchel": old}}))
        handlers = [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "/old/satchel hook claude-code Stop", "timeout": 3}],
            },
            {
                "hooks": [
                    {"type": "command", "command": "python -m satchel hook claude-code Stop"},
                    {"type": "command", "command": "mine"},
                ]
            },
        ]
        gone = [{"hooks": [{"type": "command", "command": "satchel hook claude-code Gone"}]}]
        path = machine.home / ".claude" / "settings.json"
        path.write_text(json.dumps({"hooks": {"Stop": handlers, "Gone": gone}}))
        install(installer, CLAUDE_CODE)

        assert servers(installer, CLAUDE_CODE)["satchel"] == {
            "command": machine.program[0], "args": ["mcp", "--scope", "auto"], "env": {"A": "1"}, "type": "stdio",
        }  # fmt: skip
        written = json.loads(path.read_text())["hooks"]
        stop = {"type": "command", "command": f"{machine.program[0]} hook claude-code Stop", "timeout": 3}
        assert written["Stop"] == [
            {"matcher": "Bash", "hooks": [stop]},
            {"hooks": [{"type": "command", "command": "mine"}]},
        ]
        assert "Gone" not in written

    def test_new_events_are_added_and_others_go(
        self, fresh: Callable[[], Installer], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        installer = fresh()
        monkeypatch.setitem(HOOK_EVENTS, GEMINI, ("SessionStart", "Old"))
        install(installer, GEMINI)
        monkeypatch.setitem(HOOK_EVENTS, GEMINI, ("SessionStart", "New"))

        assert install(installer, GEMINI) == "updated"
        assert list(hooks(installer, GEMINI)) == ["SessionStart", "New"]
        assert uninstall(installer, GEMINI) == ["uninstalled"]
        assert not (installer.machine.home / ".gemini" / "settings.json").exists()

    def test_flat_hooks_of_cursor_keep_the_version_of_the_file(
        self, fresh: Callable[[], Installer], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(HOOK_EVENTS, CURSOR, ("sessionStart", "stop"))
        for before in (None, '{"version": 2, "hooks": {"stop": [{"command": "mine"}]}}'):
            installer = fresh()
            path = host_files(installer.machine, CURSOR)[1].path
            if before:
                path.write_text(before)
            install(installer, CURSOR)
            written = json.loads(path.read_text())
            command = installer.machine.program[0]
            assert written["version"] == (2 if before else 1)
            assert written["hooks"]["stop"][-1] == {"command": f"{command} hook cursor stop"}
            path.write_text(path.read_text() + "\n")
            uninstall(installer, CURSOR)
            assert (path.read_text() if path.exists() else None) == (before and before + "\n")

    def test_hooks_written_by_hand_are_pointed_out(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        path = installer.machine.home / ".claude" / "settings.json"
        path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "satchel turn after"}]}]}}')

        (warning,) = installer.install(CLAUDE_CODE, Level.USER, dry_run=True, sure=True).warnings
        assert "Stop" in warning
        assert "twice" in warning


class TestSafety:
    @each_case(
        "content",
        [
            b"{",
            b"[]",
            b'"text"',
            b'{"mcpServers": []}',
            b'{"hooks": 1, "mcpServers": "x"}',
            b"\xff\xfe{}",
            b"[" * 5_000,
        ],
    )
    def test_a_file_that_cannot_be_understood_is_one_error(
        self, fresh: Callable[[], Installer], content: bytes
    ) -> None:
        for host, level in EVERYWHERE:
            if host == OPENCLAW and content.startswith(b'{"'):
                continue
            installer = fresh()
            last = host_files(installer.machine, host, level)[-1 if content != b'{"mcpServers": []}' else 0]
            if host == CODEX and content == b'{"mcpServers": []}':
                continue
            last.path.parent.mkdir(exist_ok=True)
            last.path.write_bytes(content)
            before = tree(installer.machine.home, installer.machine.project)

            with pytest.raises(SatchelError) as caught:
                install(installer, host, level)
            assert caught.value.code == "host_config"
            assert last.path.name in caught.value.message
            assert tree(installer.machine.home, installer.machine.project) == before

    def test_a_huge_file_a_folder_and_a_pipe_are_refused(
        self, fresh: Callable[[], Installer], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(files, "MAX_BYTES", 100)

        def huge(path: Path) -> None:
            path.write_bytes(b'{"a": "' + b"x" * 100 + b'"}')

        for make in (huge, Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path)):
            installer = fresh()
            make(host_files(installer.machine, CURSOR)[0].path)
            with pytest.raises(InvalidRequest) as caught:
                install(installer, CURSOR)
            assert caught.value.code == "host_config"

    def test_a_read_only_file_is_left_alone(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        path = host_files(installer.machine, CLAUDE_CODE)[1].path
        path.write_text("{}")
        path.chmod(0o444)
        before = tree(installer.machine.home)

        with pytest.raises(Unavailable, match="read-only"):
            install(installer, CLAUDE_CODE)
        assert tree(installer.machine.home) == before

    def test_a_link_stays_a_link_and_the_mode_stays(self, fresh: Callable[[], Installer], tmp_path: Path) -> None:
        installer = fresh()
        dotfiles = tmp_path / "dotfiles.json"
        dotfiles.write_text('{"a": 1}')
        dotfiles.chmod(0o644)
        path = host_files(installer.machine, CURSOR)[0].path
        path.symlink_to(dotfiles)
        install(installer, CURSOR)
        assert path.is_symlink()
        assert "satchel" in dotfiles.read_text()
        assert stat.S_IMODE(dotfiles.stat().st_mode) == 0o644

        uninstall(installer, CURSOR)
        assert path.is_symlink()
        assert dotfiles.read_text() == '{"a": 1}'
        assert stat.S_IMODE(dotfiles.stat().st_mode) == 0o644

    def test_a_link_out_of_a_project_is_refused(self, fresh: Callable[[], Installer], tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        for link, target in ((".mcp.json", outside / "new.json"), (".claude", outside)):
            installer = fresh()
            (installer.machine.project / link).symlink_to(target)
            with pytest.raises(InvalidRequest, match="out of the project"):
                install(installer, CLAUDE_CODE, Level.PROJECT)
            assert list(outside.iterdir()) == []

    def test_a_change_at_the_same_time_is_noticed_and_nothing_is_half_installed(
        self, fresh: Callable[[], Installer]
    ) -> None:
        installer = fresh()
        first, second = (one.path for one in host_files(installer.machine, CLAUDE_CODE))
        first.write_text('{"a": 1}')

        def change(machine: Machine, host: str, level: Level, folder: Path) -> tuple[InstallCheck, ...]:
            second.write_text('{"other": "program"}')
            return ()

        hasty = replace(installer, check=Checks(change, lambda machine, host: ()))
        with pytest.raises(SatchelError, match="same time"):
            install(hasty, CLAUDE_CODE)
        assert first.read_text() == '{"a": 1}'
        assert second.read_text() == '{"other": "program"}'
        assert installer.kept.load().installs == ()

    def test_a_failed_check_changes_nothing(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        before = tree(installer.machine.home)

        def fail(machine: Machine, host: str, level: Level, folder: Path) -> tuple[InstallCheck, ...]:
            raise Unavailable("no answer", code="install_check")

        with pytest.raises(Unavailable):
            install(replace(installer, check=Checks(fail, lambda machine, host: ())), CODEX)
        assert tree(installer.machine.home) == before
        assert file.read(installer.sources.file) == {}

    def test_nothing_is_written_by_a_dry_run_or_without_consent(self, tmp_path: Path) -> None:
        machine = machine_in(tmp_path)
        installer = installer_for(machine, tmp_path / "store", agrees=False)
        before = tree(machine.home)

        planned = installer.install(CODEX, Level.USER, dry_run=True, sure=False)
        assert planned.action == "planned"
        assert "+[mcp_servers.satchel]" in planned.changes[0].diff
        assert not (tmp_path / "store").exists()
        assert installer.install(CODEX, Level.USER, dry_run=False, sure=False).action == "cancelled"
        assert tree(machine.home) == before
        assert list((tmp_path / "store").iterdir()) == []

        install(installer, CODEX)
        after = tree(machine.home)
        assert [one.action for one in installer.uninstall(CODEX, None, dry_run=True, sure=True).reports] == ["planned"]
        reports = installer.uninstall(CODEX, None, dry_run=False, sure=False).reports
        assert [one.action for one in reports] == ["cancelled"]
        assert tree(machine.home) == after

    def test_a_damaged_record_is_one_error(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, CODEX)
        (installer.kept.folder / "installs.json").write_text("{")

        with pytest.raises(InvalidRequest) as caught:
            uninstall(installer, CODEX)
        assert caught.value.code == "install_records"


class TestLevels:
    def test_a_host_that_is_not_there_is_an_error(self, tmp_path: Path) -> None:
        machine = replace(machine_in(tmp_path), home=tmp_path / "nobody")
        installer = installer_for(machine, tmp_path / "store")
        for host in HOSTS:
            with pytest.raises(NotFound) as caught:
                install(installer, host)
            assert caught.value.code == "host_not_found"
        assert install(installer, CURSOR, Level.PROJECT) == "installed"

    def test_openclaw_has_no_project_and_the_home_folder_is_none(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        with pytest.raises(InvalidRequest, match="OpenClaw"):
            install(installer, OPENCLAW, Level.PROJECT)
        at_home = replace(installer, machine=replace(installer.machine, project=installer.machine.home))
        with pytest.raises(InvalidRequest, match="home folder"):
            install(at_home, CURSOR, Level.PROJECT)

    def test_without_the_plugin_openclaw_cannot_be_installed_but_removed(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, OPENCLAW)
        bare = replace(installer, machine=replace(installer.machine, plugin=None))

        with pytest.raises(Unavailable, match="plugin"):
            install(bare, OPENCLAW)
        assert uninstall(bare, OPENCLAW) == ["uninstalled"]

    def test_uninstall_removes_both_levels_and_names_other_projects(
        self, fresh: Callable[[], Installer], tmp_path: Path
    ) -> None:
        installer = fresh()
        other = tmp_path / "other"
        other.mkdir()
        elsewhere = replace(installer, machine=replace(installer.machine, project=other))
        install(installer, CURSOR)
        install(installer, CURSOR, Level.PROJECT)
        install(elsewhere, CURSOR, Level.PROJECT)

        removed = installer.uninstall(CURSOR, Level.PROJECT, dry_run=False, sure=True)
        assert (removed.elsewhere, len(removed.users)) == ((str(other / ".cursor"),), 1)
        install(installer, CURSOR, Level.PROJECT)
        removed = installer.uninstall(CURSOR, None, dry_run=False, sure=True)
        assert [one.action for one in removed.reports] == ["uninstalled", "uninstalled"]
        assert (removed.elsewhere, removed.users) == ((str(other / ".cursor"),), ())
        assert uninstall(elsewhere, CURSOR) == ["not_installed", "uninstalled"]
        assert list(other.iterdir()) == []

    def test_hooks_at_both_levels_are_pointed_out(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, GEMINI)

        report = installer.install(GEMINI, Level.PROJECT, dry_run=False, sure=True)
        assert [one for one in report.warnings if "twice" in one]
        uninstall(installer, GEMINI, Level.PROJECT)
        assert installer.install(GEMINI, Level.USER, dry_run=False, sure=True).warnings == ()

    def test_the_list_tells_found_installed_and_outdated(self, tmp_path: Path) -> None:
        machine = machine_in(tmp_path)
        (machine.home / ".gemini").rmdir()
        (machine.home / ".claude.json").write_text("{")
        installer = installer_for(machine, tmp_path / "store")
        install(installer, CODEX)
        install(installer, CURSOR, Level.PROJECT)

        found = {one.host: one for one in moved(installer, "/new/satchel").statuses().hosts}
        assert list(found) == list(HOSTS)
        assert [one.found for one in found.values()] == [True, True, True, True, False]
        assert (found[CODEX].user, found[CODEX].project) == ("outdated", "no")
        assert (found[CURSOR].user, found[CURSOR].project) == ("no", "outdated")
        assert (found[OPENCLAW].user, found[OPENCLAW].project) == ("no", "")
        assert "cannot be read" in found[CLAUDE_CODE].user
        assert found[CODEX].files == tuple(str(one.path) for one in host_files(machine, CODEX))


class TestServerOnDemand:
    @each_case(
        "before, during",
        [
            ("", {"serve": {"on_demand": True}}),
            ("[serve]\non_demand = false # no\n", {"serve": {"on_demand": True}}),
            ("[serve]\non_demand = true\n", {"serve": {"on_demand": True}}),
            ("[serve]\nidle_minutes = 3\n", {"serve": {"idle_minutes": 3, "on_demand": True}}),
        ],
    )
    def test_it_is_on_while_anything_is_installed(
        self, fresh: Callable[[], Installer], before: str, during: dict[str, Any]
    ) -> None:
        installer = fresh()
        path = installer.sources.file
        path.parent.mkdir(exist_ok=True)
        path.write_text(before)
        install(installer, CODEX)
        install(installer, CURSOR)
        assert file.read(path) == during

        uninstall(installer, CODEX)
        assert file.read(path) == during
        uninstall(installer, CURSOR)
        assert path.read_text() == before
        assert not installer.kept.folder.exists()

    def test_it_goes_back_if_the_record_of_the_host_was_lost(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, CODEX)
        records = installer.kept.load()
        installer.kept.save(replace(records, installs=()))

        assert uninstall(installer, CODEX) == ["uninstalled"]
        assert file.read(installer.sources.file) == {}
        assert not installer.kept.folder.exists()

    def test_a_later_choice_of_the_person_stays(self, fresh: Callable[[], Installer]) -> None:
        installer = fresh()
        install(installer, CODEX)
        installer.sources.file.write_text("[serve]\non_demand = false\n")

        uninstall(installer, CODEX)
        assert file.read(installer.sources.file) == {"serve": {"on_demand": False}}
