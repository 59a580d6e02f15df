"""The error tree as drawn in its docstring."""

import re

from satchel import errors
from satchel.errors import SatchelError
from tests.tables import each_case

CLASSES = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SatchelError)]


def drawn() -> dict[str, str]:
    """Read the docstring's tree: each class with the one it hangs from."""
    parents: dict[str, str] = {}
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        if branch := re.match(r"^((?:[│ ]   )+)(?:[├└]── )?([A-Z]\w+)\b", line):
            depth = line.index(branch.group(2))
            parents[branch.group(2)] = max((at, name) for at, name in {-1: "Exception", **above}.items() if at < depth)[
                1
            ]
            above = {at: name for at, name in above.items() if at < depth} | {depth: branch.group(2)}
    return parents


def test_the_docstring_draws_every_class_under_its_parent_and_no_other() -> None:
    assert drawn() == {kind.__name__: kind.__bases__[0].__name__ for kind in CLASSES}


def test_the_tree_sorts_by_what_the_caller_can_do() -> None:
    assert drawn() == {
        "SatchelError": "Exception",
        "InvalidRequest": "SatchelError",
        "NotFound": "SatchelError",
        "Refused": "SatchelError",
        "ReadOnlyMode": "Refused",
        "Conflict": "SatchelError",
        "Unavailable": "SatchelError",
        "EmbeddingFailed": "Unavailable",
        "RerankFailed": "Unavailable",
        "PreflightFailed": "Unavailable",
        "BackendFailed": "Unavailable",
        "LimitReached": "Unavailable",
        "Corrupt": "SatchelError",
        "NewerStore": "Corrupt",
    }


def test_every_class_has_a_stable_code_of_its_own() -> None:
    assert {kind.__name__: kind.code for kind in CLASSES} == {
        "SatchelError": "error",
        "InvalidRequest": "invalid_request",
        "NotFound": "not_found",
        "Refused": "refused",
        "ReadOnlyMode": "readonly_mode",
        "Conflict": "conflict",
        "Unavailable": "unavailable",
        "EmbeddingFailed": "embedding_failed",
        "RerankFailed": "rerank_failed",
        "PreflightFailed": "preflight_failed",
        "BackendFailed": "BACKEND_ERROR",
        "LimitReached": "limit_reached",
        "Corrupt": "store_damaged",
        "NewerStore": "store_newer",
    }


@each_case("kind", CLASSES)
def test_every_class_says_what_it_means(kind: type[SatchelError]) -> None:
    assert kind.__doc__
    assert [other for other in CLASSES if other.__doc__ == kind.__doc__] == [kind]


@each_case("kind", CLASSES)
def test_an_error_carries_code_message_and_hint(kind: type[SatchelError]) -> None:
    plain = kind("it went wrong")
    assert (str(plain), plain.message, plain.hint, plain.code) == ("it went wrong", "it went wrong", "", kind.code)
    told = kind("it went wrong", code="special", hint="do this")
    assert (told.code, told.hint) == ("special", "do this")
    assert kind("another").code == kind.code
