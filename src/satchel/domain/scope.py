"""Scopes: validate names, resolve the scope of a request, and define which scopes it may see."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.authored import tagged_scope
from satchel.domain.policies import ScopePolicy, Validation
from satchel.domain.safety.compiled import compiled
from satchel.domain.scope_name import AUTO_SCOPE, DEFAULT_SCOPE, MAX_SCOPE_CHARS, strict_name
from satchel.errors import InvalidRequest, NotFound

_INVALID_CHARS = r"[^a-z0-9._:/-]+"
_SEPARATORS = "._:/-"
STANDARD = ScopePolicy()
# Maximum number of scopes that a name is compared with, and of those suggested for it.
MAX_COMPARED = 5_000
MAX_SUGGESTIONS = 3
# How many times the length of a name is read of a text that becomes one.
MAX_NORMALIZED = 8
MIN_LIKENESS = 0.8


class ScopeMode(StrEnum):
    """How the scope was chosen: by the request, by a tag in its text, by the project's folder, or by default."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"
    PROJECT = "project"
    GLOBAL = "global"


class Placement(Struct, frozen=True, gc=False):
    """The resolved scope of a request, and how it was chosen."""

    scope: str
    mode: ScopeMode
    invalid: bool = False
    """Whether the given scope was invalid and replaced by the default."""
    normalized: bool = False
    """Whether the given scope was rewritten."""


def resolve_scope(
    explicit: str | None, text: str, policy: ScopePolicy = STANDARD, *, strict: bool = False
) -> Placement:
    """Return the scope of a request: the explicit one, else one tagged in its text, else the default.

    An invalid name means the default scope; with `strict`, an invalid explicit one raises InvalidRequest.
    """
    tagged = tagged_scope(text) if explicit is None and policy.enabled else None
    given = explicit if explicit is not None else tagged
    if given == AUTO_SCOPE or (given is None and policy.follows_project):
        return (
            Placement(policy.project, ScopeMode.PROJECT)
            if policy.project
            else Placement(DEFAULT_SCOPE, ScopeMode.GLOBAL)
        )
    if given is None:
        return Placement(policy.default_scope, ScopeMode.GLOBAL)
    mode = ScopeMode.EXPLICIT if explicit is not None else ScopeMode.INFERRED
    name = check_scope(given, policy) if strict and explicit is not None else parse_scope(given, policy)
    if name is None:
        return Placement(policy.default_scope, mode, invalid=True)
    return Placement(name, mode, normalized=name != given)


def in_project(policy: ScopePolicy, project: str | None) -> ScopePolicy:
    """Return the policy for a caller in a project, which `auto` then names."""
    follows = policy.follows_project or policy.default_scope == AUTO_SCOPE
    default = (project or DEFAULT_SCOPE) if follows else policy.default_scope
    return replace(policy, project=project or "", follows_project=follows, default_scope=default)


def fallback_scopes(placement: Placement, policy: ScopePolicy) -> tuple[str, ...]:
    """Return the scopes to search after the requested one. A project chosen by `auto` falls back to global as well."""
    shared = (DEFAULT_SCOPE,) if placement.mode is ScopeMode.PROJECT else ()
    return tuple(scope for scope in dict.fromkeys((*policy.fallback_scopes, *shared)) if scope != placement.scope)


def check_scope(text: str, policy: ScopePolicy = STANDARD) -> str:
    """Return a valid scope name, or raise InvalidRequest with a suggestion."""
    name = parse_scope(text, policy)
    if name is None:
        form = f"up to {policy.max_scope_length} of a-z 0-9 . _ : / -, beginning with a letter or digit"
        close = _normalized(str(text), policy)
        known = similar_scopes(close, policy.existing_scopes())
        suggestions = [*known, *((close,) if strict_name(close) and close not in known else ())]
        raise InvalidRequest(
            f"scope {str(text)[:80]!r} is not valid: use {form}",
            code="invalid_scope",
            hint=f"did you mean {' or '.join(suggestions)}?" if suggestions else "such as project/shop",
        )
    return name


def similar_scopes(name: str, scopes: Sequence[str]) -> list[str]:
    """Return the scopes that a name could mean, nearest first: those with the same last part, and close spellings."""
    from difflib import get_close_matches  # slow to import, and rarely needed

    name, others = name.lower(), scopes[:MAX_COMPARED]
    if name in others:
        return [name]
    # Mostly the beginning is forgotten or wrong: shop for project/shop.
    last = name.rpartition("/")[2]
    same_end = [scope for scope in others if last and scope.rpartition("/")[2] == last]
    # A name many times as long as any scope is like none, and comparing it would take many times its memory.
    is_comparable = len(name) <= 4 * MAX_SCOPE_CHARS
    close = get_close_matches(name, others, n=MAX_SUGGESTIONS, cutoff=MIN_LIKENESS) if is_comparable else []
    return list(dict.fromkeys([*same_end, *close]))[:MAX_SUGGESTIONS]


def parse_scope(text: str, policy: ScopePolicy = STANDARD) -> str | None:
    """Return a valid scope name, or None."""
    if not isinstance(text, str):
        return None
    if text == AUTO_SCOPE:
        return policy.project or DEFAULT_SCOPE
    if policy.validation_mode == Validation.NONE:
        # A lone * would look like all scopes.
        fits = text.isprintable() and text.strip() not in ("", "*") and len(text) <= policy.max_scope_length
        return text if fits else None
    if policy.validation_mode == Validation.NORMALIZE:
        text = _normalized(text, policy)
    return strict_name(text, policy.max_scope_length)


def _normalized(text: str, policy: ScopePolicy) -> str:
    # Only the beginning can become the name, however long the text is.
    start = text[: MAX_NORMALIZED * policy.max_scope_length]
    return (
        compiled(_INVALID_CHARS)
        .sub("-", start.lower())
        .strip(_SEPARATORS)[: policy.max_scope_length]
        .rstrip(_SEPARATORS)
    )


class Reach(Struct, frozen=True):
    """The scopes a request may see: never empty, and all of them only if requested explicitly."""

    scopes: tuple[str, ...]
    everywhere: bool = False

    def __post_init__(self) -> None:
        if bool(self.scopes) == self.everywhere:
            raise ValueError("a reach either names its scopes or is explicitly everywhere")

    def admits(self, scope: str) -> bool:
        """Return whether a record of this scope may be seen."""
        return self.everywhere or scope in self.scopes

    @property
    def name(self) -> str:
        """The reach as recorded in receipts: its scopes, or * for all."""
        return "*" if self.everywhere else " ".join(self.scopes)

    def __str__(self) -> str:
        return "every scope" if self.everywhere else ", ".join(f"'{scope}'" for scope in self.scopes)


EVERYWHERE = Reach((), everywhere=True)


def not_within(record: str, reach: Reach) -> NotFound:
    """Return the error that says there is no such record within reach, and where else to look for it."""
    if reach.everywhere:
        return NotFound(f"no {record} in any scope", hint="check the id")
    return NotFound(f"no {record} in {reach}", hint="name its scope with --scope, or use --all-scopes")


def resolve_reach(scope: str | None, policy: ScopePolicy = STANDARD, *, everywhere: bool = False) -> Reach:
    """Return the scopes a request may see: the named one, else the default one; all only with `everywhere`."""
    if everywhere and scope is not None:
        raise InvalidRequest("a scope and all scopes cannot be combined", hint="give --scope or --all-scopes")
    if everywhere:
        return EVERYWHERE
    return Reach((policy.default_scope if scope is None else check_scope(scope, policy),))
