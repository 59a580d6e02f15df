"""Install Satchel into a host, remove it, and tell where it is installed."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from satchel.config import SettingsSources
from satchel.domain.hosts import HOOK_EVENTS, HOSTS, OPENCLAW
from satchel.errors import InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.interfaces.install import on_demand
from satchel.interfaces.install.answers import (
    FileChange,
    HostList,
    HostStatus,
    InstallCheck,
    InstallReport,
    Level,
    Uninstalled,
)
from satchel.interfaces.install.apply import Written, apply, put_back
from satchel.interfaces.install.files import remove_folders
from satchel.interfaces.install.hosts import TABLE, HostFile, host_program
from satchel.interfaces.install.machine import Machine
from satchel.interfaces.install.plan import FilePlan, plan_install, plan_uninstall
from satchel.interfaces.install.records import FileRecord, InstallRecord, Records, RecordsFolder, digest

EMPTY: Mapping[str, str] = {}
_IN_PLACE = ("installed", "updated", "unchanged")


class Checks(Struct, frozen=True):
    """How an installation is tried."""

    commands: Callable[[Machine, str, Level, Path], tuple[InstallCheck, ...]]
    """Runs what the host will run, before anything is written; raises if it fails."""
    configuration: Callable[[Machine, str], tuple[InstallCheck, ...]]
    """Lets the host read its new configuration."""


class Installer(Struct, frozen=True):
    """What an installation works with."""

    machine: Machine
    sources: SettingsSources
    create_store: Callable[[], object]
    check: Checks
    tell: Callable[[str], None]
    """Shows the changes before they are made."""
    ask: Callable[[str], bool]

    @property
    def kept(self) -> RecordsFolder:
        """The records in the store's folder."""
        return RecordsFolder(self.sources.settings.home_folder)

    def install(self, host: str, level: Level, *, dry_run: bool, sure: bool) -> InstallReport:
        """Write our entries into the files of a host, after the person agreed."""
        host_files = self._files(host, level)
        self._require(host, level)
        if dry_run:
            plans = plan_install(host_files, self._record(self.kept.load(), host, level, host_files), self.kept)
            self._show(plans)
            return self._report(host, level, "planned" if _changes(plans) else "unchanged", plans)
        with self.kept.locked():
            report = self._install(host, level, host_files, sure=sure)
            self.kept.clean(self.kept.load())
        return report

    def _install(self, host: str, level: Level, host_files: Sequence[HostFile], *, sure: bool) -> InstallReport:
        records = self.kept.load()
        record = self._record(records, host, level, host_files)
        plans = plan_install(host_files, record, self.kept)
        self._show(plans)
        title = TABLE[host].title
        if _changes(plans) and not sure and not self.ask(f"Install Satchel in {title}?"):
            return self._report(host, level, "cancelled", plans)
        self.create_store()
        checks = self.check.commands(self.machine, host, level, self.kept.folder)
        if _changes(plans):
            records = self._write(records, InstallRecord(host, level, _folder(host_files), ()), plans)
        after = on_demand.turn_on(self.sources, records)
        if after != records:
            self.kept.save(after)
        updated = "updated" if record else "installed"
        action = updated if _changes(plans) else "unchanged"
        checks += self.check.configuration(self.machine, host)
        return self._report(host, level, action, plans, checks, self._backups(after))

    def _write(self, before: Records, record: InstallRecord, plans: Sequence[FilePlan]) -> Records:
        """Record what will be written before writing it, so that a crash in between leaves nothing unknown."""
        files = tuple(self._file_record(plan) for plan in plans if plan.after is not None)
        records = before.with_install(InstallRecord(*record.key, files))
        self.kept.save(records)
        done: list[Written] = []
        try:
            done = apply(plans)
            created = {one.plan.number: one.folders for one in done}
            files = tuple(_with_folders(one, created.get(one.number, ())) for one in files)
            records = before.with_install(InstallRecord(*record.key, files))
            self.kept.save(records)
        except BaseException:  # also a signal: a host is left whole or untouched
            put_back(done)
            self.kept.save(before)
            raise
        return records

    def _file_record(self, plan: FilePlan) -> FileRecord:
        backup = None if plan.baseline is None else self.kept.back_up(plan.file.path.name, plan.baseline)
        return FileRecord(plan.number, str(plan.file.path), digest(plan.after or b""), backup, plan.folders)

    def _backups(self, records: Records) -> dict[str, str]:
        recorded = (one for install in records.installs for one in install.files)
        return {one.path: str(self.kept.folder / one.backup) for one in recorded if one.backup}

    def uninstall(self, host: str, level: Level | None, *, dry_run: bool, sure: bool) -> Uninstalled:
        """Take our entries out of the files of a host, after the person agreed.

        Without a level, those of the user, and those that were installed in the project.
        """
        if dry_run:
            levels = (level,) if level else self._installed_levels(host)
            return self._uninstalled(host, [self._uninstall(host, one, dry_run=True, sure=True) for one in levels])
        with self.kept.locked():
            levels = (level,) if level else self._installed_levels(host)
            reports = [self._uninstall(host, one, dry_run=False, sure=sure) for one in levels]
            self.kept.clean(self.kept.load())
        return self._uninstalled(host, reports)

    def _uninstalled(self, host: str, reports: Sequence[InstallReport]) -> Uninstalled:
        left = [one for one in self.kept.load().installs if one.host == host]
        projects, users = (
            tuple(one.folder for one in left if one.level == level) for level in (Level.PROJECT, Level.USER)
        )
        return Uninstalled(host, tuple(reports), projects, users)

    def _installed_levels(self, host: str) -> tuple[Level, ...]:
        if Level.PROJECT not in TABLE[host].next_steps:
            return (Level.USER,)
        host_files = self._files(host, Level.PROJECT)
        recorded = self._record(self.kept.load(), host, Level.PROJECT, host_files)
        return (Level.USER, Level.PROJECT) if recorded else (Level.USER,)

    def _uninstall(self, host: str, level: Level, *, dry_run: bool, sure: bool) -> InstallReport:
        host_files = self._files(host, level)
        records = self.kept.load()
        record = self._record(records, host, level, host_files)
        plans = plan_uninstall(host_files, record, self.kept)
        if not _changes(plans) and record is None:
            return self._report(host, level, "not_installed", plans)
        self._show(plans)
        if dry_run:
            return self._report(host, level, "planned", plans)
        if not sure and not self.ask(f"Remove Satchel from {TABLE[host].title} ({level})?"):
            return self._report(host, level, "cancelled", plans)
        apply(plans)
        for plan in plans:
            remove_folders(tuple(map(Path, plan.folders)))
        left = records if record is None else records.without_install(record)
        left = on_demand.turn_back(self.sources, left)
        if left != records:
            self.kept.save(left)
        return self._report(host, level, "uninstalled", plans)

    def statuses(self) -> HostList:
        """Return every host with its state."""
        return HostList(tuple(self._status(host) for host in HOSTS))

    def _status(self, host: str) -> HostStatus:
        row = TABLE[host]
        program = host_program(self.machine, host)
        found = program != "" or row.folder(self.machine).is_dir()
        project = self._state(host, Level.PROJECT) if self._has_project(host) else ""
        return HostStatus(
            host, row.title, found, program, self._state(host, Level.USER), project, tuple(self._paths(host))
        )

    def _has_project(self, host: str) -> bool:
        """Return whether the current folder can have an installation of its own: its files must not be the user's."""
        if Level.PROJECT not in TABLE[host].next_steps or self.machine.project == self.machine.home.resolve():
            return False
        try:
            own, users = ({os.path.realpath(one.path) for one in self._files(host, level)} for level in reversed(Level))
        except SatchelError:
            return True
        return own.isdisjoint(users)

    def _paths(self, host: str) -> list[str]:
        try:
            return [str(one.path) for one in self._files(host, Level.USER)]
        except SatchelError:
            return [str(TABLE[host].folder(self.machine))]

    def _state(self, host: str, level: Level) -> str:
        try:
            host_files = self._files(host, level)
            installed = _changes(plan_uninstall(host_files, None, self.kept))
            complete = not _changes(plan_install(host_files, None, self.kept))
        except SatchelError as problem:
            return problem.message
        return ("yes" if complete else "outdated") if installed else "no"

    def _files(self, host: str, level: Level) -> tuple[HostFile, ...]:
        """Return the files of a host. Those of a project may come from others, so no link may lead out of it."""
        found = TABLE[host].files(self.machine, level)
        for one in found if level is Level.PROJECT else ():
            if not Path(os.path.realpath(one.path)).is_relative_to(os.path.realpath(self.machine.project)):
                raise InvalidRequest(
                    f"{one.path} is a link out of the project",
                    code="host_config",
                    hint="replace it by a file; nothing was changed",
                )
        return found

    def _require(self, host: str, level: Level) -> None:
        row = TABLE[host]
        folder = row.folder(self.machine)
        if host == OPENCLAW and (self.machine.plugin is None or not self.machine.script):
            missing = (
                "plugin for OpenClaw" if self.machine.plugin is None else "script 'satchel', which OpenClaw starts"
            )
            raise Unavailable(
                f"this installation of Satchel has no {missing}", code="no_plugin", hint="reinstall Satchel"
            )
        if level is Level.PROJECT:
            if self.machine.project == self.machine.home.resolve():
                raise InvalidRequest(
                    "this folder is your home folder", code="not_a_project", hint="go to the project's folder first"
                )
        elif not host_program(self.machine, host) and not folder.is_dir():
            raise NotFound(
                f"{row.title} was not found: there is no {folder}, and no '{row.programs[0]}' on PATH",
                code="host_not_found",
                hint=f"install {row.title} first; 'satchel install --list' shows what was found",
            )

    def _record(
        self, records: Records, host: str, level: Level, host_files: Sequence[HostFile]
    ) -> InstallRecord | None:
        return records.find(host, level, _folder(host_files))

    def _report(
        self,
        host: str,
        level: Level,
        action: str,
        plans: Sequence[FilePlan],
        checks: tuple[InstallCheck, ...] = (),
        backups: Mapping[str, str] = EMPTY,
    ) -> InstallReport:
        changes = tuple(
            FileChange(str(one.file.path), one.action, one.diff, backups.get(str(one.file.path), "")) for one in plans
        )
        steps = TABLE[host].next_steps[level] if action in _IN_PLACE else ()
        remarks = [one for plan in plans for one in plan.remarks]
        if action in _IN_PLACE:
            remarks += _machine_remarks(self.machine) if level is Level.PROJECT else []
            remarks += self._double_remarks(host, level)
        return InstallReport(host, level, action, changes, checks, steps, tuple(remarks))

    def _double_remarks(self, host: str, level: Level) -> list[str]:
        """Return a remark if the other level of a host has our hooks too: the host runs those of both."""
        status = self._status(host)
        other = status.project if level is Level.USER else status.user
        if other not in ("yes", "outdated") or not HOOK_EVENTS.get(host):
            return []
        where = "for you and in this project"
        return [f"Satchel is installed {where}, so hooks run twice here: uninstall it with --user or --project"]

    def _show(self, plans: Sequence[FilePlan]) -> None:
        for plan in plans:
            if plan.changes:
                self.tell(plan.diff)


def _machine_remarks(machine: Machine) -> list[str]:
    """Return what others would not understand in the files of a project."""
    remarks = []
    if not machine.on_path:
        remarks.append("'satchel' is not on PATH, so the files contain a path of this machine: do not commit them")
    if machine.store is not None:
        remarks.append("the files contain the folder of your store: do not commit them")
    return remarks


def _folder(host_files: Sequence[HostFile]) -> str:
    return str(host_files[0].path.parent)


def _changes(plans: Sequence[FilePlan]) -> bool:
    return any(plan.changes for plan in plans)


def _with_folders(record: FileRecord, created: tuple[Path, ...]) -> FileRecord:
    folders = (*record.folders, *map(str, created))
    return FileRecord(record.number, record.path, record.after, record.backup, folders)
