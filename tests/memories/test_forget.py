"""Forgetting: erased everywhere, and verified."""

from msgspec.structs import replace

from satchel.domain.erasure import ErasureCheck, ForgetCandidate, Forgotten
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View, admin_view
from satchel.memories.forget import MAX_CANDIDATES, candidates, erase_memory
from tests.memories.fakes import FakeFiles, FakeMemories

HERE = Reach(("global",))
TEA = Memory(MemoryId("m1"), "green tea at four", "global", created_at=7, updated_at=7, kind=Kind.PREFERENCE)
RECEIPT = Receipt("forget", {"id": "m1"})


def erased(
    memories: FakeMemories,
    files: FakeFiles | None = None,
    *,
    memory: Memory = TEA,
    within: Reach = HERE,
    index_is_clean: bool = True,
    verify: bool = False,
) -> Forgotten | None:
    def purge_index() -> bool:
        memories.log.append("purge")
        return index_is_clean

    return erase_memory(
        memory,
        within,
        memories=memories.port,
        erase_evidence=lambda: memories.log.append("evidence"),
        is_elsewhere=lambda piece: memories.contains(piece, excluding=memory.id),
        purge_index=purge_index,
        files=files or FakeFiles(log=memories.log),
        actor="tester",
        receipt=RECEIPT,
        verify=verify,
        everywhere=True,
    )


def test_an_erased_memory_is_gone_everywhere() -> None:
    memories = FakeMemories(TEA)
    assert erased(memories) == Forgotten(
        "deleted",
        MemoryId("m1"),
        erased_from=("index", "ledger", "spool"),
        pending=(),
        candidates=(),
        check=None,
    )
    assert memories.records == {}


def test_evidence_is_erased_before_ledger_index_and_log() -> None:
    memories = FakeMemories(TEA)
    erased(memories)
    assert memories.log == ["evidence", "erase m1 in global by tester for forget", "purge", "scrub"]


def test_files_are_searched_only_with_verify() -> None:
    files = FakeFiles({"ledger": b"green tea at four"})
    plain = erased(FakeMemories(TEA), files)
    assert plain is not None
    assert (plain.check, files.log) == (None, [])
    verified = erased(FakeMemories(TEA), files, verify=True)
    assert verified is not None
    assert (verified.check is not None, files.log) == (True, ["search 1", "search 1"])


def test_places_not_yet_clean_are_pending() -> None:
    first = erased(FakeMemories(TEA), index_is_clean=False)
    assert first is not None
    assert (first.erased_from, first.pending) == (("ledger", "spool"), ("index",))
    second = erased(FakeMemories(TEA, scrubs=False), index_is_clean=False)
    assert second is not None
    assert (second.erased_from, second.pending) == (("spool",), ("index", "ledger"))


def test_erasing_a_missing_memory_returns_none() -> None:
    memories = FakeMemories()
    assert erased(memories, verify=True) is None
    assert memories.log == ["search 1", "evidence", "erase m1 in global by tester for forget"]


def test_a_memory_of_another_scope_stays() -> None:
    elsewhere = replace(TEA, scope="team")
    memories = FakeMemories(elsewhere)
    assert erased(memories, memory=elsewhere) is None
    assert memories.records == {"m1": elsewhere}
    assert erased(memories, memory=elsewhere, within=EVERYWHERE) is not None


def test_a_verified_erasure_searches_the_files_before_and_after() -> None:
    log: list[str] = []
    files = FakeFiles({"ledger": b"green tea at four"}, log)

    class Clearing(FakeMemories):
        def scrub(self) -> bool:
            files.contents["ledger"] = b"................."
            return super().scrub()

    done = erased(Clearing(TEA, log=log), files, verify=True)
    assert done is not None
    assert done.check == ErasureCheck(
        conclusive=True, fragments=1, files=1, bytes=17, found_before=1, found_after=(), note=""
    )
    assert log == ["search 1", "evidence", "erase m1 in global by tester for forget", "purge", "scrub", "search 1"]


