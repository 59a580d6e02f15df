"""A warm process that forks a child for every fault: run with the shim preloaded, it answers requests by line.

Everything is imported once, and no store is opened here: threads of Lance would not survive a fork.
"""

import hashlib
import importlib
import json
import os
import pkgutil
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import satchel
from satchel.app import Satchel
from satchel.config import load
from satchel.errors import SatchelError
from tests.corpus.record import write_kept_store
from tests.corpus.replay import STARTED_AT, Replay
from tests.faults.answers import admits_loss, has_failed, only_reads, wrong_errors
from tests.faults.cases import BASE, CANARY, CASES, DURABLE, FROM_NOTHING, OLD_STORE, Case
from tests.faults.disk import Disk, PowerCut, write_files
from tests.faults.forked import answer_of_child
from tests.faults.invariants import LEDGER, Rules, commits, find_violations, read_ledger, shapes_of
from tests.faults.shim import FAULTS, KILL, TEAR, Fault, Shim, SideEffect, read_trace

MARK = "a"
REMOVALS = ("u", "d")
LONG = 100
"""Side effects of a case of which each can be failed in reasonable time."""
SETTINGS_FILE = "home/config.toml"


class Prepared(NamedTuple):
    """A store that a case starts from, and what its commands answered."""

    folder: Path
    now: int
    number: int
    answers: dict[str, Any]

    def replay(self, folder: Path) -> Replay:
        """Return a replay that goes on in a copy of the store."""
        return Replay(folder, now=self.now, number=self.number, store="home", answers=self.answers)


class Reference(NamedTuple):
    """A run of a case without a fault."""

    effects: list[SideEffect]
    states: list[str]
    """The digest of the ledger before it, and after each commit."""
    shapes: frozenset[str]
    """The files that are there before or afterwards."""

    @property
    def kinds(self) -> str:
        """The kinds of its side effects, a letter each."""
        return "".join(one.kind for one in self.effects)


