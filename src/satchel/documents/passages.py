"""Names, citations and passages of documents."""

import json
import re
from collections import Counter
from collections.abc import Sequence

from satchel.documents.identifiers import in_words, is_compound, parts, spelled_out, whole
from satchel.domain.canonical import canonical, digest
from satchel.domain.document import Chunk, ChunkLocation, DocKind, Document, collection_key, group_of
from satchel.domain.inspection import orders_in
from satchel.domain.passage import ALTERNATIVE, EvidenceLane, Passage, PassageId, with_content_hash
from satchel.domain.record import SourceKind, Trust
from satchel.domain.trust import CEILING
from satchel.errors import InvalidRequest

MAX_COLLECTION_CHARS = 64

# Long enough to be unique within a document, short enough to read.
_NAME_CHARS = 10
_ID_CHARS = 24
# Version of the chunking rules: raise it to chunk all documents again.
CUT = 1
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+")
_CITATION = re.compile(r"doc:(?P<collection>[^:]+):(?P<path>.+?)(?:#(?P<chunk>[0-9a-f]{10}(?:-\d+)?))?")


def collection_name(name: str) -> str:
    """Return a valid collection name unchanged, or raise InvalidRequest."""
    if not isinstance(name, str) or len(name) > MAX_COLLECTION_CHARS or not _COLLECTION.fullmatch(name):
        raise InvalidRequest(
            f"{str(name)[:80]!r} is not a valid collection name",
            code="invalid_collection",
            hint=f"use up to {MAX_COLLECTION_CHARS} letters, digits, dots, dashes and underscores",
        )
    return name


def folder_collection(root: str) -> str:
    """Return the collection name of a folder given without a name."""
    return _FOREIGN.sub("-", root.rstrip("/").rpartition("/")[2]).strip("-._")[:MAX_COLLECTION_CHARS] or "documents"


def parse_citation(text: str) -> tuple[str, str] | None:
    """Return the collection and path of a citation, or None if it is not one."""
    found = _CITATION.fullmatch(text)
    return (found["collection"], found["path"]) if found else None


def names_piece(text: str) -> bool:
    """Return whether a text is the citation of one piece of a document."""
    found = _CITATION.fullmatch(text)
    return found is not None and found["chunk"] is not None


def cut_version(max_chars: int) -> str:
    """Return the version of the chunking rules and size."""
    return f"{CUT}:{max_chars}"


def passages(
    document: Document,
    chunks: Sequence[Chunk],
    at: int | None,
    channel: SourceKind = SourceKind.OPERATOR,
    seed: str | None = None,
) -> list[Passage]:
    """Return the passages of a document's chunks, named by content, not by position. The channel decides their trust."""
    named: Counter[str] = Counter()
    made = []
    for chunk in chunks:
        name = digest(canonical([list(chunk.heading), chunk.text])).partition(":")[2][:_NAME_CHARS]
        named[name] += 1
        name = name if named[name] == 1 else f"{name}-{named[name]}"
        place = ChunkLocation(
            document.collection,
            document.path,
            document.kind,
            chunk.heading,
            chunk.first_line,
            chunk.last_line,
            name,
        )
        id = _id(document.scope if seed is None else seed, document, name)
        made.append(_passage(id, document, chunk, place, at, _trust(chunk, channel)))
    return made


def _trust(chunk: Chunk, channel: SourceKind) -> Trust:
    # The operator who ingests a document need not be its author, so it is always inspected.
    return Trust.QUARANTINED if orders_in((*chunk.heading, chunk.text)) else CEILING[channel]


def _passage(
    id: PassageId, document: Document, chunk: Chunk, place: ChunkLocation, at: int | None, trust: Trust
) -> Passage:
    return with_content_hash(
        Passage(
            id=id,
            lane=EvidenceLane.DOCUMENTS,
            scope=document.scope,
            group=group_of(document.collection, document.path),
            position=chunk.number,
            text=chunk.text,
            about=_about(place, chunk.text),
            meaning=_meaning(place, chunk.text),
            trust=trust,
            kind=collection_key(document.scope, document.collection),
            at=at,
            added_at=document.added_at,
            ref=place.citation,
            detail=canonical(
                {
                    "collection": place.collection,
                    "path": place.path,
                    "kind": str(place.kind),
                    "heading": list(place.heading),
                    "lines": [place.first_line, place.last_line],
                    "chunk": place.chunk,
                }
            ),
        )
    )


def place_of(passage: Passage) -> ChunkLocation:
    """Return the place of a passage within its document."""
    kept = json.loads(passage.detail or "{}")
    first, last = kept["lines"]
    return ChunkLocation(
        kept["collection"], kept["path"], DocKind(kept["kind"]), tuple(kept["heading"]), first, last, kept["chunk"]
    )


def _id(seed: str, document: Document, chunk: str) -> PassageId:
    where = canonical([seed, document.collection, document.path, chunk])
    return PassageId(f"doc-{digest(where).partition(':')[2][:_ID_CHARS]}")


def _about(place: ChunkLocation, text: str) -> str:
    """Return additional search text: the path, the headings, and names in every spelling."""
    steps = place.path.split("/")
    return "\n".join(
        (
            place.path,
            " ".join(f"{whole(step)} {' '.join(parts(step))}" for step in steps if is_compound(step)),
            " ".join(place.heading),
            spelled_out(" ".join(place.heading) + " " + text),
        )
    )


def _meaning(place: ChunkLocation, text: str) -> str:
    """Return the text to embed, with headings as context. Code is also given with its names split into words."""
    if place.kind is DocKind.CODE:
        spoken = in_words(text)
        return text if spoken == text else f"{text}{ALTERNATIVE}{spoken}"
    leading = " > ".join(place.heading[:-1])
    return f"{leading}\n{text}" if leading else text
