"""Mutants that change nothing a caller could notice, each with the reason. They are not counted."""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    ("domain/scope.py", "resolve_scope", "explicit is None and policy.enabled → policy.enabled"): (
        "a tag is not looked at if there is an explicit scope"
    ),
    (
        "domain/scope.py",
        "similar_scopes",
        "get_close_matches(name, others, n=MAX_SUGGESTIONS, cutoff=MIN_LIKENESS) → "
        "get_close_matches(name, others, cutoff=MIN_LIKENESS)",
    ): "three is the default too",
    ("domain/trust.py", "", "2 → 3"): "ranks are only compared",
    ("packing/bundle.py", "in_order", "0 → 1"): "steps are only compared with each other",
    ("packing/bundle.py", "in_order", "Lt → LtE"): "in a circle one step more is as good",
    ("packing/bundle.py", "_section", "1 → 2"): "sections are only compared",
    ("packing/bundle.py", "_place", "'' → 'x'"): "the same for all items of a section",
    (
        "packing/bundle.py",
        "_day",
        "except (ValueError, OverflowError, OSError): return Heading('At an unknown time') → "
        "except (ValueError, OverflowError): return Heading('At an unknown time')",
    ): "only Windows raises it",
    ("adapters/sqlite/database.py", "Database.__init__", "read_only and path is not None → read_only"): (
        "a database in memory is never opened for reading only"
    ),
    (
        "adapters/sqlite/database.py",
        "Database._configure",
        "connection.set_busy_timeout(WRITE_TIMEOUT_MS) → pass",
    ): "opening has set it",
    ("adapters/sqlite/database.py", "Database._configure", "connection.execute('PRAGMA synchronous = FULL') → pass"): (
        "the default of the library in use"
    ),
    (
        "adapters/sqlite/database.py",
        "Database._open_for_writing",
        "self._never_writes or self.path is None → self._never_writes",
    ): "a database in memory can be written to",
    (
        "adapters/sql/quarantine.py",
        "damaged_records",
        "for found in rows if found.damage is not None → for found in rows",
    ): "only damaged rows come; the condition is for the type checker",
    (
        "adapters/sql/records.py",
        "RecordFormat._damage",
        "zip(self._columns, columns, strict=True) → zip(self._columns, columns)",
    ): ("a row has as many columns as were selected"),
    (
        "adapters/sql/records.py",
        "RecordFormat._damage",
        "True → False",
    ): "a row has as many columns as were selected",
    ("adapters/sql/records.py", "read_page", ":limit → :"): "never more than the limit were read",
    ("adapters/sql/records.py", "read_page", ":limit → :limit + 1"): "never more than the limit were read",
    (
        "adapters/spool.py",
        "SpoolFolder._path",
        "'/' in source or os.sep in source → '/' in source",
    ): "differs on Windows",
    (
        "adapters/spool.py",
        "SpoolFolder._path",
        "'/' in source or os.sep in source → os.sep in source",
    ): "differs on Windows",
    ("adapters/spool.py", "SpoolFolder._path", "Or → And"): "differs on Windows",
    ("adapters/spool.py", "SpoolFolder._path", "'/' → '/x'"): "differs on Windows",
    ("adapters/spool.py", "SpoolFolder._current", "max([name, *archived], default='') → max([name, *archived])"): (
        "the list has at least one name"
    ),
    ("adapters/spool.py", "SpoolFolder._current", "'' → 'x'"): "the list has at least one name",
    ("adapters/spool.py", "_append", "1 → 2"): "there is one byte to read",
}