class Laboratory:
    """Runs cases with faults in forked children, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shim = Shim()
        self._checked: dict[str, list[str]] = {}
        self.base = cache(self._base)

    def _base(self, before: str) -> Prepared:
        # Later than the kept store, whose ids are taken.
        nothing = Prepared(self._folder / "nothing", STARTED_AT + 30 * 86_400, 10_000, {})
        start = self.base("") if before and before not in FROM_NOTHING else nothing
        start.folder.mkdir(exist_ok=True)
        with self._copy(start) as folder:

            def make() -> list[Any]:
                replay = start.replay(folder)
                if before == OLD_STORE:
                    write_kept_store(folder / "home")
                failed = [one for one in replay.run(before or BASE) if one.get("exit")]
                assert not failed, failed
                return [replay.now, replay.number, replay.answers]

            now, number, answers = answer_of_child(make)
            kept = self._folder / f"base-{len(list(self._folder.glob('base-*')))}"
            shutil.copytree(folder, kept)
        return Prepared(kept, now, number, answers)

    @contextmanager
    def _copy(self, prepared: Prepared) -> Iterator[Path]:
        # Always under the same name, since settings and records name files.
        folder = self._folder / "run"
        shutil.copytree(prepared.folder, folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)

    def reference(self, case: Case) -> tuple[Reference, Disk]:
        """Run a case without a fault; return what it does, and the disk that it starts from."""
        prepared = self.base(case.before)
        with self._copy(prepared) as folder:
            trace = self._folder / "trace"
            disk = Disk(folder)
            shapes = frozenset(shapes_of(folder / "home"))

            def run() -> list[Any]:
                replay = prepared.replay(folder)
                self._shim.trace_to(os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
                with commits(folder / "home") as states:
                    self._shim.count(folder / case.below)
                    (entry,) = replay.run(case.act)
                    self._shim.disarm()
                return [states, entry["exit"], entry["answer"]]

            states, code, answer = answer_of_child(run)
            assert code == 0, (case, answer)
            return Reference(read_trace(trace), states, shapes | shapes_of(folder / "home")), disk

    def faults(self, name: str, fault: Fault, step: int = 1) -> dict[str, Any]:
        """Fault each side effect of a case in turn; with a `step`, every so many."""
        if fault in (KILL, TEAR):
            return self.kills(name, tearing=fault == TEAR, step=step)
        return self.failures(name, fault, step)

    def kills(self, name: str, *, tearing: bool, step: int) -> dict[str, Any]:
        """Check a store as it is after a kill at each side effect of a case, or in the middle of each write."""
        case = CASES[name]
        reference, disk = self.reference(case)
        points, violations = 0, []
        for number, effect in enumerate([*reference.effects, None], 1):
            torn = effect if tearing else None
            # Between two of many removals from a dataset there is one more file that nothing names.
            is_removal = effect is not None and effect.kind in REMOVALS
            is_new = not (is_removal and _is_inside_a_run(reference.effects, number - 1))
            if number % step == 0 and is_new and (not tearing or (torn and torn.kind == "w")):
                points += 1
                files = disk.after_kill(torn)
                place = f"{name}, {'tear' if tearing else 'kill'} at {number} of {len(reference.effects)}"
                violations += [
                    f"{place}: {one}"
                    for one in self._check(disk, files, reference, reference.states, erases=case.erases)
                ]
            if effect:
                disk.apply(effect)
        return {"points": points, "side_effects": len(reference.effects), "violations": violations}

    def failures(self, name: str, fault: Fault, step: int) -> dict[str, Any]:
        """Run a case with a side effect that fails, each in turn, and check what it says and leaves.

        Of a long case every second, third and so on: each failure is a run of its own, unlike a kill.
        """
        case = CASES[name]
        reference, _ = self.reference(case)
        step = max(step, 1 + len(reference.effects) // LONG)
        number, points, violations = 1, 0, []
        happened = True
        while happened or number <= len(reference.effects):
            if number % step == 0 and not _is_inside_a_run(reference.effects, number - 1):
                happened, found = self._failure(name, reference, fault, number)
                points += happened
                violations += [f"{name}, {fault.name} at {number} of {len(reference.effects)}: {one}" for one in found]
            number += 1
        return {"points": points, "side_effects": len(reference.effects), "violations": violations}

    def _failure(self, name: str, reference: Reference, fault: Fault, number: int) -> tuple[bool, list[str]]:
        case = CASES[name]
        prepared = self.base(case.before)
        with self._copy(prepared) as folder:

            def run() -> list[Any]:
                replay = prepared.replay(folder)
                self._shim.arm(folder / case.below, fault, number)
                # Named, for its whole answer: what `run` returns is without wording.
                replay.run(f"answer = {case.act}")
                self._shim.disarm()
                return [self._shim.fired, replay.answers["answer"]]

            fired, answer = answer_of_child(run)
            if not fired:
                return False, []
            disk = Disk(folder)
            failed = answer is None or has_failed(answer)
            states = (
                None if case.starts_others else reference.states if failed else _states_after(name, answer, reference)
            )
            wrong = wrong_errors(fault, answer) if failed and answer else []
            return True, wrong + self._check(disk, disk.after_kill(), reference, states, erases=case.erases)

    def resume(self, fault: Fault, *, opened: bool) -> dict[str, Any]:
        """Write to a store on a failing disk, before or after it was opened, and again once the disk is well."""
        prepared = self.base("")
        with self._copy(prepared) as folder:

            def run() -> dict[str, Any]:
                home = folder / "home"
                settings = load(home=str(home))
                if not opened:
                    self._shim.arm(home, fault, 1)
                with Satchel.open(settings=settings) as memory:
                    if opened:
                        self._shim.arm(home, fault, 1)
                    refused = [_code(lambda: memory.store("The walrus swims")) for _ in range(2)]
                    captured = _code(lambda: memory.observations.capture('{"text": "the walrus dives"}'))
                    hits = len(memory.recall("walrus").result.hits)
                    self._shim.disarm()
                    stored = memory.store("The walrus swims").result.action
                    memory.observations.capture('{"text": "the walrus dives"}')
                    ingested = memory.observations.ingest().result.inserted
                    healthy = memory.maintenance.doctor(fix=True).result.healthy
                return {
                    "refused": [*refused, captured],
                    "hits": hits,
                    "stored": stored,
                    "ingested": ingested,
                    "healthy": healthy,
                }

            found: dict[str, Any] = answer_of_child(run)
            return found

    def power_cuts(self, cut: PowerCut, cuts: int) -> dict[str, Any]:
        """Cut the power at that many moments of a run of writes, and check what was acknowledged before each."""
        prepared = self.base("")
        with self._copy(prepared) as folder:
            trace, disk = self._folder / "trace", Disk(folder)

            def run() -> list[Any]:
                replay = prepared.replay(folder)
                self._shim.trace_to(os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
                with commits(folder / "home") as states:
                    self._shim.count(folder / "home")
                    for command in DURABLE:
                        (entry,) = replay.run(command)
                        assert entry["exit"] == 0, entry
                        self._shim.mark(str(len(states) - 1))
                    self._shim.disarm()
                return states

            states, effects = answer_of_child(run), read_trace(trace)
            shapes = frozenset(shapes_of(folder / "home"))
        acknowledged, kept, violations = 0, {}, []
        reference = Reference(effects, states, shapes)
        places = {round((number + 1) * len(effects) / cuts) for number in range(cuts)}
        for number, effect in enumerate(effects, 1):
            disk.apply(effect)
            if effect.kind == MARK:
                acknowledged, kept = int(effect.data), _kept_files(disk.after_kill(), disk.root)
            if number in places:
                files = disk.after_power_cut(cut._replace(seed=None if cut.seed is None else cut.seed + number))
                lost = [name for name, one in kept.items() if not files.get(disk.root / name, b"").startswith(one)]
                found = [f"R2 {name} was acknowledged" for name in lost if name != SETTINGS_FILE or effect.kind == MARK]
                found += self._check(disk, files, reference, states[acknowledged:], exact=True)
                violations += [f"power cut at {number} of {len(effects)}: {one}" for one in found]
        return {"points": len(places), "side_effects": len(effects), "violations": violations}

    def _check(
        self,
        disk: Disk,
        files: dict[Path, bytes],
        reference: Reference,
        states: list[str] | None,
        *,
        exact: bool = False,
        erases: str = "",
    ) -> list[str]:
        """Check the files that a fault left. A state that was seen before is not checked again."""
        folder = self._folder / "state"
        shutil.rmtree(folder, ignore_errors=True)
        write_files(((path, one) for path, one in files.items() if path.name.startswith(LEDGER)), disk.root, folder)
        ledger = read_ledger(folder / "home" / LEDGER)
        found = list(ledger.problems)
        if states is not None and ledger.digest not in states:
            found.append("I2 not a committed state")
        has_changed = ledger.digest in reference.states[1:]
        erased = (CANARY, erases) if erases and has_changed else (CANARY,)
        rules = Rules(erased, reference.shapes | {"at work"}, "walrus")
        visible = sorted(files.items()) if exact else _visible(disk, files)
        key = hashlib.sha256(repr((ledger.digest, erased, sorted(rules.names), visible)).encode()).hexdigest()
        if key not in self._checked:
            disk.write_out(files, folder)
            self._checked[key] = answer_of_child(lambda: find_violations(folder / "home", rules))
        return found + self._checked[key]


def _states_after(name: str, answer: Any, reference: Reference) -> list[str] | None:
    """Return the states that a ledger may be in after this answer to a case; None for any that is sound."""
    if admits_loss(answer) or (only_reads(name) and "receipt" not in answer):
        # It says what was left out, such as vectors, or has no place for it: the ledger is like no other.
        return None
    # How often a record was used is counted last, and is no part of an answer.
    return (reference.states[1:] if only_reads(name) else []) or reference.states[-1:]


def _is_inside_a_run(effects: Sequence[SideEffect], place: int) -> bool:
    """Return whether a side effect is neither at the start nor at the end of several of one kind.

    SQLite writes the pages of a transaction in one loop, and fails in the same way whichever of them fails; so does
    Lance with the files of a version, before its manifest names them.
    """
    around = effects[max(0, place - 2) : place + 3]
    return len(around) == 5 and len({_kind_of_run(one) for one in around}) == 1


def _kind_of_run(effect: SideEffect) -> str:
    dataset, inside, name = effect.path.partition(".lance/")
    if inside and not name.startswith("_versions"):
        return f"{'removing from' if effect.kind in REMOVALS else 'writing to'} {dataset}"
    return f"{effect.kind} {effect.path}"


def _code(work: Callable[[], object]) -> str:
    """Return the code of the error that work raises."""
    try:
        work()
    except SatchelError as error:
        return error.code
    return "none"


def _kept_files(files: dict[Path, bytes], root: Path) -> dict[str, bytes]:
    """Return the files beside the ledger that an acknowledged write may be in."""
    names = {str(path.relative_to(root)): one for path, one in files.items()}
    return {name: one for name, one in names.items() if name == SETTINGS_FILE or name.startswith("home/spool/0")}


def _visible(disk: Disk, files: dict[Path, bytes]) -> list[tuple[str, bytes]]:
    """Return the files that the next process can notice, without the ledger.

    Lance opens the files that a manifest names and no others: of those, only which are missing.
    """
    seen = []
    for path, content in files.items():
        name = str(path)[len(str(disk.root)) :]
        if path.name.startswith(LEDGER):
            continue
        if ".lance/" not in name or "/_versions/" in name:
            seen.append((name, content))
    gone = [str(path)[len(str(disk.root)) :] for path in disk.first if path not in files]
    return sorted(seen) + sorted((name, b"") for name in gone)


def import_everything() -> None:
    """Import what commands import when they need it, so that no child has to."""
    for one in pkgutil.walk_packages(satchel.__path__, "satchel."):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)


def main(folder: Path) -> None:
    """Answer the requests on standard input, each a line of JSON, until it ends."""
    import_everything()
    laboratory = Laboratory(folder)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "opened" in request:
                answer = laboratory.resume(FAULTS[request["fault"]], opened=request["opened"])
            elif "cuts" in request:
                answer = laboratory.power_cuts(PowerCut(request["seed"], request["strict"]), request["cuts"])
            else:
                answer = laboratory.faults(request["case"], FAULTS[request["fault"]], request["step"])
        except AssertionError as error:
            answer = {"error": str(error)}
        os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
