"""Who reads an answer. Agents are shown neither people nor private paths, unless the operator allows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.core.parts import Parts

AGENTS = frozenset({"mcp", "hook", "skill"})
"""The actors that are agents. The command line, HTTP and Python are the operator's, unless a token says otherwise."""

_agent_reads: ContextVar[bool] = ContextVar("satchel_agent_reads", default=False)


@contextmanager
def read_by_agent(wanted: bool = True) -> Iterator[None]:
    """Answer an agent inside the block, whoever the actor is: the caller has an agent's rights, or asks for a prompt."""
    token = _agent_reads.set(wanted or _agent_reads.get())
    try:
        yield
    finally:
        _agent_reads.reset(token)


def hides_people(parts: Parts) -> bool:
    """Return whether the present answer may name no person of the graph."""
    return not parts.policies.agents.show_people and _is_for_agent(parts)


def hides_paths(parts: Parts) -> bool:
    """Return whether the present answer may contain no home folder."""
    return not parts.policies.agents.show_paths and _is_for_agent(parts)


def _is_for_agent(parts: Parts) -> bool:
    return _agent_reads.get() or parts.actor in AGENTS
