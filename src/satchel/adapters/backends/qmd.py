"""QMD, the program and its server: collections of files, searched by words and, where it has models, by meaning.

All words of a search have to be in a document, so the query goes out without those that only say where it belongs; and
its scores depend on rank, so what it finds is measured here.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from satchel.adapters.backends import options
from satchel.adapters.backends.process import run
from satchel.adapters.backends.remote import post
from satchel.adapters.remote_json import Unusable
from satchel.domain.routing import Asked, Code, Entry, Item, Reply
from satchel.errors import BackendFailed
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery, parts, prepare_query
from satchel.routing.text_relevance import relevance

NAME = "qmd"
MAX_SEARCHES = 8
# Nothing that QMD prints says how old a document is; without its folder that stays unknown.
_UNKNOWN = "1970-01-01T00:00:00Z"
_HEADER = re.compile(r"^(?:\d+: )?@@ .*? @@.*\n?")
_LINE_NUMBER = re.compile(r"^\d+: ", re.MULTILINE)
_NO_VECTORS = ("need embeddings", "vector index not found", "Vector index not found", "sqlite-vec")

NORMALISED: dict[str, Callable[[float, PreparedQuery, str], float]] = {
    "recompute": lambda score, query, text: relevance(query, text),
    "identity": lambda score, query, text: min(1.0, max(0.0, score)),
    "bm25_legacy_x3": lambda score, query, text: min(1.0, max(0.0, 3 * score)),
}
"""How a score of QMD becomes a relevance, by name."""


class QmdProgram:
    """Implements ports.backend.Backend over the command `qmd`."""

    def __init__(self, entry: Entry) -> None:
        self.name = NAME
        self._command = options.texts(entry, "command") or ("qmd",)
        self._collection = options.text(entry, "collection")
        self._variables = tuple(f"{name}={value}" for name, value in _object(entry, "env").items())
        self._models = options.switch(entry, "models")
        self._reading = _Reading(entry)

    def ask(self, asked: Asked) -> Reply:
        """Search the collection."""
        query = prepare_query(asked.query)
        mode = asked.mode or "query"
        if mode == "vsearch" or (mode == "query" and self._models):
            return self._reading.reply(asked, query, self._run(mode, query.text, asked, meaning=True))
        if not _searches(query):
            return self._reading.reply(asked, query, [])
        found = self._run("search", _words(query), asked) if mode == "search" else []
        # Every word is wanted there: what has only some of them is looked for in a second step.
        note = None if mode == "search" else "by words only: the option models is off"
        return self._reading.reply(asked, query, found or self._run("query", _structured(query), asked), note)

    def _run(self, command: str, text: str, asked: Asked, *, meaning: bool = False) -> list[Any]:
        flags = ["--json", "-n", str(asked.limit), "-c", self._collection]
        flags += ["--no-rerank"] if command == "query" and not meaning else []
        done = run([*self._prefix(), command, *flags, "--", text], asked.deadline)
        if done.code != 0:
            raise BackendFailed(_last_line(done.message) or f"it ended with code {done.code}", code=Code.ERROR)
        found = _listed(done.output)
        if meaning and not found and any(sign in done.message for sign in _NO_VECTORS):
            raise BackendFailed("QMD has no vectors for this collection: run 'qmd embed'", code=Code.UNAVAILABLE)
        return found

    def _prefix(self) -> Sequence[str]:
        return ["env", *self._variables, *self._command] if self._variables else self._command

    def version(self, deadline: float) -> str:
        """Return what it calls itself."""
        return run([*self._prefix(), "--version"], deadline).output.decode("utf-8", "replace").strip()


class QmdServer:
    """Implements ports.backend.Backend over `qmd mcp --http`."""

    def __init__(self, entry: Entry) -> None:
        self.name = NAME
        self._url = options.text(entry, "url", "http://localhost:8181")
        self._collections = options.texts(entry, "collection")
        self._models = options.switch(entry, "models")
        self._reading = _Reading(entry)

    def ask(self, asked: Asked) -> Reply:
        """Search the collections."""
        query = prepare_query(asked.query)
        mode = asked.mode or "query"
        if mode == "vsearch" and not self._models:
            raise BackendFailed("QMD searches by words only: the option models is off", code=Code.UNAVAILABLE)
        searches = [] if mode == "vsearch" else [{"type": "lex", "query": one} for one in _searches(query)]
        if self._models and mode != "search":
            searches.append({"type": "vec", "query": query.text})
        if not searches:
            return self._reading.reply(asked, query, [])
        request: dict[str, object] = {"searches": searches, "limit": asked.limit, "rerank": False}
        if self._collections:
            request["collections"] = list(self._collections)
        found = post("qmd", self._url, "query", request, asked.deadline, _results)
        note = "by words only: the option models is off" if mode == "query" and not self._models else None
        return self._reading.reply(asked, query, found, note)


class _Reading:
    """How what QMD found becomes an answer."""

    def __init__(self, entry: Entry) -> None:
        name = options.text(entry, "relevance", "recompute")
        if name not in NORMALISED:
            raise options.wrong(entry, "relevance", f"one of {', '.join(NORMALISED)}")
        self._value = NORMALISED[name]
        self._folder = options.path(entry, "folder") if "folder" in entry.options else None

    def reply(self, asked: Asked, query: PreparedQuery, found: Sequence[Any], note: str | None = None) -> Reply:
        items = [self._item(one, query) for one in found if isinstance(one, dict)]
        return reply(NAME, asked, [one for one in items if one is not None], note=note)

    def _item(self, said: dict[str, Any], query: PreparedQuery) -> Item | None:
        file, title = said.get("file"), said.get("title") or ""
        text = said.get("body") or said.get("snippet")
        score, line = said.get("score", 0.0), said.get("line")
        if not all(isinstance(one, str) for one in (file, title, text)) or not isinstance(score, (int, float)):
            raise BackendFailed("its answer has another form", code=Code.ERROR)
        path = re.sub(r"^qmd://[^/]+/", "", str(file))
        shown = _LINE_NUMBER.sub("", _HEADER.sub("", str(text))).strip()
        value = self._value(float(score), query, f"{path} {title}\n{shown}")
        if value <= 0:
            return None
        return item(shown, value, NAME, self._time(path), path=path, line=line if isinstance(line, int) else None)

    def _time(self, path: str) -> str:
        try:
            changed = (self._folder / path).stat().st_mtime if self._folder else None
        except (OSError, ValueError):
            changed = None
        return _UNKNOWN if changed is None else datetime.fromtimestamp(changed, UTC).isoformat().replace("+00:00", "Z")


def _words(query: PreparedQuery) -> str:
    """Return the words that all have to be there: what is spelled out, else the content words."""
    return _plain(" ".join(query.exact or query.terms) or query.text)


def _plain(text: str) -> str:
    """Return a search without what QMD takes for syntax: quotes, of which a lone one makes it fail, and exclusions."""
    return " ".join(word.lstrip("-") for word in text.replace('"', " ").split())


def _searches(query: PreparedQuery) -> list[str]:
    """Return searches of which any may find something, the strictest first."""
    split = [" ".join(parts(name)) for name in query.identifiers if parts(name)]
    names = [re.sub(r"[^\w]+", " ", path).strip() for path in query.paths]
    wanted = [_words(query), *query.exact, *split, *names, *query.terms]
    plain = dict.fromkeys(_plain(one) for one in wanted)
    return [one for one in plain if any(letter.isalnum() for letter in one)][:MAX_SEARCHES]


def _structured(query: PreparedQuery) -> str:
    return "\n".join(f"lex: {' '.join(one.split())}" for one in _searches(query))


def _listed(output: bytes) -> list[Any]:
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        raise BackendFailed("its answer is not JSON", code=Code.ERROR) from None
    if not isinstance(found, list):
        raise BackendFailed("its answer is no list", code=Code.ERROR)
    return found


def _results(said: Any) -> list[Any]:
    found = said.get("results") if isinstance(said, dict) else None
    if not isinstance(found, list):
        raise Unusable("it has no results")
    return found


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")[:200]


def _object(entry: Entry, name: str) -> dict[str, str]:
    value: Any = entry.options.get(name, {})
    if not isinstance(value, dict) or not all(isinstance(one, str) and "\0" not in one for one in value.values()):
        raise options.wrong(entry, name, "an object of texts")
    return value
