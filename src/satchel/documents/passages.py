"""Passages of documents: a chunk as it is found, cited and shown."""

from collections import Counter
from collections.abc import Sequence

from satchel.documents.identifiers import in_words, is_compound, parts, spelled_out, whole
from satchel.domain.canonical import canonical, digest
from satchel.domain.document import Chunk, DocKind, Document, Place
from satchel.domain.passage import ANOTHER_READING, EvidenceLane, Passage, PassageId, sealed
from satchel.domain.record import Trust

# Long enough that two chunks of a document never share a name, short enough to be read out.
_NAME_CHARS = 10
_ID_CHARS = 24
# How chunks are made: raised when the rules change, so that documents are cut anew.
CUT = 1


def cut_of(max_chars: int) -> str:
    """Return how documents are cut now, in a word."""
    return f"{CUT}:{max_chars}"


def collection_key(scope: str, collection: str) -> str:
    """Return what a collection is called among those of every scope."""
    return f"{scope}:{collection}"


def group_of(collection: str, path: str) -> str:
    """Return what the chunks of a document are grouped by."""
    return f"{collection}:{path}"


def passages(document: Document, chunks: Sequence[Chunk], at: int | None) -> list[Passage]:
    """Return the passages of a document's chunks. What they are called depends on what they say, not on where they stand."""
    named: Counter[str] = Counter()
    made = []
    for chunk in chunks:
        name = digest(canonical([list(chunk.heading), chunk.text])).partition(":")[2][:_NAME_CHARS]
        named[name] += 1
        name = name if named[name] == 1 else f"{name}-{named[name]}"
        place = Place(
            document.collection,
            document.path,
            document.kind,
            chunk.heading,
            chunk.first_line,
            chunk.last_line,
            name,
        )
        made.append(_passage(document, chunk, place, at))
    return made


def _passage(document: Document, chunk: Chunk, place: Place, at: int | None) -> Passage:
    return sealed(
        Passage(
            id=_id(document, place.chunk),
            lane=EvidenceLane.DOCUMENTS,
            scope=document.scope,
            group=group_of(document.collection, document.path),
            position=chunk.number,
            text=chunk.text,
            about=_about(place, chunk.text),
            meaning=_meaning(place, chunk.text),
            trust=Trust.TRUSTED,
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


def _id(document: Document, chunk: str) -> PassageId:
    where = canonical([document.scope, document.collection, document.path, chunk])
    return PassageId(f"doc-{digest(where).partition(':')[2][:_ID_CHARS]}")


def _about(place: Place, text: str) -> str:
    """Return what else a chunk is found by: where it stands, and its names in every spelling."""
    steps = place.path.split("/")
    return "\n".join(
        (
            place.path,
            " ".join(f"{whole(step)} {' '.join(parts(step))}" for step in steps if is_compound(step)),
            " ".join(place.heading),
            spelled_out(" ".join(place.heading) + " " + text),
        )
    )


def _meaning(place: Place, text: str) -> str:
    """Return what a chunk is embedded from: headings say what it is about. Code is also read out in words."""
    if place.kind is DocKind.CODE:
        spoken = in_words(text)
        return text if spoken == text else f"{text}{ANOTHER_READING}{spoken}"
    leading = " > ".join(place.heading[:-1])
    return f"{leading}\n{text}" if leading else text
