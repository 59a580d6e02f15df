"""The governance benchmark: every check on every subject, each in an empty folder of its own."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, Unavailable
from satchel.interfaces.bench.differing import differing
from satchel.interfaces.bench.embedding import DEFAULT
from satchel.interfaces.bench.governance.checks import CHECKS, judged
from satchel.interfaces.bench.governance.samples import SEED
from satchel.interfaces.bench.governance.subject import Subject
from satchel.interfaces.bench.governance.subjects import PeerSubject, SatchelSubject
from satchel.interfaces.bench.machine import this_machine
from satchel.interfaces.bench.peers import RIVALS, Rival
from satchel.interfaces.bench.results import Governance, Rate
from satchel.ports import Embedder, Progress
from satchel.wiring.adapters import make_embedder

SATCHEL = "satchel"
_PATIENT_MS = 60_000

Opening = Callable[[Path], Subject]


def run_governance(settings: Settings, progress: Progress, *, subjects: Sequence[str] = ()) -> Ok[Governance]:
    """Judge Satchel and every peer that is installed, or those that are named."""
    embedder = make_embedder(settings.embedding.provider or DEFAULT, settings)
    if embedder is None:
        raise Unavailable("every way to an agent is judged, and one needs an embedder", code="no_embedder")
    embedder.embed(["ready?"])
    openings: dict[str, Opening] = {SATCHEL: lambda folder: _satchel(folder, settings, embedder)}
    left_out = {one.name: one.missing for one in RIVALS if one.missing}
    openings |= {one.name: _opening(one, embedder) for one in RIVALS if not one.missing}
    chosen = tuple(subjects) or tuple(openings)
    if unknown := [name for name in chosen if name not in openings]:
        raise InvalidRequest(
            f"{unknown[0][:40]!r} cannot be judged here: {left_out.get(unknown[0], 'nobody is called so')}",
            code="unknown_word",
            hint=", ".join(openings),
        )
    machine = this_machine()
    rates = {name: tuple(_rates(name, openings[name], progress)) for name in chosen}
    result = Governance(SEED, differing(settings), rates, left_out, machine)
    return Ok(result, _receipt(result))


def _rates(name: str, opening: Opening, progress: Progress) -> Iterator[Rate]:
    for done, check in enumerate(CHECKS, start=1):
        with _in_a_folder(opening) as subject:
            yield judged(check, subject)
        progress(done, len(CHECKS), f"judging {name}")


@contextmanager
def _in_a_folder(opening: Opening) -> Iterator[Subject]:
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as folder:
        subject = opening(Path(folder))
        try:
            yield subject
        finally:
            subject.close()


def _satchel(folder: Path, settings: Settings, embedder: Embedder) -> Subject:
    patient = replace(settings.recall, catch_up_ms=_PATIENT_MS)
    own = replace(settings, home=str(folder), ledger="", read_only=False, recall=patient)
    return SatchelSubject(Satchel.open(settings=own, actor="bench", embedder=embedder), folder)


def _opening(rival: Rival, embedder: Embedder) -> Opening:
    return lambda folder: PeerSubject(rival.open(folder), lambda text: embedder.embed([text])[0])


def _receipt(result: Governance) -> Receipt:
    return Receipt(
        "bench governance",
        asked={"subjects": list(result.subjects), "seed": result.seed},
        decided={name: {one.what: one.rate for one in rates} for name, rates in result.subjects.items()},
    )
