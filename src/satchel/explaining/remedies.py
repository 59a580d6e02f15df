"""Suggest changes that would bring a record into an answer, by the rule that stopped it.

Changes of the query are tried before they are suggested; changes of the store are only suggested.
"""

import shlex
from collections.abc import Mapping, Sequence

from satchel.domain.canonical import Json
from satchel.domain.media import has_media
from satchel.domain.record import Memory, Trust
from satchel.explaining.stops import RecallOptions
from satchel.explaining.values import Remedy
from satchel.recall.values import RecordTrace

Options = Mapping[str, Json]
ChangeGroups = Sequence[Sequence[Options]]
"""Groups of alternative changes: in each group, the first that works is enough."""

BY_WORDS = frozenset(
    {
        "tier",
        "limit",
        "min_relevance",
        "no_common_word",
        "lexical_pool",
        "vector_pool",
        "not_embedded",
        "index_behind",
        "index_unusable",
    }
)
"""Rules that better query words may overcome."""

MOST = 50
_WIDER = (10, 20, MOST)
# Longer queries are not repeated in a command.
_SHOWN_CHARS = 200


def question_changes(
    rule: str, memory: Memory, at: RecordTrace, asked: RecallOptions, query: str, words: Sequence[str]
) -> ChangeGroups:
    """Return changes of the query that could bring a record in. `words` are rare words of the record."""
    limits: list[Options] = [{"limit": limit} for limit in _limits(at, asked)]
    asking, widest = _with_words(query, words), _widest(memory, asked)

    def or_wider(options: Options) -> list[Options]:
        # Another rule may stop the record as well.
        return [options, {**options, "limit": MOST}, {**widest, **options}]

    match rule:
        case "scope" | "fallback" | "fallback_relevance":
            return [or_wider({"scope": memory.scope})]
        case "trust_gate":
            return [or_wider({"untrusted": True})]
        case "kind":
            return [or_wider({"kinds": [*asked.kinds, str(memory.kind)]})]
        case "media":
            return [or_wider({"media": None})]
        case "min_relevance":
            return [or_wider({"min_relevance": at.relevance or 0.0}), asking]
        case "tier" | "limit":
            return [limits, asking]
        case _ if rule in BY_WORDS:
            modes: list[Options] = [{"mode": "hybrid"}] if asked.mode != "hybrid" else []
            return [modes, limits, asking]
    return []


def _limits(at: RecordTrace, asked: RecallOptions) -> list[int]:
    wanted = {*_WIDER, *([at.place] if at.place else [])}
    return sorted(limit for limit in wanted if asked.limit < limit <= MOST)


def _widest(memory: Memory, asked: RecallOptions) -> Options:
    """Return all options that admit a record, as far as they are not set yet."""
    opened: dict[str, Json] = {"limit": MOST}
    if asked.mode != "hybrid":
        opened["mode"] = "hybrid"
    if asked.min_relevance:
        opened["min_relevance"] = 0.0
    if asked.kinds and memory.kind not in asked.kinds:
        opened["kinds"] = [*asked.kinds, str(memory.kind)]
    if asked.media is not None and not has_media(memory.media_refs, asked.media):
        opened["media"] = None
    if memory.trust is Trust.UNTRUSTED:
        opened["untrusted"] = True
    return opened


def _with_words(query: str, words: Sequence[str]) -> list[Options]:
    if not words:
        return []
    together = " ".join(words)
    return [{"query": f"{query} {words[0]}"}, {"query": f"{query} {together}"}, {"query": together}]


def question_remedy(options: Options, query: str, given: Options) -> Remedy:
    """Return a change of the query that was tried and works."""
    changed = {**given, **{name: value for name, value in options.items() if name != "query"}}
    said = str(options.get("query", query))
    news = {**options, "query": said.removeprefix(query).strip()} if "query" in options else options
    return Remedy(
        " and ".join(_CHANGES[name].format(value=_listed(value)) for name, value in news.items()),
        options,
        f"satchel recall {_quoted(said)}{_arguments(changed)}",
        tried=True,
    )


_CHANGES = {
    "scope": "search in its scope, '{value}'",
    "untrusted": "include untrusted memories",
    "kinds": "allow the kinds {value}",
    "media": "leave out --media",
    "min_relevance": "accept a relevance of {value}",
    "limit": "return up to {value}",
    "mode": "search by words and by meaning",
    "query": "use words that it contains: {value}",
}


