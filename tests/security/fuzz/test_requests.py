"""Requests made from the schema of each operation: right, nearly right and wrong arguments never break one.

There is no OpenAPI document to drive: the schemas are those that MCP clients get, and the calls are made in process.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel.domain.envelope import Ok
from satchel.interfaces.agents import TOOLS, Bounds, perform, settable_parameters
from satchel.interfaces.operations import Operation, Session
from satchel.interfaces.toolbox import input_schema
from tests.faults.extent import extent
from tests.security.canaries import MINE
from tests.security.conftest import Stock, open_session
from tests.security.test_sinks import hang_detector

EXAMPLES = extent((3,), (40,))[0]
AGENT = Bounds(scope=MINE)
_TEXTS = st.text(st.characters(exclude_categories=()), max_size=40) | st.sampled_from(
    ["2026-11-02", "ledger", "payments", "release plan"]
)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=6,
)


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that a schema allows."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return st.lists(values_of(schema.get("items", {})), max_size=4)
    plain: dict[Any, st.SearchStrategy[Any]] = {
        "string": _TEXTS,
        "integer": st.integers(-3, 200),
        "number": st.floats(-1, 2),
        "boolean": st.booleans(),
        "object": st.dictionaries(_TEXTS, _ANYTHING, max_size=3),
    }
    return plain.get(kind if isinstance(kind, str) else None, _ANYTHING)


def arguments_of(operation: Operation) -> st.SearchStrategy[dict[str, Any]]:
    """Return arguments that fit the schema of a tool, or of which one does not."""
    schema = input_schema(operation, AGENT)
    required = set(schema.get("required", ()))
    fits = {name: values_of(one) for name, one in schema["properties"].items()}
    right = st.fixed_dictionaries(
        {name: one for name, one in fits.items() if name in required},
        optional={name: one for name, one in fits.items() if name not in required},
    )
    wrong = st.tuples(right, st.sampled_from([*fits, "unknown"]), _ANYTHING).map(
        lambda made: {**made[0], made[1]: made[2]}
    )
    return right | wrong


@pytest.fixture(scope="module")
def session(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A copy of the filled store."""
    opened = open_session(stock.copy(tmp_path_factory.mktemp("requests") / "home"))
    with closing(opened):
        yield opened


@pytest.mark.parametrize("name", extent(sorted(TOOLS)[::6], sorted(TOOLS)))
def test_no_arguments_break_a_tool(session: Session, name: str) -> None:
    operation = TOOLS[name]
    assert settable_parameters(operation, AGENT).keys() == input_schema(operation, AGENT)["properties"].keys()

    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(arguments_of(operation))
    def call(given_arguments: dict[str, Any]) -> None:
        with hang_detector():
            outcome = perform(session, operation, AGENT, given_arguments, "tester")
        assert isinstance(outcome, Ok) or outcome.code != "internal_error"
        assert "zqcanary" not in str(outcome)

    call()
