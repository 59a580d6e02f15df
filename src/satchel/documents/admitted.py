"""Determine which collections a request may search, by scope."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.document import Collection
from satchel.domain.policies.documents import DocumentsPolicy, ScopeMapping
from satchel.domain.scope import Reach

_SEPARATORS = ("/", ":", ".", "_", "-")


class Admitted(Struct, frozen=True):
    """The collections a request may search, and the folder it is limited to."""

    collections: tuple[Collection, ...]
    reach: Reach
    below: str = ""
    """The only visible folder within the collections of the default scope, if limited."""

    @property
    def names(self) -> tuple[str, ...]:
        """Distinct names of the collections."""
        return tuple(dict.fromkeys(one.name for one in self.collections))


def admitted(
    collections: Sequence[Collection],
    reach: Reach,
    default_scope: str,
    policy: DocumentsPolicy,
    name: str | None = None,
) -> Admitted:
    """Return the collections of a reach, and those of the default scope that its scope maps to by the policy.

    A collection stored in another scope is visible there only.
    """
    own = [one for one in collections if reach.admits(one.scope)]
    if reach.everywhere or default_scope in reach.scopes:
        return Admitted(_named(own, name), reach)
    common = [one for one in collections if one.scope == default_scope]
    scope, below = reach.scopes[0], ""
    match policy.scope_mapping_strategy:
        case ScopeMapping.REPO_PREFIX:
            more = [one for one in common if _is_repo_of(one.name, scope)]
        case ScopeMapping.MAP:
            repos = {repo.strip() for key, _, repo in _entries(policy) if key.strip() == scope}
            more = [one for one in common if one.name in repos]
        case ScopeMapping.PATH_PREFIX:
            more, below = common, scope.partition(":")[2] or scope
        case _:
            more = []
    if not more:
        return Admitted(_named(own, name), reach)
    return Admitted(_named([*own, *more], name), Reach((*reach.scopes, default_scope)), below)


def _named(collections: Sequence[Collection], name: str | None) -> tuple[Collection, ...]:
    return tuple(one for one in collections if name is None or one.name == name)


def _is_repo_of(name: str, scope: str) -> bool:
    """Return whether a scope names a repo: its full name, its last part, or a prefix of the repo's name."""
    repo = name.lower()
    last = scope.replace(":", "/").rpartition("/")[2]
    return any(repo == word or repo.startswith(tuple(word + sign for sign in _SEPARATORS)) for word in {scope, last})


def _entries(policy: DocumentsPolicy) -> list[tuple[str, str, str]]:
    return [entry.partition("=") for entry in policy.scope_map]
