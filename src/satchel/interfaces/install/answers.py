"""Results of install and uninstall."""

from enum import StrEnum

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if


class Level(StrEnum):
    """For whom Satchel is installed in a host."""

    USER = "user"
    PROJECT = "project"


class FileChange(Struct, frozen=True):
    """What happened to one file, or would happen."""

    path: str
    action: str
    """create, change, delete or keep"""
    diff: str
    backup: str = ""
    """The copy of the file as it was before."""


class InstallCheck(Struct, frozen=True):
    """One thing that was tried after an installation."""

    name: str
    passed: bool
    message: str


class InstallReport(Struct, frozen=True):
    """The result of an installation or its removal."""

    host: str
    level: str
    action: str
    """installed, updated, unchanged, planned, cancelled, uninstalled or not_installed"""
    changes: tuple[FileChange, ...]
    checks: tuple[InstallCheck, ...] = ()
    next_steps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Failed if it was cancelled or a check failed."""
        return failed_if(self.action == "cancelled" or not all(one.passed for one in self.checks))


class HostStatus(Struct, frozen=True):
    """One host on this machine."""

    host: str
    title: str
    found: bool
    """Its folder or its program is there."""
    program: str
    """The path of its program; empty if it is not on PATH."""
    user: str
    """yes, outdated, no, or why this cannot be told"""
    project: str
    """The same for the project of the current folder; empty if the host has none, or in the home folder."""
    files: tuple[str, ...]
    """Its configuration files."""


class HostList(Struct, frozen=True):
    """Every host that Satchel can be installed into."""

    hosts: tuple[HostStatus, ...]


class Uninstalled(Struct, frozen=True):
    """What was removed, by level."""

    host: str
    reports: tuple[InstallReport, ...]
    elsewhere: tuple[str, ...] = ()
    """Folders with its files in other projects, in which it is still installed."""
    users: tuple[str, ...] = ()
    """Folders with its files that are for every project, in which it is still installed."""

    @property
    def outcome(self) -> Outcome:
        """Failed if something was cancelled."""
        return failed_if(any(one.outcome for one in self.reports))
