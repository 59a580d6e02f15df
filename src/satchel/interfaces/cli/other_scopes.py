"""Tell where the memories are, if an everyday command finds none in the default scope, or moves only those of it.

Hooks and agents store in the scope of their project; a command without --scope looks in the default one.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from satchel.config import Settings
from satchel.interfaces.cli.views.lines import count

if TYPE_CHECKING:
    from satchel.domain.imports import Imported
    from satchel.domain.policies import ScopePolicy
    from satchel.domain.routing import RouterEnvelope
    from satchel.importing.values import ItemsImported
    from satchel.maintenance.values import Stats
    from satchel.memories.values import ReviewPage

Perform = Callable[[str, Mapping[str, Any]], Any]
"""Performs an operation and returns its result."""

_IS_EMPTY: Mapping[str, Callable[[Any], bool]] = {
    "list": lambda result: not result.memories,
    "recall": lambda result: not result.hits and not result.cold.docs,
    "stats": lambda result: result.tally.memories == 0,
    "review": lambda result: not result.items,
    "forget": lambda result: result.id is None and not result.candidates,
    "conflicts": lambda result: result.compared == 0,
    "route": lambda result: result.status == "empty" and not (result.trace and result.trace.advice),
}
_MOVING = ("export", "import")


def remarks(
    name: str, values: Mapping[str, Any], result: Any, settings: Settings, folder: str | None, perform: Perform
) -> Iterator[str]:
    """Yield what an answer in the default scope leaves out, for the operator at a terminal."""
    named = values.get("scope") is not None or values.get("all_scopes") or values.get("ids")
    if named or name not in (*_IS_EMPTY, *_MOVING):
        return
    from satchel.wiring.adapters import scope_policy_in

    policy = scope_policy_in(settings.scope_policy, folder)
    if name == "export":
        yield from _in_other_scopes(policy, perform)
        return
    if name == "import":
        yield from _of_project(result, policy)
        return
    if name == "route":
        yield from _of_route(result, policy, perform)
        return
    in_project = [*_in_project(policy, perform)] if _IS_EMPTY[name](result) else []
    yield from in_project
    if name == "review":
        yield from _to_review_elsewhere(result, perform)
    elif _IS_EMPTY[name](result) and not in_project:
        yield from _in_other_scopes(policy, perform)


def _of_project(result: "Imported | ItemsImported", policy: "ScopePolicy") -> Iterator[str]:
    """Yield where instructions, which mostly are of one project, would rather go."""
    from satchel.importing.values import ImportKind, ItemsImported

    if not isinstance(result, ItemsImported) or result.kind != ImportKind.INSTRUCTIONS:
        return
    if _has_project(policy) and policy.default_scope in result.scopes:
        yield f"scope {policy.default_scope} is not this project's: --scope auto imports into {policy.project}"


def _of_route(result: "RouterEnvelope", policy: "ScopePolicy", perform: Perform) -> Iterator[str]:
    """Yield in which scope a route found nothing, and what others hold. It answers from one scope at a time."""
    if _IS_EMPTY["route"](result):
        others = [*_in_project(policy, perform)] or [*_in_other_scopes(policy, perform, "--scope NAME")]
        yield "; ".join((f"only scope {policy.default_scope} was searched", *others))


def _has_project(policy: "ScopePolicy") -> bool:
    return bool(policy.project) and policy.project != policy.default_scope


def _in_project(policy: "ScopePolicy", perform: Perform) -> Iterator[str]:
    if not _has_project(policy):
        return
    found: Stats = perform("stats", {"scope": policy.project})
    if found.tally.memories:
        yield f"{count(found.tally.memories, 'memory')} in {policy.project}: --scope auto"


def _in_other_scopes(policy: "ScopePolicy", perform: Perform, option: str = "--all-scopes") -> Iterator[str]:
    found: Stats = perform("stats", {"all_scopes": True})
    others = {scope: number for scope, number in found.tally.by_scope.items() if scope != policy.default_scope}
    if others:
        scopes = count(len(others), "other scope")
        yield f"{count(sum(others.values()), 'memory')} in {scopes}: {option}"


def _to_review_elsewhere(here: "ReviewPage", perform: Perform) -> Iterator[str]:
    everywhere: ReviewPage = perform("review", {"all_scopes": True, "limit": 1})
    waiting = everywhere.untrusted + everywhere.quarantined - here.untrusted - here.quarantined
    if waiting > 0:
        yield f"{waiting:,} to review in other scopes: --all-scopes"
