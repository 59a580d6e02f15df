"""Import: choose a file, see what it is and what would come in, import it, and take it back."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.domain.imports import Imported
from satchel.domain.undo import Undone
from satchel.errors import Conflict, InvalidRequest, SatchelError
from satchel.importing.values import TRUST_MEANINGS, ImportKind, ItemsImported
from satchel.interfaces.http.upload import MAX_BYTES
from satchel.interfaces.inspector.formatting import address, path_part
from satchel.interfaces.inspector.imports import BrowserImport, ImportChoice
from satchel.interfaces.inspector.pages.parameters import memories_by_scope
from satchel.interfaces.inspector.visit import Page, Redirect, Visit

_UNDO_LIST = "'satchel undo list' names the undos"


class Listed(Struct, frozen=True):
    """An import in the list of those since the server started."""

    id: str
    source: str
    state: str


class StartView(Struct, frozen=True):
    """What the page shows before a file is chosen."""

    imports: tuple[Listed, ...]
    max_bytes: int = MAX_BYTES


class PreviewView(Struct, frozen=True):
    """What would come in."""

    given: BrowserImport
    choice: ImportChoice
    items: ItemsImported | None
    rows: Imported | None
    """Of an export of Satchel; `items` of anything else."""
    error: SatchelError | None
    """Why it cannot be imported like this."""
    scopes: tuple[str, ...]
    trusts: Mapping[str, str]
    """What each trust means."""
    kinds: tuple[str, ...] = tuple(ImportKind)
    new: int = 0
    changed: bool = False
    """Whether the options were changed after the last preview."""


class ReportView(Struct, frozen=True):
    """What became of an import, or how far it is."""

    given: BrowserImport
    items: ItemsImported | None = None
    rows: Imported | None = None
    error: SatchelError | None = None
    receipt: str = ""


async def show_start(visit: Visit) -> Page:
    """Show the form, and the imports of this server."""
    return Page("import.html", StartView(tuple(Listed(one.id, one.source, _state(one)) for one in visit.imports.all())))


async def choose_path(visit: Visit) -> Redirect:
    """Take a path of this machine."""
    path = visit.form.get("path", "").strip()
    if not path or path == "-":
        raise InvalidRequest("the path is empty", code="invalid_path", hint="name a file or a folder on this machine")
    return Redirect(_address(visit.imports.add_path(path)))


async def show_one(visit: Visit) -> Page:
    """Show what an import would bring, how far it is, or what it brought."""
    given = visit.imports.find(visit.names["import"])
    if given.is_waiting:
        return await _preview(visit, given)
    answer = given.answer
    if answer is None or isinstance(answer, SatchelError):
        return Page("import_report.html", ReportView(given, error=answer))
    items, rows = _split(answer.result)
    return Page("import_report.html", ReportView(given, items, rows, receipt=answer.receipt.digest))


async def _preview(visit: Visit, given: BrowserImport) -> Page:
    choice = _choice(visit.query)
    error = found = None
    try:
        found = (await visit.imports.preview(given, choice)).result
    except SatchelError as wrong:
        # Another kind or scope may do.
        error = wrong
    scopes = tuple(await memories_by_scope(visit))
    items, rows = _split(found)
    new = items.new if items else rows.imported if rows else 0
    view = PreviewView(
        given, choice, items, rows, error, scopes, TRUST_MEANINGS, new=new, changed="changed" in visit.query
    )
    return Page("import_preview.html", view)


async def run(visit: Visit) -> Redirect:
    """Import as it was previewed. Options that were changed since are previewed first."""
    given = visit.imports.find(visit.names["import"])
    choice = _choice(visit.form)
    if given.is_waiting and given.preview is not None and given.preview[0] != choice:
        notes = "1" if choice.notes else ""
        where = address(
            _address(given), scope=choice.scope, kind=choice.kind, trust=choice.trust, notes=notes, changed=1
        )
        return Redirect(where)
    visit.imports.begin(given, choice)
    return Redirect(_address(given))


async def stop(visit: Visit) -> Redirect:
    """Stop a running import after its present batch."""
    given = visit.imports.find(visit.names["import"])
    given.is_stopped = True
    return Redirect(_address(given))


async def discard(visit: Visit) -> Redirect:
    """Give an import up, and remove its upload."""
    given = visit.imports.find(visit.names["import"])
    if given.is_running:
        raise Conflict("the import is running", code="import_running", hint="stop it first")
    visit.imports.discard(given)
    return Redirect("/import")


async def undo(visit: Visit) -> Redirect:
    """Take the memories of an import back."""
    given = visit.imports.find(visit.names["import"])
    if given.tag is None:
        raise Conflict("this import changed no memories", code="nothing_to_undo")
    undone: Undone = (await visit.ask("undo", change=given.tag)).result
    given.undone = undone
    return Redirect(_address(given))


async def bring_back(visit: Visit) -> Redirect:
    """Make memories active again that were imported before and taken back since."""
    given = visit.imports.find(visit.names["import"])
    change = given.result.brought_back_by if given.result else None
    if change is None:
        raise Conflict("no single undo took memories of this file back", code="nothing_to_undo", hint=_UNDO_LIST)
    given.brought_back = (await visit.ask("undo", change=change)).result
    given.preview = None
    return Redirect(_address(given))


def _state(given: BrowserImport) -> str:
    if given.is_waiting:
        return "waiting"
    if given.is_running:
        return "running"
    return "failed" if isinstance(given.answer, SatchelError) else "undone" if given.undone else "imported"


def _choice(fields: Mapping[str, str]) -> ImportChoice:
    return ImportChoice(
        kind=fields.get("kind", "").strip() or None,
        scope=fields.get("scope", "").strip() or None,
        trust=fields.get("trust", "").strip() or next(iter(TRUST_MEANINGS)),
        notes="notes" in fields,
    )


def _split(result: Imported | ItemsImported | None) -> tuple[ItemsImported | None, Imported | None]:
    return (result, None) if isinstance(result, ItemsImported) else (None, result)


def _address(given: BrowserImport) -> str:
    return f"/import/{path_part(given.id)}"
