"""QMD as a program or a server: collections of files, searched by words and, if it has models, by meaning.

A document must have all words of a search, so words that only route the query are not sent; and QMD's scores depend on
rank, so results are scored here.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from satchel.adapters.backends import options
from satchel.adapters.backends.process import run
from satchel.adapters.backends.qmd_index import document_dates, index_file
from satchel.adapters.backends.remote import post
from satchel.adapters.remote_json import BadAnswer
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, RouteErrorCode, RouteItem
from satchel.errors import BackendFailed
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery, parts, prepare_query
from satchel.routing.text_relevance import relevance

NAME = "qmd"
MAX_SEARCHES = 8
MAX_MESSAGE_CHARS = 500
# For documents of a server elsewhere: QMD does not print their age, and neither their folder nor its index is here.
_UNKNOWN = "1970-01-01T00:00:00Z"
_HEADER = re.compile(r"^(?:\d+: )?@@ .*? @@.*\n?")
_LINE_NUMBER = re.compile(r"^\d+: ", re.MULTILINE)
_NO_VECTORS = ("need embeddings", "vector index not found", "Vector index not found", "sqlite-vec")

NORMALISED: dict[str, Callable[[float, PreparedQuery, str], float]] = {
    "recompute": lambda score, query, text: relevance(query, text),
    "identity": lambda score, query, text: min(1.0, max(0.0, score)),
    "bm25_legacy_x3": lambda score, query, text: min(1.0, max(0.0, 3 * score)),
}
"""Ways to turn a QMD score into a relevance."""


class QmdProgram:
    """Implements ports.backend.Backend over the command `qmd`."""

    def __init__(self, entry: BackendEntry) -> None:
        self.name = NAME
        self._command = options.texts(entry, "command") or ("qmd",)
        self._collection = options.text(entry, "collection")
        variables = _object(entry, "env")
        self._variables = tuple(f"{name}={value}" for name, value in variables.items())
        self._models = options.switch(entry, "models")
        self._results = _Results(entry, index_file(variables), self._collection)

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search the collection."""
        query = prepare_query(asked.query)
        mode = asked.mode or "query"
        if mode == "vsearch" or (mode == "query" and self._models):
            return self._results.reply(asked, query, self._run(mode, query.text, asked, meaning=True))
        if not _searches(query):
            return self._results.reply(asked, query, [])
        found = self._run("search", _words(query), asked) if mode == "search" else []
        # A search needs every word; a structured query then looks for documents with some of them.
        note = None if mode == "search" else "by words only: the option models is off"
        return self._results.reply(asked, query, found or self._run("query", _structured(query), asked), note)

    def _run(self, command: str, text: str, asked: BackendQuery, *, meaning: bool = False) -> list[Any]:
        flags = ["--json", "-n", str(asked.limit), "-c", self._collection]
        flags += ["--no-rerank"] if command == "query" and not meaning else []
        done = run([*self._prefix(), command, *flags, "--", text], asked.deadline)
        if done.code != 0:
            raise BackendFailed(
                _one_line(done.message) or f"QMD exited with code {done.code}", code=RouteErrorCode.ERROR
            )
        found = _parse_list(done.output)
        if meaning and not found and any(sign in done.message for sign in _NO_VECTORS):
            raise BackendFailed(
                "QMD has no vectors for this collection: run 'qmd embed'", code=RouteErrorCode.UNAVAILABLE
            )
        return found

    def _prefix(self) -> Sequence[str]:
        return ["env", *self._variables, *self._command] if self._variables else self._command

    def version(self, deadline: float) -> str:
        """Return its version."""
        return run([*self._prefix(), "--version"], deadline).output.decode("utf-8", "replace").strip()


