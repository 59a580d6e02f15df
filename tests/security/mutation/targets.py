"""The modules whose mutants must be killed, by what they protect, and the tests that are run against each."""

from typing import NamedTuple


class Target(NamedTuple):
    """A module below `src/satchel`, and the test files that may kill its mutants, the nearest first."""

    group: str
    module: str
    tests: tuple[str, ...]


def _ledger(group: str, module: str, *tests: str) -> Target:
    return Target(group, f"adapters/{module}.py", tuple(f"tests/adapters/{one}.py" for one in tests))


# Only tests of the module itself and of its neighbours: they name what broke, and start no
# process, which would not have the mutant.
TARGETS = (
    Target("scope", "domain/scope.py", ("tests/domain/test_scope.py",)),
    Target("scope", "domain/scope_name.py", ("tests/domain/test_scope.py",)),
    Target("scope", "domain/view.py", ("tests/domain/test_view.py",)),
    _ledger("scope", "sql/where", "sql/test_where"),
    Target("trust", "domain/trust.py", ("tests/domain/test_trust.py",)),
    Target("trust", "domain/inspection.py", ("tests/domain/test_inspection.py",)),
    Target("escape", "domain/escape.py", ("tests/domain/test_escape.py",)),
    Target("escape", "turns/block.py", ("tests/turns/test_block.py",)),
    Target("escape", "packing/bundle.py", ("tests/packing/test_bundle.py",)),
    _ledger("ledger", "sqlite/database", "sqlite/test_transactions", "sql/test_migrations"),
    _ledger("ledger", "sqlite/disk_errors", "sqlite/test_disk_errors"),
    Target(
        "ledger",
        "adapters/sql/receipts.py",
        ("tests/adapters/sql/test_receipts.py", "tests/maintenance/test_receipts_prune.py"),
    ),
    _ledger("ledger", "sql/migrations", "sql/test_migrations"),
    _ledger("recovery", "sqlite/lost_ledger", "sqlite/test_lost_ledger"),
    _ledger("recovery", "sql/quarantine", "sql/test_quarantine"),
    _ledger("recovery", "sql/records", "sql/test_records", "sql/test_receipts"),
    Target("recovery", "adapters/spool.py", ("tests/adapters/test_spool.py",)),
)
