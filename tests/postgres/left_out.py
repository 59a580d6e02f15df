"""Tests that say nothing about PostgreSQL: those about the file that SQLite keeps, each with the reason."""

_FILE = "changes or reads the SQLite file behind the ledger's back"

_PROCESS = "starts a process of its own, which opens the file"

# The start of a test's name, from its folder on, with the reason.
LEFT_OUT: dict[str, str] = {
    "adapters/test_ledger_transfer.py::test_migrating_an_older_ledger": "a file written by an older version",
    "adapters/test_observations_contract.py::test_a_damaged_": _FILE,
    "memories/test_memories.py::TestDoctor::test_a_new_store_is_healthy": "counts the findings about the file",
    "memories/test_transfer.py::TestImport::test_concurrent_imports": _PROCESS,
    "memories/test_as_of.py::test_as_of_recall_writes_nothing": "asks SQLite for its temporary tables",
    "maintenance/test_backups.py": "a backup is a copy of the file",
    "maintenance/test_ledger_findings.py::test_an_edge_that_leads_to_no_memory": _FILE,
    "maintenance/test_move.py::test_a_killed_rebuild": _PROCESS,
    "maintenance/test_receipts_prune.py::test_tampering": _FILE,
    "maintenance/test_receipts_prune.py::test_a_body_removed_between_two_batches": _FILE,
    "maintenance/test_receipts_prune.py::test_a_prune_accounts_for_the_very_receipts": _FILE,
    "attention/test_storage.py::test_while_the_store_is_locked": "locks the file; tests/postgres/test_database.py has its like",
    "documents/test_fallback.py::test_a_person_sees_documents_apart": _PROCESS,
    "conversations/test_reading.py::test_of_ten_thousand_messages": "takes minutes, and is about which messages are read",
    "turns/test_turns.py::TestAfter::test_what_an_error_kept_from_being_stored": "locks the file",
    "graph/test_own_source.py": "reads a whole source tree to judge the graph, whatever holds it",
}


def reason_to_leave_out(nodeid: str) -> str | None:
    """Return why a test is not run over PostgreSQL, or None if it is."""
    name = nodeid.removeprefix("tests/")
    return next((reason for start, reason in LEFT_OUT.items() if name.startswith(start)), None)
