"""The lines of cron and systemd that make a backup regularly."""

from collections.abc import Mapping
from enum import StrEnum

from satchel.domain.backup import BackupSchedule


class Period(StrEnum):
    """How often a backup is made."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


# Not at the full hour, when many other programs start.
_CRON: Mapping[Period, str] = {Period.HOUR: "17 * * * *", Period.DAY: "17 3 * * *", Period.WEEK: "17 3 * * 0"}
_SYSTEMD: Mapping[Period, str] = {Period.HOUR: "hourly", Period.DAY: "daily", Period.WEEK: "weekly"}


def backup_schedule(every: Period, command: str) -> BackupSchedule:
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
