"""Warnings about a scope that holds nothing yet: perhaps its name is misspelt."""

from satchel.core.parts import Parts
from satchel.domain.scope import Reach, similar_scopes
from satchel.domain.view import admin_view


def empty_scope_warning(scope: str, reach: Reach, parts: Parts) -> str:
    """Return a warning if a scope that is read has no records at all; empty if it has."""
    from satchel.core.contents import holds_anything

    if reach.everywhere or holds_anything(parts.ledger, admin_view(reach, parts.clock.now())):
        return ""
    similar = _similar(scope, parts)
    return f"scope_unknown: nothing is stored in scope '{scope}' yet{f'; similar: {similar}' if similar else ''}"


def new_scope_warning(scope: str, parts: Parts) -> str:
    """Return a warning if the first memory of a scope is stored and its name is like that of another; else empty."""
    if not _is_empty(Reach((scope,)), parts) or not (similar := _similar(scope, parts)):
        return ""
    return f"scope_new: this is the first memory in scope '{scope}'; similar: {similar}"


def _is_empty(reach: Reach, parts: Parts) -> bool:
    return not parts.ledger.memories.page(admin_view(reach, parts.clock.now()), 1)


def _similar(scope: str, parts: Parts) -> str:
    return ", ".join(similar_scopes(scope, parts.policies.scope.existing_scopes()))
