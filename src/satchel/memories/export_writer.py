"""Write memories as the rows of an export, as a Markdown document, or as notes."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, islice
from typing import NamedTuple

from satchel.domain.attention import Details
from satchel.domain.canonical import Json
from satchel.domain.edges import MemoryEdge
from satchel.domain.facts import FactEvent
from satchel.domain.imports import Format
from satchel.domain.record import Memory, MemoryId
from satchel.memories import markdown_format
from satchel.memories.full_export import Signer, additions, fact_row, packet_row, signature_row
from satchel.memories.row_format import damaged_row, mask_memory, memory_row
from satchel.memories.row_vectors import VECTOR
from satchel.ports import NewPacket
from satchel.ports.damage import DamagedRecord

# Memories whose vectors are read together.
MEMORIES_PER_BATCH = 500
# What a damaged memory is as a row; a row of an intact one does not say so.
_MEMORY = "memory"

VectorsOf = Callable[[Sequence[MemoryId]], Mapping[MemoryId, Json]]
"""Returns the vectors of memories as their rows state them."""


class Links(NamedTuple):
    """Where an export finds what belongs to memories."""

    details: Callable[[MemoryId], Details | None]
    edges: Callable[[MemoryId], Iterable[MemoryEdge]]
    """Those that start at a memory."""
    facts: Callable[[], Iterable[FactEvent]]
    packets: Callable[[], Iterable[NewPacket]]


class ExportWriter:
    """Writes memories as the pieces of a file, and counts them."""

    def __init__(
        self,
        format: str,
        redact: Callable[[str], tuple[str, Iterable[tuple[str, int]]]] | None,
        vectors: VectorsOf | None = None,
    ) -> None:
        """With `vectors`, each row has the vector of its memory, if there is one."""
        self._format = format
        self._redact = redact
        self._vectors = vectors
        self._state = sha256()
        self.count = 0
        self.redacted: Counter[str] = Counter()

    def pieces(self, memories: Iterable[Memory], damaged: Iterable[DamagedRecord] = ()) -> Iterator[bytes]:
        """Yield the file piece by piece, holding a few memories. `damaged` is read after the memories."""
        return self._rows(chain(self._memory_rows(memories), map(damaged_row, damaged)))

    def signed_pieces(self, memories: Iterable[Memory], links: "Links", signer: Signer) -> Iterator[bytes]:
        """Yield the file with the details and edges of each memory, then the facts and packets, then the signature of all of it."""
        described = (
            {**row, **additions(links.details(id), links.edges(id))}
            for row in self._memory_rows(memories)
            for id in (MemoryId(str(row["id"])),)
        )
        rest = chain(map(fact_row, links.facts()), map(packet_row, links.packets()))
        return self._rows(chain(described, rest), signer)

    def _rows(self, rows: Iterable[dict[str, Json]], signer: Signer | None = None) -> Iterator[bytes]:
        listed = self._format == Format.JSON
        before, after = (b",\n", b"") if listed else (b"", b"\n")
        yield b"[\n" if listed else b""
        first = True
        for row in rows:
            vector = row.pop(VECTOR, None)
            data = _json(row).encode()
            self.count += row.get("record", _MEMORY) == _MEMORY
            # Without the vector, which is derived: a store that has not embedded a memory yet holds the same.
            self._state.update(data + b"\n")
            if vector is not None:
                data = data[:-1] + b"," + _json({VECTOR: vector}).encode()[1:]
            if signer is not None:
                signer.add(data)
            yield (b"" if first else before) + data + after
            first = False
        if signer is not None:
            yield (b"" if first else before) + _json(signature_row(signer.value)).encode() + after
        if listed:
            yield b"\n]\n"

    @property
    def state(self) -> str:
        """The digest of all rows written: equal for stores that hold the same."""
        return f"sha256:{self._state.hexdigest()}"

    def document(self, memories: Iterable[Memory]) -> Iterator[bytes]:
        """Yield one Markdown document. The memories must come scope by scope and kind by kind."""
        document = markdown_format.MarkdownDocument()
        for memory in memories:
            self.count += 1
            yield "".join(document.lines(self._masked(memory))).encode()

    def notes(self, memories: Iterable[Memory]) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the content of a Markdown note for each memory."""
        for memory in map(self._masked, memories):
            self.count += 1
            yield markdown_format.note_path(memory), markdown_format.note(memory).encode()

    def _memory_rows(self, memories: Iterable[Memory]) -> Iterator[dict[str, Json]]:
        if self._vectors is None:
            yield from (memory_row(self._masked(one)) for one in memories)
            return
        source = iter(memories)
        while batch := list(islice(source, MEMORIES_PER_BATCH)):
            vectors = self._vectors([one.id for one in batch])
            for one in batch:
                stated = vectors.get(one.id)
                yield memory_row(self._masked(one)) | ({} if stated is None else {VECTOR: stated})

    def _masked(self, memory: Memory) -> Memory:
        return mask_memory(memory, self._mask) if self._redact else memory

    def _mask(self, text: str) -> str:
        if self._redact is None:
            return text
        clean, found = self._redact(text)
        self.redacted.update(dict(found))
        return clean


def _json(row: dict[str, Json]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
