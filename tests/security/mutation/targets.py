"""The modules whose mutants must be killed, by what they protect, and the tests that are run against each."""

from typing import NamedTuple


class Target(NamedTuple):
    """A module below `src/satchel`, and the test files that may kill its mutants, the nearest first."""

    group: str
    module: str
    tests: tuple[str, ...]


def _sqlite(group: str, name: str, *tests: str) -> Target:
    return Target(group, f"adapters/sqlite/{name}.py", tuple(f"tests/adapters/sqlite/test_{one}.py" for one in tests))


# Only tests of the module itself and of its neighbours: they name what broke, and start no
# process, which would not have the mutant.
TARGETS = (
    Target("scope", "domain/scope.py", ("tests/domain/test_scope.py",)),
    Target("scope", "domain/scope_name.py", ("tests/domain/test_scope.py",)),
    Target("scope", "domain/view.py", ("tests/domain/test_view.py",)),
    _sqlite("scope", "where", "where"),
    Target("trust", "domain/trust.py", ("tests/domain/test_trust.py",)),
    Target("trust", "domain/inspection.py", ("tests/domain/test_inspection.py",)),
    Target("escape", "domain/escape.py", ("tests/domain/test_escape.py",)),
    Target("escape", "turns/block.py", ("tests/turns/test_block.py",)),
    Target("escape", "packing/bundle.py", ("tests/packing/test_bundle.py",)),
    _sqlite("ledger", "database", "transactions", "migrations"),
    _sqlite("ledger", "disk_errors", "disk_errors"),
    _sqlite("ledger", "receipts", "receipts"),
    _sqlite("ledger", "migrations", "migrations"),
    _sqlite("recovery", "lost_ledger", "lost_ledger"),
    _sqlite("recovery", "quarantine", "quarantine"),
    _sqlite("recovery", "records", "records", "receipts"),
    Target("recovery", "adapters/spool.py", ("tests/adapters/test_spool.py",)),
)
