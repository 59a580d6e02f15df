"""The governance benchmark: every check on every subject, each in an empty folder."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.embedding import load_uncached
from bench.governance.checks import CHECKS, Rate, run_check
from bench.governance.samples import SEED
from bench.governance.subject import Subject
from bench.governance.subjects import PeerSubject, SatchelSubject
from bench.machine import Machine, changed_settings, this_machine
from bench.peers import PEERS, PeerInfo
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.errors import InvalidRequest
from satchel.ports import Embedder, Progress

SATCHEL = "satchel"
_CATCH_UP_MS = 60_000

Opening = Callable[[Path], Subject]


class GovernanceResult(Struct, frozen=True):
    """Result of a run."""

    seed: int
    settings: Mapping[str, Json]
    subjects: Mapping[str, tuple[Rate, ...]]
    left_out: Mapping[str, str]
    """Subjects that were not checked, and why."""
    machine: Machine

    @property
    def failed(self) -> bool:
        """Whether Satchel misses an ideal."""
        return any(one.rate is not None and one.rate != one.ideal for one in self.subjects.get(SATCHEL, ()))


def run_governance(settings: Settings, progress: Progress, *, subjects: Sequence[str] = ()) -> GovernanceResult:
    """Check Satchel and every installed peer, or the named subjects."""
    embedder = load_uncached(settings)
    openings: dict[str, Opening] = {SATCHEL: lambda folder: _satchel(folder, settings, embedder)}
    left_out = {one.name: one.missing for one in PEERS if one.missing}
    openings |= {one.name: _opening(one, embedder) for one in PEERS if not one.missing}
    chosen = tuple(subjects) or tuple(openings)
    if unknown := [name for name in chosen if name not in openings]:
        raise InvalidRequest(
            f"cannot check {unknown[0][:40]!r}: {left_out.get(unknown[0], 'unknown subject')}",
            code="unknown_word",
            hint=", ".join(openings),
        )
    machine = this_machine()
    rates = {name: tuple(_rates(name, openings[name], progress)) for name in chosen}
    return GovernanceResult(SEED, changed_settings(settings), rates, left_out, machine)


def _rates(name: str, opening: Opening, progress: Progress) -> Iterator[Rate]:
    for done, check in enumerate(CHECKS, start=1):
        with _in_a_folder(opening) as subject:
            yield run_check(check, subject)
        progress(done, len(CHECKS), f"checking {name}")


@contextmanager
def _in_a_folder(opening: Opening) -> Iterator[Subject]:
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
        subject = opening(Path(folder))
        try:
            yield subject
        finally:
            subject.close()


def _satchel(folder: Path, settings: Settings, embedder: Embedder) -> Subject:
    recall = replace(settings.recall, catch_up_ms=_CATCH_UP_MS)
    own = replace(settings, home=str(folder), ledger="", read_only=False, recall=recall)
    return SatchelSubject(Satchel.open(settings=own, actor="bench", embedder=embedder), folder)


def _opening(peer: PeerInfo, embedder: Embedder) -> Opening:
    return lambda folder: PeerSubject(peer.open(folder), lambda text: embedder.embed([text])[0])
