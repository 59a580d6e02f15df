"""What an installation needs to know of this machine: folders, variables, and how to start Satchel."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

import satchel
from satchel.config import Settings
from satchel.config.environment import variables
from satchel.config.values import platform_folder

_PACKAGE = Path(satchel.__file__).parent
# In the installed package, and in a checkout of the source.
_PLUGIN_FOLDERS = (_PACKAGE / "plugins", _PACKAGE.parents[1] / "plugins")


class Machine(Struct, frozen=True):
    """This machine, as far as hosts are concerned."""

    home: Path
    """The person's home folder."""
    project: Path
    """The folder of the project, for an installation in a project."""
    program: tuple[str, ...]
    """The words that start Satchel from anywhere."""
    script: str
    """The program as one path, for a host that takes no more; empty if there is none."""
    on_path: bool
    """The plain word `satchel` starts it too."""
    variables: Mapping[str, str]
    store: Path | None = None
    """The store's folder; None if it is the default one."""
    plugin: Path | None = None
    """The folder of the OpenClaw plugin."""

    def folder(self, variable: str, *default: str) -> Path:
        """Return the folder that a variable names, or one in the home folder."""
        named = self.variables.get(variable, "").strip()
        if not named:
            return self.home.joinpath(*default)
        return self.home / named[2:] if named.startswith("~/") else Path(os.path.abspath(named))  # noqa: PTH100  links stay


def this_machine(settings: Settings, project: str) -> Machine:
    """Return the machine that this process runs on."""
    store = settings.home_folder.resolve()
    words = program(sys.argv[0])
    return Machine(
        home=Path.home(),
        project=Path(project).resolve(),
        program=words,
        script=words[0] if len(words) == 1 else _script_beside(sys.executable),
        on_path=shutil.which("satchel") is not None,
        variables=variables(),
        store=None if store == platform_folder().resolve() else store,
        plugin=plugin_folder("openclaw"),
    )


def program(script: str) -> tuple[str, ...]:
    """Return the words that start this program: its script, or else Python with the package.

    Hosts with a window have no PATH, so both are absolute. Links are kept: a tool manager moves what they point to.
    """
    path = os.path.abspath(script)  # noqa: PTH100  Path.resolve would follow links
    if Path(path).stem == "satchel" and os.access(path, os.X_OK) and Path(path).is_file():
        return (path,)
    # -P: a folder that the host works in cannot bring a package of this name.
    return (sys.executable, "-P", "-m", "satchel")


def _script_beside(python: str) -> str:
    script = Path(python).with_name("satchel")
    return str(script) if script.is_file() else ""


def plugin_folder(host: str) -> Path | None:
    """Return the folder of the plugin for a host, if this installation of Satchel has one."""
    return next((folder / host for folder in _PLUGIN_FOLDERS if (folder / host).is_dir()), None)
