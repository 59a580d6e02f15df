"""Lines for cron, and unit files for systemd."""

from satchel.interfaces.rollout.timers import cron_lines, systemd_units
from satchel.interfaces.rollout.values import Stage

PROGRAM = ("/opt/my tools/satchel", "--home", "/data/50%")


def test_write_back_follows_grading() -> None:
    assert cron_lines(PROGRAM, Stage.A) == (
        r"0 */4 * * * '/opt/my tools/satchel' --home /data/50\% grade --all-scopes >/dev/null",
        r"20 */4 * * * '/opt/my tools/satchel' --home /data/50\% rollout run",
    )


def test_the_live_stage_is_watched_more_often() -> None:
    assert cron_lines(("satchel",), Stage.C)[1] == "*/10 * * * * satchel rollout run"
    assert "OnCalendar=*:0/10" in systemd_units(("satchel",), Stage.C)["satchel-rollout.timer"]


def test_units() -> None:
    units = systemd_units(PROGRAM, Stage.A)

    assert set(units) == {f"satchel-rollout{part}.{kind}" for part in ("", "-grade") for kind in ("service", "timer")}
    assert units["satchel-rollout.service"] == (
        "[Service]\nType=oneshot\nExecStart='/opt/my tools/satchel' --home /data/50%% rollout run\n"
    )
    assert "OnCalendar=*-*-* 00/4:20:00" in units["satchel-rollout.timer"]
