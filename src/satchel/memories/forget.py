"""Forget: erase a memory from everywhere it was written, and show that it is gone."""

from collections.abc import Callable, Mapping

from satchel.core.erasure import fragments, judge
from satchel.domain.answers import ForgetCandidate, Forgotten
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports import Files, FileSearch, Memories

MAX_CANDIDATES = 5


def candidates(memories: Memories, terms: tuple[str, ...], view: View) -> Forgotten:
    """List what a query could mean, erasing nothing: a guess must never destroy."""
    matches = memories.match(terms, view, MAX_CANDIDATES)
    found = memories.fetch([one.id for one in matches], view)
    named = [(found[one.id], one.score) for one in matches if one.id in found]
    return Forgotten(
        "candidates",
        candidates=tuple(
            ForgetCandidate(memory.id, memory.text, memory.kind, score, memory.created_at) for memory, score in named
        ),
    )


def erase(
    memory: Memory,
    within: Reach,
    *,
    memories: Memories,
    erase_evidence: Callable[[], None],
    is_elsewhere: Callable[[str], bool],
    purge_index: Callable[[], bool],
    files: Files,
    actor: str,
    receipt: Receipt,
    verify: bool,
) -> Forgotten | None:
    """Erase a memory; None when it was gone before. With `verify`, its text is looked for in every file, before and after."""
    needles = _needles(f"{memory.text}\n{memory.title or ''}", is_elsewhere) if verify else []
    before = files.search(needles) if verify else None
    erase_evidence()
    if not memories.erase(memory.id, within, actor, receipt):
        return None
    # The ledger's file is clean only once its log has been written into it and emptied.
    done = {"index": purge_index(), "ledger": memories.scrub(), "spool": True}
    return _forgotten(memory.id, done, needles, before, files)


def erase_observation(
    id: MemoryId,
    told: str,
    *,
    erase: Callable[[], None],
    scrub: Callable[[], bool],
    is_elsewhere: Callable[[str], bool],
    files: Files,
    verify: bool,
) -> Forgotten:
    """Erase an observation, which no index holds; the rest is as for a memory."""
    clear = {"ledger": scrub, "spool": lambda: True}
    return _erased(id, _needles(told, is_elsewhere) if verify else None, erase, clear, files)


def erase_passages(
    id: MemoryId,
    told: str,
    *,
    erase: Callable[[], None],
    purge_index: Callable[[], bool],
    scrub: Callable[[], bool],
    is_elsewhere: Callable[[str], bool],
    files: Files,
    verify: bool,
) -> Forgotten:
    """Erase verbatim evidence; the rest is as for a memory."""
    clear = {"index": purge_index, "ledger": scrub}
    return _erased(id, _needles(told, is_elsewhere) if verify else None, erase, clear, files)


def _erased(
    id: MemoryId,
    needles: list[bytes] | None,
    erase: Callable[[], None],
    clear: Mapping[str, Callable[[], bool]],
    files: Files,
) -> Forgotten:
    """Erase, then clear each place in turn. Needles are looked for in every file, before and after."""
    before = None if needles is None else files.search(needles)
    erase()
    done = {place: cleared() for place, cleared in clear.items()}
    return _forgotten(id, done, needles or [], before, files)


def _forgotten(
    id: MemoryId, done: dict[str, bool], needles: list[bytes], before: FileSearch | None, files: Files
) -> Forgotten:
    return Forgotten(
        "deleted",
        id,
        erased_from=tuple(place for place, clean in done.items() if clean),
        pending=tuple(place for place, clean in done.items() if not clean),
        check=None if before is None else judge(len(needles), before, files.search(needles)),
    )


def _needles(text: str, is_elsewhere: Callable[[str], bool]) -> list[bytes]:
    """Return what to look for: pieces of the text that no other record holds."""
    return [piece.encode() for piece in fragments(text) if not is_elsewhere(piece)]
