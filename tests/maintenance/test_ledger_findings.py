"""The doctor looks at edges, facts and the size of receipts."""

import apsw

from satchel.app import Satchel
from satchel.domain.answers import HealthFinding
from satchel.maintenance.doctor import receipt_size_findings
from satchel.ports import ReceiptSize
from tests.tables import each_case

DAY_MS, MB = 86_400_000, 1 << 20


def finding(memory: Satchel, check: str, *, fix: bool = False) -> HealthFinding | None:
    return next((one for one in memory.maintenance.doctor(fix=fix).result.findings if one.check == check), None)


def status(memory: Satchel, check: str, *, fix: bool = False) -> str:
    found = finding(memory, check, fix=fix)
    return "" if found is None else found.status


def test_an_edge_that_leads_to_no_memory_is_named_and_removed(memory: Satchel) -> None:
    id = memory.store("We ship on Thursdays").result.id
    db = apsw.Connection(memory.parts.ledger.location)
    db.execute("INSERT INTO edges VALUES (?, 'gone', 'supports', 1.0, 0)", (id,))
    db.close()

    assert status(memory, "edges") == "bad"
    assert status(memory, "edges", fix=True) == "ok"
    assert finding(memory, "edges") == HealthFinding("edges", "ok", "every edge joins two memories")


def test_facts_whose_source_changed_are_counted(memory: Satchel) -> None:
    kept, gone = memory.store("Payments are live").result.id, memory.store("Payments have two owners").result.id
    memory.facts.assert_("payments", "status", "live", sources=[kept])
    memory.facts.assert_("payments", "uses", "Postgres", sources=[kept, gone])
    assert status(memory, "facts") == ""

    memory.forget(gone)

    assert status(memory, "facts") == "warning"


@each_case(
    "size, message",
    [
        (ReceiptSize(10, 0, 49 * MB, 0), ""),
        (ReceiptSize(0, 0, 60 * MB, None), ""),
        (ReceiptSize(20_000, 0, 60 * MB, 0), "60 MB in 20,000 receipts, 0.6 MB a day"),
    ],
)
def test_the_growth_of_receipts_is_told_once_it_matters(size: ReceiptSize, message: str) -> None:
    found = receipt_size_findings(size, 100 * DAY_MS)
    assert (found[0].message if found else "") == message
