"""Imports that a browser began: what waits for a decision, what runs, and what became of it."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct

from satchel.adapters.upload_files import UploadFiles
from satchel.domain.automatic_tags import automatic_name
from satchel.domain.envelope import Ok
from satchel.domain.imports import Imported
from satchel.domain.undo import Undone
from satchel.errors import NotFound, Refused, SatchelError, Unavailable
from satchel.importing.values import ItemsImported
from satchel.interfaces.agents import guarded
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.inspector.asking import ACTOR
from satchel.interfaces.operations import Session
from satchel.ports import Progress

_ID_BYTES = 16
_CALLER = Caller(ACTOR, ACTOR)
MAX_WAITING = 3
"""How many imports may wait for a decision; the oldest is given up for a new one."""
MAX_KEPT = 20
"""How many finished ones are kept to look at."""
MAX_NAME_CHARS = 200

Result = Imported | ItemsImported


class ImportChoice(Struct, frozen=True):
    """How a person wants a source to be imported."""

    kind: str | None = None
    """None if it is to be found out."""
    scope: str | None = None
    trust: str = "untrusted"
    notes: bool = False


class BrowserImport(Struct):
    """One import, from the choice of a source to its report."""

    id: str
    source: str
    """What it is called: the name of an uploaded file, or a path."""
    path: Path
    is_upload: bool
    preview: tuple[ImportChoice, Ok[Result]] | None = None
    """The last preview, so that a page that is loaded again does not read the source again."""
    choice: ImportChoice | None = None
    """How it was imported; None until it is."""
    done: int = 0
    total: int = 0
    is_stopped: bool = False
    answer: Ok[Result] | SatchelError | None = None
    """What became of it; None until it has ended."""
    tag: str | None = None
    """Names the state before, to which an undo returns."""
    undone: Undone | None = None
    brought_back: Undone | None = None
    """What an undo had retired of it before, and is active again."""

    @property
    def result(self) -> Result | None:
        """What it brought, or would bring by the last preview; None if that is not known."""
        if self.is_waiting:
            return self.preview[1].result if self.preview else None
        return self.answer.result if isinstance(self.answer, Ok) else None

    @property
    def is_waiting(self) -> bool:
        """Whether nothing was decided yet."""
        return self.choice is None

    @property
    def is_running(self) -> bool:
        """Whether it is being imported."""
        return self.choice is not None and self.answer is None


class BrowserImports:
    """The imports of all browsers, in the memory of the server. Uploads are removed when their import ends."""

    def __init__(
        self,
        workers: Workers,
        uploads: UploadFiles,
        in_use: Callable[[], AbstractContextManager[None]],
        *,
        read_only: bool = False,
    ) -> None:
        """Imports run inside `in_use()`."""
        self.uploads = uploads
        self._read_only = read_only
        self._workers, self._in_use = workers, in_use
        self._imports: dict[str, BrowserImport] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def all(self) -> tuple[BrowserImport, ...]:
        """Return the imports, newest first."""
        return tuple(reversed(self._imports.values()))

    def find(self, id: str) -> BrowserImport:
        """Return an import. Raises NotFound."""
        found = self._imports.get(id)
        if found is None:
            raise NotFound(
                "there is no such import", hint="choose the file again: an upload does not outlast the server"
            )
        return found

    def check_writable(self) -> None:
        """Raise Refused if nothing can be imported."""
        if self._read_only:
            raise Refused("the store is read-only", code="readonly_mode")

    def add_upload(self, name: str, path: Path) -> BrowserImport:
        """Keep an uploaded file; its name is for people, and never part of a path."""
        return self._add(BrowserImport(secrets.token_urlsafe(_ID_BYTES), _file_name(name), path, is_upload=True))

    def add_path(self, path: str) -> BrowserImport:
        """Keep a path of this machine."""
        return self._add(BrowserImport(secrets.token_urlsafe(_ID_BYTES), path, Path(path), is_upload=False))

    def _add(self, new: BrowserImport) -> BrowserImport:
        waiting = [one for one in self._imports.values() if one.is_waiting]
        ended = [one for one in self._imports.values() if not one.is_waiting and not one.is_running]
        for one in (*waiting[: max(0, len(waiting) - MAX_WAITING + 1)], *ended[: max(0, len(ended) - MAX_KEPT + 1)]):
            self.discard(one)
        self._imports[new.id] = new
        return new

    def discard(self, given: BrowserImport) -> None:
        """Remove an import that does not run, with its upload."""
        self._remove_upload(given)
        self._imports.pop(given.id, None)

    async def preview(self, given: BrowserImport, choice: ImportChoice) -> Ok[Result]:
        """Return what an import would bring. Raises its error."""
        if given.preview is None or given.preview[0] != choice:
            answer = await self._import(given, choice, dry_run=True)
            if isinstance(answer, SatchelError):
                raise answer
            given.preview = choice, answer
        return given.preview[1]

    def begin(self, given: BrowserImport, choice: ImportChoice) -> None:
        """Import in the background, unless that has begun already."""
        if given.is_waiting:
            given.choice = choice
            task = asyncio.create_task(self._run(given, choice))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self, given: BrowserImport, choice: ImportChoice) -> None:
        try:
            with self._in_use():
                tip = await self._workers.run(_tip, _CALLER)
                answer = await self._import(given, choice, dry_run=False, progress=_reporter(given))
                if isinstance(answer, SatchelError) or _has_memories(answer.result):
                    given.tag = await self._tag_since(tip)
        except SatchelError as error:
            answer = error
        finally:
            self._remove_upload(given)
        given.answer = answer

    async def _tag_since(self, tip: int) -> str | None:
        """Return the tag of the state before an import that began at a point, also of one that was stopped."""

        def work(session: Session) -> str | None:
            tags = session.memory.tags.list().result.tags
            since = [one for one in tags if one.seq >= tip and one.name == automatic_name("import", one.seq)]
            return min(since, key=lambda one: one.seq).name if since else None

        return await self._workers.run(work, _CALLER)

    async def _import(
        self, given: BrowserImport, choice: ImportChoice, *, dry_run: bool, progress: Progress | None = None
    ) -> Ok[Result] | SatchelError:
        def work(session: Session) -> Ok[Result] | SatchelError:
            importing = session.memory.importing
            return guarded(
                "import",
                lambda: importing.import_(
                    str(given.path),
                    kind=choice.kind,
                    scope=choice.scope,
                    trust=choice.trust,
                    notes=choice.notes,
                    yes=not dry_run,
                    dry_run=dry_run,
                    upload_name=given.source if given.is_upload else None,
                    progress=progress,
                ),
            )

        return await self._workers.run(work, _CALLER, long=True, writes=not dry_run)

    def _remove_upload(self, given: BrowserImport) -> None:
        if given.is_upload:
            self.uploads.remove(given.path)

    async def close(self) -> None:
        """Stop what runs after its present batch, and wait for it."""
        for one in self._imports.values():
            one.is_stopped = True
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _reporter(given: BrowserImport) -> Progress:
    """Return what notes the progress of an import, and ends it between two batches if it was stopped."""

    def report(done: int, total: int, what: str) -> None:
        given.done, given.total = done, total
        if given.is_stopped:
            raise Unavailable(
                "the import was stopped",
                code="import_stopped",
                hint="what came in before stays; import it again to go on",
            )

    return report


def _tip(session: Session) -> int:
    return session.memory.tags.list().result.seq


def _has_memories(result: Result) -> bool:
    """Return whether an undo has something to take back: turns and documents stay."""
    if isinstance(result, Imported):
        return result.imported > 0
    return result.changes_memories


def _file_name(name: str) -> str:
    """Return the last part of a name that a browser sent, on one line."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable()).strip()[:MAX_NAME_CHARS] or "upload"