def store_remedies(rule: str, memory: Memory, asked_scope: str) -> list[Remedy]:
    """Return changes of the store that could bring a record in."""
    names = {"id": shlex.quote(memory.id), "scope": shlex.quote(memory.scope), "asked": shlex.quote(asked_scope)}
    return [Remedy(change, command=command.format(**names)) for change, command in _IN_THE_STORE.get(rule, ())]


_AGAIN = "satchel store TEXT --scope {scope}"
_IN_THE_STORE: Mapping[str, Sequence[tuple[str, str]]] = {
    "scope": [("store it again in the requested scope", "satchel store TEXT --scope {asked}")],
    "quarantined": [("check it; if it is right, store it yourself, because trust is never raised", _AGAIN)],
    "superseded": [("recall its replacement, or store it again", _AGAIN)],
    "retired": [("store it again if it is still valid", _AGAIN)],
    "archived": [("revive it", "satchel lifecycle revive {id} --scope {scope}")],
    "expired": [("store it again with a later end", _AGAIN + " --valid-to DATE --replaces {id}")],
    "not_yet_valid": [("store it again with an earlier start", _AGAIN + " --valid-from DATE --replaces {id}")],
    "tier": [("store it again as important", _AGAIN + " --importance 0.8 --replaces {id}")],
    "not_embedded": [("compute its vector", "satchel index build")],
    "index_behind": [("update the index", "satchel index build")],
    "index_unusable": [("rebuild the index", "satchel index rebuild")],
    "index_mismatch": [("rebuild the index", "satchel index rebuild")],
    "no_common_word": [("store it with a keyword to find it by", _AGAIN + " --keyword WORD --replaces {id}")],
}


def meaning_remedies(rule: str, at: RecordTrace) -> list[Remedy]:
    """Return how to enable search by meaning, if words did not find a record."""
    if rule not in BY_WORDS or not any(lane.problem == "no_vector_search" for lane in at.lanes):
        return []
    return [Remedy("enable search by meaning: compute vectors and the index", command="satchel index build")]


def last_resort(id: str, scope: str) -> Remedy:
    """Return what always works: getting the record by id."""
    return Remedy("get it by id", command=f"satchel get {shlex.quote(id)} --scope {shlex.quote(scope)}")


def lane_search_remedy(command: str, change: str, query: str, scope: str) -> Remedy:
    """Return the search of the lane that a record belongs to."""
    return Remedy(change, command=f"satchel {command} {_quoted(query)} --scope {shlex.quote(scope)}")


def document_remedies(rule: str, query: str, scope: str, max_items: int) -> tuple[Remedy, ...]:
    """Return changes that would bring a document passage in."""
    setting = {
        "documents_off": ("let recall search documents", "docs_cold_lane.enabled true"),
        "enough_memories": ("let recall search documents earlier", "docs_cold_lane.min_hot_items 5"),
        "limit": ("let recall add more passages", f"docs_cold_lane.max_items {min(5, max_items + 1)}"),
    }.get(rule)
    known = (Remedy(setting[0], command=f"satchel config set {setting[1]}"),) if setting else ()
    return (*known, lane_search_remedy("docs search", "search the documents directly", query, scope))


def missing_record_remedy(scope: str | None, *, forgotten: bool) -> Remedy:
    """Return what can be done about a record that does not exist."""
    if not forgotten:
        return Remedy("look for it in the list", command="satchel list --all-scopes")
    where = "" if scope is None else f" --scope {shlex.quote(scope)}"
    return Remedy("store it again", command=f"satchel store TEXT{where}")


def damaged_record_remedy() -> Remedy:
    """Return what can be done about a record whose bytes are damaged."""
    return Remedy("restore a backup, or quarantine it", command="satchel doctor --fix")


def _quoted(query: str) -> str:
    return shlex.quote(query) if len(query) <= _SHOWN_CHARS else "QUERY"


def _arguments(options: Options) -> str:
    return "".join(f" {one}" for name, value in options.items() for one in _argument(name, value))


def _argument(name: str, value: Json) -> list[str]:
    match name, value:
        case "kinds", [*kinds]:
            return [f"--kind {kind}" for kind in kinds]
        case "media", None:
            return []
        case "untrusted", _:
            return ["--untrusted"] if value else []
        case "fallback", _:
            return [] if value else ["--no-fallback"]
        case "mode", "hybrid":
            return []
    return [f"--{name.replace('_', '-')} {shlex.quote(str(value))}"]


def _listed(value: Json) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
