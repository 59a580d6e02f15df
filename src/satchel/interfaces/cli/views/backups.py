"""Views of backups."""

from satchel.domain.backup import BackedUp, BackupContents, BackupRestored, BackupSchedule
from satchel.domain.move import StoreMoved
from satchel.interfaces.cli.views.lines import Lines, Views, count


def _backed_up(result: BackedUp | BackupSchedule) -> Lines:
    if isinstance(result, BackupSchedule):
        yield from _schedule(result)
        return
    yield f"wrote {result.path}, {result.bytes:,} bytes{', encrypted' if result.encrypted else ''}, verified", "green"
    yield f"  {_contents(result.contents)}", "dim"
    yield f"  {result.digest}", "dim"


def _schedule(result: BackupSchedule) -> Lines:
    yield "for 'crontab -e':", "bold"
    yield result.cron, ""
    for name, text in (("service", result.systemd_service), ("timer", result.systemd_timer)):
        yield f"or ~/.config/systemd/user/satchel-backup.{name}:", "bold"
        for line in text.splitlines():
            yield line, ""
    yield "then: systemctl --user enable --now satchel-backup.timer", "dim"


def _restored(result: BackupRestored) -> Lines:
    yield f"restored {result.path} to {result.home}", "green"
    yield f"  {_contents(result.contents)}", "dim"
    if result.replaced:
        yield f"  what was there before is in {result.replaced}", "yellow"


def _contents(contents: BackupContents) -> str:
    return f"{count(contents.memories, 'memory')}, {count(contents.receipts, 'receipt')}, {count(contents.files, 'file')}, up to change #{contents.seq}"


def _moved(result: StoreMoved) -> Lines:
    yield f"copied {result.source} to {result.target}: {count(result.rows, 'row')}, verified", "green"
    yield f"  {result.digest}", "dim"
    use = f"satchel config set ledger '{result.setting}'" if result.setting else "satchel config unset ledger"
    yield f"  to use the copy: {use}; the store it was made from is as it was", "dim"


VIEWS: Views = {"backup": _backed_up, "backup restore": _restored, "move": _moved}
