"""A machine with hosts in a temporary folder, and an installer for it that does not start processes."""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from satchel.config import read_sources
from satchel.interfaces.install.answers import Level
from satchel.interfaces.install.hosts import TABLE, HostFile
from satchel.interfaces.install.machine import Machine
from satchel.interfaces.install.service import Checks, Installer

HOST_FOLDERS = (".claude", ".codex", ".openclaw", ".cursor", ".gemini")
Tree = dict[str, bytes | None]


def machine_in(folder: Path, variables: Mapping[str, str] | None = None) -> Machine:
    """Make a home with the folders of all hosts, and a project."""
    home, project, plugin = folder / "person", folder / "project", folder / "satchel" / "plugins" / "openclaw"
    for one in (*(home / name for name in HOST_FOLDERS), project, plugin):
        one.mkdir(parents=True)
    script = str(folder / "bin" / "satchel")
    return Machine(home, project, (script,), script, True, variables or {"PATH": ""}, None, plugin)


def installer_for(machine: Machine, store: Path, *, agrees: bool = True) -> Installer:
    """Return an installer whose checks always pass."""
    passing = Checks(lambda machine, host, level, folder: (), lambda machine, host: ())
    sources = read_sources({}, home=str(store))
    return Installer(machine, sources, lambda: None, passing, lambda text: None, lambda question: agrees)


def install(installer: Installer, host: str, level: Level = Level.USER) -> str:
    """Install, and return what was done."""
    return installer.install(host, level, dry_run=False, sure=True).action


def uninstall(installer: Installer, host: str, level: Level | None = None) -> list[str]:
    """Uninstall, and return what was done."""
    return [one.action for one in installer.uninstall(host, level, dry_run=False, sure=True).reports]


def host_files(machine: Machine, host: str, level: Level = Level.USER) -> tuple[HostFile, ...]:
    """Return the files of a host."""
    return TABLE[host].files(machine, level)


def tree(*folders: Path) -> Tree:
    """Return everything in some folders: files with their content, folders with None."""
    paths = sorted(path for folder in folders for path in folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def moved(installer: Installer, program: str) -> Installer:
    """Return the installer after an update of Satchel that moved its program."""
    return replace(installer, machine=replace(installer.machine, program=(program,), script=program, on_path=False))
