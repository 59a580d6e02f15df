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
}
