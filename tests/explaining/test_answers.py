"""The list of recent answers, read from receipts."""

from typing import Any

import pytest

from satchel.app import Satchel
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest
from satchel.explaining.values import AnswerSummary
from tests.tables import each_case


def answers(memory: Satchel, **narrowed: Any) -> tuple[AnswerSummary, ...]:
    return memory.explaining.answers(**narrowed).result.answers


def test_answers_come_newest_first_with_what_they_contain(memory: Satchel) -> None:
    id = memory.store("We ship on Thursdays", kind="decision", importance=0.9).result.id
    memory.store("A page says that we ship on Fridays", source_kind="web")
    memory.turns.start()
    before = memory.turns.before("When do we ship things?", mode="lexical")
    memory.turns.before("hello")
    memory.packing.pack("When do we ship?", budget_tokens=200)

    pack, skipped, turn, start = answers(memory)
    assert [one.operation for one in (pack, skipped, turn, start)] == [
        "pack",
        "turn before",
        "turn before",
        "turn start",
    ]
    assert (turn.receipt, turn.included, turn.left_out) == (before.receipt.digest, 1, 1)
    assert (turn.first, skipped.first) == ("We ship on Thursdays", "")
    assert turn.budget is not None
    assert (turn.budget.used, turn.budget.unit) == (len(before.result.block), "characters")
    assert turn.warnings == ("lexical_only",)
    assert (skipped.included, skipped.budget) == (0, None)
    assert skipped.nothing.startswith("nothing was recalled: the prompt is trivial")
    assert pack.budget is not None
    assert (pack.budget.most, pack.budget.unit) == (200, "tokens")
    (opened,) = memory.explaining.why(start.receipt).result.included
    assert (opened.id, opened.rule, opened.words) == (id, "opens_session", "We ship on Thursdays")


def test_a_packet_names_its_role_and_a_forgotten_record_is_not_shown(memory: Satchel) -> None:
    memory.store("At most three bullets", kind="preference", importance=0.9)
    id = memory.store("the walrus ate my passport").result.id
    memory.attention.route("write a report with bullets", step_role="critic")
    memory.recall("walrus passport", mode="lexical")
    memory.forget(id)

    recalled, packet = answers(memory)
    assert (packet.role, packet.first) == ("critic", "At most three bullets")
    assert (recalled.role, recalled.included, recalled.first) == (None, 1, "")


def test_answers_of_some_operations_and_one_scope_come_page_by_page(memory: Satchel) -> None:
    for number in range(3):
        memory.recall(f"walrus {number}", mode="lexical")
        memory.recall(f"seal {number}", mode="lexical", scope="project/shop")
        memory.packing.pack(f"walrus {number}")

    assert {one.operation for one in answers(memory)} == {"recall", "pack"}
    assert [one.scope for one in answers(memory, operations=["recall"], scope="project/shop")] == ["project/shop"] * 3
    pages, mark = list[int](), None
    while True:
        page = memory.explaining.answers(operations=["recall", "pack"], limit=4, before=mark).result
        pages += [one.seq for one in page.answers]
        mark = page.next
        if mark is None:
            break
    assert pages == [one.seq for one in answers(memory)]
    assert len(pages) == 9


@each_case("body", [{"decided": {"injected": 7}}, {"decided": {"lifecycle": []}}, {"asked": {"scope": 3}}])
def test_a_malformed_receipt_is_listed_with_what_can_be_read(memory: Satchel, body: dict[str, Any]) -> None:
    memory.parts.ledger.receipts.keep(Receipt("turn before", **({"asked": {}} | body)), [])

    newest = answers(memory)[0]
    assert (newest.operation, newest.scope, newest.budget) == ("turn before", None, None)


def test_an_unknown_operation_is_refused(memory: Satchel) -> None:
    with pytest.raises(InvalidRequest, match="unknown operation 'store'"):
        memory.explaining.answers(operations=["recall", "store"])
