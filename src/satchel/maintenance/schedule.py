"""The lines of cron and systemd that make a backup regularly."""

from collections.abc import Mapping
from enum import StrEnum

from satchel.domain.backup import BackupSchedule


class BackupPeriod(StrEnum):
    """How often a backup is made."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


# Not at the full hour, when many other programs start.
_CRON: Mapping[BackupPeriod, str] = {
    BackupPeriod.HOUR: "17 * * * *",
    BackupPeriod.DAY: "17 3 * * *",
    BackupPeriod.WEEK: "17 3 * * 0",
}
_SYSTEMD: Mapping[BackupPeriod, str] = {
    BackupPeriod.HOUR: "hourly",
    BackupPeriod.DAY: "daily",
    BackupPeriod.WEEK: "weekly",
}


def backup_schedule(every: BackupPeriod, command: str) -> BackupSchedule:
    """Return what to add to a crontab, or as a service and a timer of systemd, for a shell command."""
    return BackupSchedule(
        every=every,
        command=command,
        # Cron reads a % as the end of the line.
        cron=f"{_CRON[every]} {command.replace('%', chr(92) + '%')}",
        systemd_service=f"[Service]\nType=oneshot\nExecStart=/bin/sh -c {_systemd_quoted(command)}\n",
        systemd_timer=f"[Timer]\nOnCalendar={_SYSTEMD[every]}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
    )


def _systemd_quoted(command: str) -> str:
    """Quote a command for systemd, which expands % and $ and reads C escapes."""
    escaped = command.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
