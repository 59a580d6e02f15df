"""Total Recall as Markdown files: working memory, registers, daily notes and archive.

New entries go into the daily file. Superseded entries stay in place, marked, and are never returned as current.
"""

import os
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from msgspec import Struct

from satchel.adapters.backends import options
from satchel.domain.moment import iso, local_midnight
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, RouteErrorCode, RouteItem
from satchel.errors import BackendFailed
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery
from satchel.routing.text_relevance import decay, relevance
from satchel.routing.times import of_asked_time

NAME = "totalrecall"
MAX_FILES = 5_000
MAX_FILE_BYTES = 2 << 20
_SUPERSEDED = re.compile(r"\[superseded(?::[^\]]*)?\]", re.IGNORECASE)
_ID = re.compile(r"\s*\^tr[0-9a-f]{10}\b")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_DATE = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")


class Note(Struct, frozen=True):
    """One entry: its text, position and time."""

    text: str
    path: str
    line: int
    at: int


class MarkdownTiers:
    """Implements ports.backend.Backend over a folder with `CLAUDE.local.md` or `MEMORY.md`, and `memory/`."""

    def __init__(self, entry: BackendEntry) -> None:
        self.name = NAME
        self._folder = options.path(entry, "folder")

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search every tier, with decay by age. A query without content words returns the newest, or what is of its time."""
        now = int(datetime.now(UTC).timestamp() * 1000)
        notes = [one for path in self._files(now) for one in _notes(path, self._folder)]
        age = now if asked.period is None else None
        return reply(
            NAME, asked, of_asked_time(asked, lambda query: filter(None, (_item(one, query, age) for one in notes)))
        )

    def write(self, key: str, text: str, at: int) -> str:
        """Add an entry to the daily file, which has no use for a key, and return where."""
        moment = iso(at)
        path = self._folder / "memory" / "daily" / f"{moment[:10]}.md"
        flat = " ".join(text.split())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            exists = path.exists()
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
                file.write(("" if exists else f"# {moment[:10]}\n\n") + f"- {moment[11:16]} {flat}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BackendFailed(f"cannot write {path}: {error.strerror}", code=RouteErrorCode.UNAVAILABLE) from None
        return str(path.relative_to(self._folder))

    def _files(self, now: int) -> Iterator[Path]:
        if not self._folder.is_dir():
            raise BackendFailed(f"{self._folder}: no such folder", code=RouteErrorCode.UNAVAILABLE)
        memory = self._folder / "memory"
        daily = sorted((memory / "daily").glob("*.md"), reverse=True)
        candidates = [
            self._folder / "CLAUDE.local.md",
            # An OpenClaw workspace has its long-term memory and its days here.
            *(self._folder / name for name in ("MEMORY.md", "memory.md")),
            *sorted(memory.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*.md"), reverse=True),
            *sorted((memory / "registers").glob("*.md")),
            *daily,
            *sorted((memory / "archive").rglob("*.md")),
        ]
        # Links may lead elsewhere: only files inside the folder are read.
        root = self._folder.resolve()
        inside = (path for path in candidates if path.is_file() and path.resolve().is_relative_to(root))
        # Where case does not count, MEMORY.md and memory.md are one file.
        yield from list({path.stat().st_ino: path for path in inside}.values())[:MAX_FILES]


def _notes(path: Path, folder: Path) -> Iterator[Note]:
    """Yield the entries of a file: list items and paragraphs, without superseded ones."""
    try:
        text = path.read_bytes()[:MAX_FILE_BYTES].decode("utf-8", "replace")
        changed = int(path.stat().st_mtime * 1000)
    except OSError:
        return
    day = _day(path.stem) or changed
    name = str(path.relative_to(folder))
    for number, line in enumerate(text.splitlines(), start=1):
        entry = _ID.sub("", _BULLET.sub("", line)).strip()
        if entry and not entry.startswith(("#", "<!--", "---", "```")) and not _SUPERSEDED.search(entry):
            dated = _DATE.search(entry)
            yield Note(entry, name, number, (_day(dated.group(1)) if dated else None) or day)


def _item(note: Note, query: PreparedQuery, now: int | None) -> RouteItem | None:
    listing = not query.terms and not query.exact
    match = 1.0 if listing else relevance(query, note.text)
    if match <= 0:
        return None
    aged = match if now is None else match * decay(now - note.at)
    return item(note.text, aged, NAME, iso(note.at), path=note.path, line=note.line)


def _day(text: str) -> int | None:
    try:
        return local_midnight(date.fromisoformat(text[:10]))
    except (ValueError, OverflowError):
        return None
