"""Write the planned files: all of them or none."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from satchel.errors import SatchelError, Unavailable
from satchel.interfaces.install import files
from satchel.interfaces.install.plan import FilePlan


class Written(Struct, frozen=True):
    """A file that was written, and the folders that were created for it."""

    plan: FilePlan
    folders: tuple[Path, ...]


def apply(plans: Sequence[FilePlan]) -> list[Written]:
    """Write the files that change. If one of them fails, those before it are put back."""
    done: list[Written] = []
    try:
        for plan in plans:
            if plan.changes:
                done.append(Written(plan, files.write(plan.snapshot, plan.after)))
    except OSError as error:
        put_back(done)
        raise Unavailable(
            f"{error.filename or plan.snapshot.path} cannot be written: {error.strerror}; nothing was changed",
            code="host_config",
            hint="check that you may write there",
        ) from None
    except SatchelError:
        put_back(done)
        raise
    return done


def put_back(done: Sequence[Written]) -> None:
    """Undo what was written, the last first."""
    for one in reversed(done):
        before = one.plan.snapshot
        files.write(replace(files.read(before.path), status=before.status), before.content)
        files.remove_folders(one.folders)