def test_a_remaining_trace_is_reported() -> None:
    files = FakeFiles({"ledger": b"", "backup": b"... green tea at four ..."})
    done = erased(FakeMemories(TEA), files, verify=True)
    assert done is not None
    assert done.check == ErasureCheck(True, 1, files=2, bytes=25, found_before=1, found_after=("backup",))


def test_the_title_is_searched_too() -> None:
    titled = replace(TEA, title="afternoon habits")
    files = FakeFiles({"index": b"afternoon habits"})
    done = erased(FakeMemories(titled), files, memory=titled, verify=True)
    assert done is not None
    assert done.check == ErasureCheck(True, 2, files=1, bytes=16, found_before=1, found_after=("index",))


def test_a_text_shared_with_another_memory_is_inconclusive() -> None:
    find_duplicate = replace(TEA, id=MemoryId("m2"))
    done = erased(FakeMemories(TEA, find_duplicate), FakeFiles({"ledger": b"green tea at four"}), verify=True)
    assert done is not None
    assert done.check is not None
    assert (done.check.conclusive, done.check.fragments, done.check.found_after) == (False, 0, ())
    assert done.check.note


def test_only_unshared_pieces_are_searched() -> None:
    own = replace(TEA, text="green tea at four\nonly here it says so")
    titled = Memory(MemoryId("m2"), "another text", "team", created_at=7, updated_at=7, title="green tea at four")
    files = FakeFiles({"ledger": b"green tea at four", "old": b"only here it says so"})
    done = erased(FakeMemories(own, titled), files, memory=own, verify=True)
    assert done is not None
    assert done.check == ErasureCheck(True, 1, files=2, bytes=37, found_before=1, found_after=("old",))


def test_a_memorys_own_text_does_not_count_as_shared() -> None:
    echoing = replace(TEA, title="green tea at four")
    done = erased(FakeMemories(echoing), FakeFiles({"ledger": b"green tea at four"}), memory=echoing, verify=True)
    assert done is not None
    assert done.check == ErasureCheck(True, 1, files=1, bytes=17, found_before=1, found_after=("ledger",))


def test_a_text_never_found_in_files_is_inconclusive() -> None:
    done = erased(FakeMemories(TEA), FakeFiles({"ledger": b"compressed"}), verify=True)
    assert done is not None
    assert done.check is not None
    assert (done.check.conclusive, done.check.fragments, done.check.found_before) == (False, 1, 0)
    assert done.check.note


def test_a_query_lists_candidates_and_erases_nothing() -> None:
    memories = FakeMemories(TEA, replace(TEA, id=MemoryId("m2"), text="coffee"))
    assert candidates(memories.port, ("tea",), View(HERE, now=10)) == Forgotten(
        "candidates", candidates=(ForgetCandidate(MemoryId("m1"), "green tea at four", Kind.PREFERENCE, 17.0, 7),)
    )
    assert (list(memories.records), memories.log) == (["m1", "m2"], [])


def test_candidates_are_limited_and_in_match_order() -> None:
    many = [replace(TEA, id=MemoryId(f"m{number}")) for number in range(9)]
    memories = FakeMemories(*many)
    found = candidates(memories.port, ("tea",), View(HERE, now=10))
    assert [one.id for one in found.candidates] == ["m0", "m1", "m2", "m3", "m4"]
    assert memories.limits == [MAX_CANDIDATES]


def test_candidates_include_retired_and_quarantined_records_of_the_scope() -> None:
    memories = FakeMemories(
        replace(TEA, id=MemoryId("retired"), state=State.RETIRED),
        replace(TEA, id=MemoryId("bad"), trust=Trust.QUARANTINED),
        replace(TEA, id=MemoryId("elsewhere"), scope="team"),
    )
    found = candidates(memories.port, ("tea",), admin_view(HERE, now=10))
    assert [one.id for one in found.candidates] == ["retired", "bad"]


def test_a_query_without_matches_has_no_candidates() -> None:
    assert candidates(FakeMemories(TEA).port, (), View(HERE, now=10)) == Forgotten("candidates")