class QmdServer:
    """Implements ports.backend.Backend over `qmd mcp --http`."""

    def __init__(self, entry: BackendEntry) -> None:
        self.name = NAME
        self._url = options.text(entry, "url", "http://localhost:8181")
        self._collections = options.texts(entry, "collection")
        self._models = options.switch(entry, "models")
        collection = self._collections[0] if len(self._collections) == 1 else ""
        self._results = _Results(entry, index_file({}), collection)

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search the collections."""
        query = prepare_query(asked.query)
        mode = asked.mode or "query"
        if mode == "vsearch" and not self._models:
            raise BackendFailed("QMD searches by words only: the option models is off", code=RouteErrorCode.UNAVAILABLE)
        searches = [] if mode == "vsearch" else [{"type": "lex", "query": one} for one in _searches(query)]
        if self._models and mode != "search":
            searches.append({"type": "vec", "query": query.text})
        if not searches:
            return self._results.reply(asked, query, [])
        request: dict[str, object] = {"searches": searches, "limit": asked.limit, "rerank": False}
        if self._collections:
            request["collections"] = list(self._collections)
        found = post("qmd", self._url, "query", request, asked.deadline, _results)
        note = "by words only: the option models is off" if mode == "query" and not self._models else None
        return self._results.reply(asked, query, found, note)


class _Results:
    """Turns QMD's results into a reply."""

    def __init__(self, entry: BackendEntry, index: Path, collection: str) -> None:
        name = options.text(entry, "relevance", "recompute")
        if name not in NORMALISED:
            raise options.invalid(entry, "relevance", f"one of {', '.join(NORMALISED)}")
        self._value = NORMALISED[name]
        self._folder = options.path(entry, "folder") if "folder" in entry.options else None
        self._index, self._collection = index, collection

    def reply(
        self, asked: BackendQuery, query: PreparedQuery, found: Sequence[Any], note: str | None = None
    ) -> BackendReply:
        items = [self._item(one, query) for one in found if isinstance(one, dict)]
        return reply(NAME, asked, self._dated([one for one in items if one is not None]), note=note)

    def _item(self, result: dict[str, Any], query: PreparedQuery) -> RouteItem | None:
        file, title = result.get("file"), result.get("title") or ""
        text = result.get("body") or result.get("snippet")
        score, line = result.get("score", 0.0), result.get("line")
        if not all(isinstance(one, str) for one in (file, title, text)) or not isinstance(score, (int, float)):
            raise BackendFailed("unexpected form of a result", code=RouteErrorCode.ERROR)
        path = re.sub(r"^qmd://[^/]+/", "", str(file))
        shown = _LINE_NUMBER.sub("", _HEADER.sub("", str(text))).strip()
        value = self._value(float(score), query, f"{path} {title}\n{shown}")
        if value <= 0:
            return None
        return item(shown, value, NAME, _UNKNOWN, path=path, line=line if isinstance(line, int) else None)

    def _dated(self, items: Sequence[RouteItem]) -> list[RouteItem]:
        """Return results with the dates of their files, otherwise those in QMD's index."""
        paths = dict.fromkeys(one.path for one in items if one.path)
        dates = {path: date for path in paths if (date := self._file_date(path))}
        dates |= document_dates(self._index, self._collection, [path for path in paths if path not in dates])
        return [replace(one, timestamp=dates.get(one.path or "", _UNKNOWN)) for one in items]

    def _file_date(self, path: str) -> str | None:
        try:
            changed = (self._folder / path).stat().st_mtime if self._folder else None
        except (OSError, ValueError):
            changed = None
        return None if changed is None else datetime.fromtimestamp(changed, UTC).isoformat().replace("+00:00", "Z")


def _words(query: PreparedQuery) -> str:
    """Return the required words: the exact ones, otherwise the content words."""
    return _plain(" ".join(query.exact or query.terms) or query.text)


def _plain(text: str) -> str:
    """Remove QMD's syntax from a text: quotes, of which a single one is an error, and exclusions."""
    return " ".join(word.lstrip("-") for word in text.replace('"', " ").split())


def _searches(query: PreparedQuery) -> list[str]:
    """Return alternative searches, strictest first."""
    split = [" ".join(parts(name)) for name in query.identifiers if parts(name)]
    names = [re.sub(r"[^\w]+", " ", path).strip() for path in query.paths]
    wanted = [_words(query), *query.exact, *split, *names, *query.terms]
    plain = dict.fromkeys(_plain(one) for one in wanted)
    return [one for one in plain if any(letter.isalnum() for letter in one)][:MAX_SEARCHES]


def _structured(query: PreparedQuery) -> str:
    return "\n".join(f"lex: {' '.join(one.split())}" for one in _searches(query))


def _parse_list(output: bytes) -> list[Any]:
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        raise BackendFailed("QMD's output is not JSON", code=RouteErrorCode.ERROR) from None
    if not isinstance(found, list):
        raise BackendFailed("QMD's output is not a list", code=RouteErrorCode.ERROR)
    return found


def _results(answer: Any) -> list[Any]:
    found = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise BadAnswer("it has no results")
    return found


def _one_line(message: str) -> str:
    return " ".join(message.split())[:MAX_MESSAGE_CHARS]


def _object(entry: BackendEntry, name: str) -> dict[str, str]:
    value: Any = entry.options.get(name, {})
    if not isinstance(value, dict) or not all(isinstance(one, str) and "\0" not in one for one in value.values()):
        raise options.invalid(entry, name, "an object of texts")
    return value
