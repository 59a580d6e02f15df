"""The lines for cron and the unit files for systemd that do the periodic work of a stage."""

import shlex
from collections.abc import Mapping, Sequence

from satchel.interfaces.rollout.values import Stage

# Grading comes first, so that what it found is written back; twenty minutes keep the two apart.
GRADING = ("0 */4 * * *", "*-*-* 00/4:00:00")
WRITEBACK = ("20 */4 * * *", "*-*-* 00/4:20:00")
# A live memory that fails must not wait for hours.
LIVE = ("*/10 * * * *", "*:0/10")

_UNIT = "satchel-rollout"


def cron_lines(program: Sequence[str], stage: Stage) -> tuple[str, ...]:
    """Return the lines of a crontab. Nothing is printed by a run without a problem, so cron sends no mail."""
    grade, run = _commands(program)
    # In a crontab, a percent sign ends the command.
    return (f"{GRADING[0]} {grade} >/dev/null".replace("%", r"\%"), f"{_times(stage)[0]} {run}".replace("%", r"\%"))


def systemd_units(program: Sequence[str], stage: Stage) -> Mapping[str, str]:
    """Return unit files for ~/.config/systemd/user, by name."""
    grade, run = _commands(program)
    names = {f"{_UNIT}-grade": (grade, GRADING[1]), _UNIT: (run, _times(stage)[1])}
    units = {}
    for name, (command, times) in names.items():
        # In a unit file, a percent sign begins a specifier and a dollar sign a variable.
        escaped = command.replace("%", "%%").replace("$", "$$")
        units[f"{name}.service"] = f"[Service]\nType=oneshot\nExecStart={escaped}\n"
        units[f"{name}.timer"] = f"[Timer]\nOnCalendar={times}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    return units


def _commands(program: Sequence[str]) -> tuple[str, str]:
    return shlex.join((*program, "grade", "--all-scopes")), shlex.join((*program, "rollout", "run"))


def _times(stage: Stage) -> tuple[str, str]:
    return LIVE if stage is Stage.C else WRITEBACK
