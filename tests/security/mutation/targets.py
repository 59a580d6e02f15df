"""The modules whose mutants must be killed, by what they protect, and the tests that are run against each."""

from typing import NamedTuple


class Target(NamedTuple):
    """A module below `src/satchel`, and the test files that may kill its mutants, the nearest first."""

    group: str
    module: str
    tests: tuple[str, ...]


def _ledger(group: str, name: str, *tests: str) -> Target:
    return Target(
        group, f"adapters/sqlite/{name}.py", tuple(f"tests/adapters/sqlite/test_{one}.py" for one in (name, *tests))
    )


# Only tests of the module itself and of its neighbours: they name what broke, and take no more than a second each.
TARGETS = (
    Target("scope", "domain/scope.py", ("tests/domain/test_scope.py",)),
    Target("scope", "domain/scope_name.py", ("tests/domain/test_scope.py",)),
    Target("scope", "domain/view.py", ("tests/domain/test_view.py",)),
    _ledger("scope", "where"),
    Target("trust", "domain/trust.py", ("tests/domain/test_trust.py",)),
    Target("trust", "domain/inspection.py", ("tests/domain/test_inspection.py",)),
    Target("escape", "domain/escape.py", ("tests/domain/test_escape.py",)),
    Target("escape", "turns/block.py", ("tests/turns/test_block.py",)),
    Target("escape", "packing/bundle.py", ("tests/packing/test_bundle.py",)),
    _ledger("ledger", "database", "transactions", "migrations"),
    _ledger("ledger", "disk_errors", "database"),
    _ledger("ledger", "receipts"),
    _ledger("ledger", "migrations"),
    _ledger("recovery", "lost_ledger"),
    _ledger("recovery", "quarantine"),
    _ledger("recovery", "records", "receipts"),
    Target("recovery", "adapters/spool.py", ("tests/adapters/test_spool.py",)),
)
