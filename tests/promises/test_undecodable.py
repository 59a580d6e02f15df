"""Text with lone surrogates, as undecodable bytes arrive, is handled or rejected, never a crash."""

from collections.abc import Callable

import pytest

from satchel.app import Satchel
from satchel.domain.record import State
from satchel.errors import InvalidRequest, NotFound, SatchelError

# An undecodable byte as Python represents it, a high and a low surrogate, and two inside a name.
HALVES = ["\udce9", "\ud83d", "\udc00", "caf\udce9", "sha256:\ud800"]

undecodable = pytest.mark.parametrize("name", HALVES, ids=ascii)


def texts(memory: Satchel, query: str, mode: str) -> list[str]:
    return [hit.memory.text for hit in memory.recall(query, mode=mode).result.hits]


@undecodable
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_a_question_is_answered_by_its_readable_part(memory: Satchel, name: str, mode: str) -> None:
    memory.store("green tea at four")
    assert texts(memory, f"tea {name}", mode) == ["green tea at four"]
    assert memory.recall(name, mode=mode).receipt.kept


@undecodable
def test_an_unreadable_question_finds_nothing_by_words(memory: Satchel, name: str) -> None:
    memory.store("green tea at four")
    assert texts(memory, name, "lexical") == []


def test_the_receipt_has_the_question_as_it_was_read(memory: Satchel) -> None:
    memory.store("green tea at four")
    asked = memory.recall("tea \udce9", mode="lexical").receipt
    read = memory.recall("tea ?", mode="lexical").receipt
    assert (asked.asked, asked.digest) == (read.asked, read.digest)
    assert memory.maintenance.receipts_show(asked.digest).result.digest == asked.digest


@undecodable
@pytest.mark.parametrize("all_scopes", [False, True])
def test_get_by_such_an_id_finds_nothing(memory: Satchel, name: str, all_scopes: bool) -> None:
    memory.store("green tea at four")
    with pytest.raises(NotFound) as caught:
        memory.get(name, all_scopes=all_scopes)
    assert caught.value.code == "not_found"
    assert caught.value.message.encode()


@undecodable
@pytest.mark.parametrize("verify", [False, True])
def test_forget_by_such_an_id_erases_nothing(memory: Satchel, name: str, verify: bool) -> None:
    memory.store("green tea at four")
    with pytest.raises(NotFound) as caught:
        memory.forget(name, verify=verify)
    assert caught.value.code == "not_found"
    assert memory.maintenance.stats().result.tally.memories == 1


@undecodable
def test_forget_by_such_a_query_lists_candidates_for_its_readable_part(memory: Satchel, name: str) -> None:
    kept = memory.store("green tea at four").result
    assert memory.forget(query=name).result.candidates == ()
    named = memory.forget(query=f"tea {name}").result
    assert (named.action, [one.id for one in named.candidates]) == ("candidates", [kept.id])
    assert memory.get(kept.id).result.memory.state is State.ACTIVE


@undecodable
def test_a_memory_that_replaces_such_an_id_is_not_stored(memory: Satchel, name: str) -> None:
    memory.store("green tea at four")
    with pytest.raises(NotFound) as caught:
        memory.store("black tea at five", replaces=name)
    assert caught.value.code == "not_found"
    assert memory.maintenance.stats().result.tally.memories == 1


@undecodable
def test_a_receipt_with_such_a_digest_is_not_found(memory: Satchel, name: str) -> None:
    digest = memory.store("green tea at four").receipt.digest
    for asked in (name, digest[:12] + "\udce9"):
        with pytest.raises(NotFound) as caught:
            memory.maintenance.receipts_show(asked)
        assert caught.value.code == "not_found"
        assert caught.value.message.encode()


@undecodable
def test_no_receipt_has_such_an_operation(memory: Satchel, name: str) -> None:
    memory.store("green tea at four")
    assert memory.maintenance.receipts_list(operation=name).result == ()
    assert len(memory.maintenance.receipts_list(operation="store").result) == 1


@undecodable
def test_a_cursor_with_such_an_id_works(memory: Satchel, name: str) -> None:
    kept = memory.store("green tea at four").result
    later, earlier = f"{kept.created_at + 1}:{name}", f"{kept.created_at - 1}:{name}"
    assert [one.id for one in memory.memories.list(after=later).result.memories] == [kept.id]
    assert memory.memories.list(after=earlier).result.memories == ()


@undecodable
def test_an_invalid_cursor_is_rejected(memory: Satchel, name: str) -> None:
    for mark in (name, f"{name}:1", f"1{name}:1"):
        with pytest.raises(InvalidRequest) as caught:
            memory.memories.list(after=mark)
        assert caught.value.code == "invalid_cursor"


ELSEWHERE: dict[str, Callable[[Satchel, str], object]] = {
    "store(kind)": lambda memory, name: memory.store("x", kind=name),
    "store(trust)": lambda memory, name: memory.store("x", trust=name),
    "store(source_kind)": lambda memory, name: memory.store("x", source_kind=name),
    "store(source_ref)": lambda memory, name: memory.store("x", source_ref=name),
    "store(title)": lambda memory, name: memory.store("x", title=name),
    "store(session)": lambda memory, name: memory.store("x", session=name),
    "store(task)": lambda memory, name: memory.store("x", task=name),
    "store(language)": lambda memory, name: memory.store("x", language=name),
    "store(tags)": lambda memory, name: memory.store("x", tags=[name]),
    "store(keywords)": lambda memory, name: memory.store("x", keywords=[name]),
    "store(valid_from)": lambda memory, name: memory.store("x", valid_from=name),
    "store(valid_to)": lambda memory, name: memory.store("x", valid_to=name),
    "store(text)": lambda memory, name: memory.store(name),
    "recall(scope)": lambda memory, name: memory.recall("tea", scope=name),
    "recall(mode)": lambda memory, name: memory.recall("tea", mode=name),
    "get(scope)": lambda memory, name: memory.get("x", scope=name),
    "list(scope)": lambda memory, name: memory.memories.list(scope=name),
    "forget(scope)": lambda memory, name: memory.forget("x", scope=name),
    "stats(scope)": lambda memory, name: memory.maintenance.stats(scope=name),
    "index_rebuild(embedder)": lambda memory, name: memory.maintenance.index_rebuild(embedder=name),
}


@pytest.mark.parametrize("place", ELSEWHERE)
def test_elsewhere_it_is_rejected_with_a_printable_message(memory: Satchel, place: str) -> None:
    for name in HALVES:
        with pytest.raises(SatchelError) as caught:
            ELSEWHERE[place](memory, name)
        assert isinstance(caught.value, InvalidRequest)
        assert f"{caught.value.code} {caught.value.message} {caught.value.hint}".encode()
    assert memory.maintenance.stats().result.tally.memories == 0


def test_the_receipt_chain_stays_valid(memory: Satchel) -> None:
    memory.store("green tea at four")
    for name in HALVES:
        memory.recall(name)
        memory.forget(query=name)
    assert memory.maintenance.receipts_verify().result.broken_at is None
