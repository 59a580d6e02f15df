"""Scopes: validate names, resolve the scope of a request, and define which scopes it may see."""

import re
from enum import StrEnum

from msgspec import Struct

from satchel.domain.authored import tagged_scope
from satchel.domain.policies import ScopePolicy, Validation
from satchel.domain.scope_name import strict_name
from satchel.errors import InvalidRequest

_INVALID_CHARS = re.compile(r"[^a-z0-9._:/-]+")
_SEPARATORS = "._:/-"
STANDARD = ScopePolicy()


class ScopeMode(StrEnum):
    """How the scope was chosen: by the request, by a tag in its text, or by default."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"
    GLOBAL = "global"


class Placement(Struct, frozen=True):
    """The resolved scope of a request, and how it was chosen."""

    scope: str
    mode: ScopeMode
    invalid: bool = False
    """Whether the given scope was invalid and replaced by the default."""
    normalized: bool = False
    """Whether the given scope was rewritten."""


def resolve_scope(explicit: str | None, text: str, policy: ScopePolicy = STANDARD) -> Placement:
    """Return the scope of a request: the explicit one, else one tagged in its text, else the default."""
    tagged = tagged_scope(text) if explicit is None and policy.enabled else None
    given = explicit if explicit is not None else tagged
    if given is None:
        return Placement(policy.default_scope, ScopeMode.GLOBAL)
    mode = ScopeMode.EXPLICIT if explicit is not None else ScopeMode.INFERRED
    name = parse_scope(given, policy)
    if name is None:
        return Placement(policy.default_scope, mode, invalid=True)
    return Placement(name, mode, normalized=name != given)


def check_scope(text: str, policy: ScopePolicy = STANDARD) -> str:
    """Return a valid scope name, or raise InvalidRequest with a suggestion."""
    name = parse_scope(text, policy)
    if name is None:
        form = f"up to {policy.max_scope_length} of a-z 0-9 . _ : / -, beginning with a letter or digit"
        close = _normalized(str(text), policy)
        raise InvalidRequest(
            f"scope {str(text)[:80]!r} is not valid: use {form}",
            code="invalid_scope",
            hint=f"did you mean {close}?" if strict_name(close) else "such as project/shop",
        )
    return name


def parse_scope(text: str, policy: ScopePolicy = STANDARD) -> str | None:
    """Return a valid scope name, or None."""
    if not isinstance(text, str):
        return None
    if policy.validation_mode == Validation.NONE:
        # A lone * would look like all scopes.
        fits = text.isprintable() and text.strip() not in ("", "*") and len(text) <= policy.max_scope_length
        return text if fits else None
    if policy.validation_mode == Validation.NORMALIZE:
        text = _normalized(text, policy)
    return strict_name(text, policy.max_scope_length)


def _normalized(text: str, policy: ScopePolicy) -> str:
    return _INVALID_CHARS.sub("-", text.lower()).strip(_SEPARATORS)[: policy.max_scope_length].rstrip(_SEPARATORS)


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


def resolve_reach(scope: str | None, policy: ScopePolicy = STANDARD, *, everywhere: bool = False) -> Reach:
    """Return the scopes a request may see: the named one, else the default one; all only with `everywhere`."""
    if everywhere and scope is not None:
        raise InvalidRequest("a scope and all scopes were asked for at once", hint="give --scope or --all-scopes")
    if everywhere:
        return EVERYWHERE
    return Reach((policy.default_scope if scope is None else check_scope(scope, policy),))
