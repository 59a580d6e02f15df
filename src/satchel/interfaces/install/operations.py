"""The commands `install` and `uninstall`."""

import time
from typing import TYPE_CHECKING, Annotated, Any

from satchel.core.operations import DryRun, Param, operation
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.hosts import HOSTS
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest
from satchel.interfaces.install.answers import HostList, InstallReport, Level, Uninstalled
from satchel.interfaces.operations.session import Session

if TYPE_CHECKING:
    from satchel.interfaces.install.service import Installer

_NAMES = f"{', '.join(HOSTS[:-1])} or {HOSTS[-1]}"
_User = Annotated[bool, Param("for you, in every project: the default of install")]
_Project = Annotated[bool, Param("for the project in the current folder")]
_Sure = Annotated[bool, Param("do not ask")]


@operation(
    "install",
    writes=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    examples=(
        "satchel install --list",
        "satchel install claude-code",
        "satchel install codex --dry-run",
        "satchel install cursor --project --yes",
    ),
)
def install(
    session: Session,
    host: Annotated[str | None, Param(_NAMES, positional=True, choices=HOSTS)] = None,
    user: _User = False,
    project: _Project = False,
    dry_run: DryRun = False,
    yes: _Sure = False,
    list_hosts: Annotated[
        bool, Param("show every host, whether it was found, and where Satchel is installed", flag="list")
    ] = False,
) -> Ok[InstallReport | HostList]:
    """Install Satchel into an agent host: its MCP server, hooks or plugin.

    Shows the change of each configuration file and asks before writing; without a terminal it writes only with --yes. The
    files are copied to the folder 'installs' of the store first, and the commands that the host will run are tried. Run it again after an
    update of Satchel: it changes only its own entries. Creates the store, and lets hooks start its server
    (serve.on_demand).
    """
    installer = installer_of(session)
    if list_hosts:
        if host or user or project or dry_run:
            raise InvalidRequest("--list shows every host", code="usage", hint="leave out the host and other options")
        listed = installer.statuses()
        return _ok("install", listed, {"list": True}, {"found": sum(one.found for one in listed.hosts)})
    name = _host(host)
    level = _level(user=user, project=project) or Level.USER
    report = installer.install(name, level, dry_run=dry_run, sure=yes)
    asked: dict[str, Json] = {"host": name, "level": str(level), "dry_run": dry_run}
    return _ok("install", report, asked, {"action": report.action})


@operation(
    "uninstall",
    writes=True,
    destructive=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    examples=("satchel uninstall claude-code", "satchel uninstall openclaw --dry-run"),
)
def uninstall(
    session: Session,
    host: Annotated[str, Param(_NAMES, positional=True, choices=HOSTS)],
    user: _User = False,
    project: _Project = False,
    dry_run: DryRun = False,
    yes: _Sure = False,
) -> Ok[Uninstalled]:
    """Remove Satchel from an agent host.

    A configuration file that nobody changed since is restored byte for byte; from another one only Satchel's own entries
    are removed. Without --user or --project it is removed for you and from the project in the current folder. It asks first;
    without a terminal it needs --yes. The store and its memories stay.
    """
    name = _host(host)
    installer = installer_of(session)
    removed = installer.uninstall(name, _level(user=user, project=project), dry_run=dry_run, sure=yes)
    decided: dict[str, Json] = {one.level: one.action for one in removed.reports}
    return _ok("uninstall", removed, {"host": name, "dry_run": dry_run}, decided)


def installer_of(session: Session) -> "Installer":
    """Return the installer of this machine."""
    # The help of all commands does without them.
    from satchel.interfaces.install.check import check_commands, check_configuration
    from satchel.interfaces.install.machine import this_machine
    from satchel.interfaces.install.service import Checks, Installer

    machine = this_machine(session.settings, session.folder or ".")
    checks = Checks(check_commands, check_configuration)
    return Installer(machine, session.sources, lambda: session.memory, checks, session.tell, session.must_agree)


def _host(name: str | None) -> str:
    if name in HOSTS:
        return str(name)
    if name is None:
        raise InvalidRequest("install needs a host", code="missing_param", hint=f"{_NAMES}; or --list")
    raise InvalidRequest(f"unknown host {name[:40]!r}", code="unknown_host", hint=f"use {_NAMES}")


def _level(*, user: bool, project: bool) -> Level | None:
    if user and project:
        raise InvalidRequest("--user and --project exclude each other", code="usage", hint="give one of them")
    return Level.PROJECT if project else Level.USER if user else None


def _ok(name: str, result: Any, asked: dict[str, Json], decided: dict[str, Json]) -> Ok[Any]:
    return Ok(result, Receipt(name, asked, {}, decided, at=time.time_ns() // 1_000_000))
