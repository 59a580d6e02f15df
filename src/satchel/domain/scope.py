"""The namespace a record belongs to: its form, which one a request means, and the one way to say what it may see."""

import re
from enum import StrEnum

from msgspec import Struct

from satchel.domain.policies import ScopePolicy, Validation
from satchel.domain.scope_name import strict_name
from satchel.domain.scope_tags import tagged_scope
from satchel.errors import InvalidRequest

_FOREIGN = re.compile(r"[^a-z0-9._:/-]+")
_SEPARATORS = "._:/-"
STANDARD = ScopePolicy()


class ScopeMode(StrEnum):
    """How a request came by its scope: it named it, a tag in its text did, or it is the default one."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"
    GLOBAL = "global"


class Placement(Struct, frozen=True):
    """The scope a request works in, and how it came by it."""

    scope: str
    mode: ScopeMode
    invalid: bool = False
    """Whether a scope was given that cannot be one, so that the default took its place."""
    normalized: bool = False
    """Whether the scope that was given was rewritten."""


def placed(explicit: str | None, text: str, policy: ScopePolicy = STANDARD) -> Placement:
    """Decide which scope a request means: the one it names, else one tagged in its text, else the default."""
    tagged = tagged_scope(text) if explicit is None and policy.enabled else None
    given = explicit if explicit is not None else tagged
    if given is None:
        return Placement(policy.default_scope, ScopeMode.GLOBAL)
    mode = ScopeMode.EXPLICIT if explicit is not None else ScopeMode.INFERRED
    name = named(given, policy)
    if name is None:
        return Placement(policy.default_scope, mode, invalid=True)
    return Placement(name, mode, normalized=name != given)


def scope_name(text: str, policy: ScopePolicy = STANDARD) -> str:
    """Return a valid scope name, or raise InvalidRequest with a suggestion."""
    name = named(text, policy)
    if name is None:
        form = f"up to {policy.max_scope_length} of a-z 0-9 . _ : / -, beginning with a letter or digit"
        close = _normalized(str(text), policy)
        raise InvalidRequest(
            f"scope {str(text)[:80]!r} is not valid: use {form}",
            code="invalid_scope",
            hint=f"did you mean {close}?" if strict_name(close) else "such as project/shop",
        )
    return name


def named(text: str, policy: ScopePolicy = STANDARD) -> str | None:
    """Return the scope of a name, or None where no scope can have it."""
    if not isinstance(text, str):
        return None
    if policy.validation_mode == Validation.NONE:
        # A star alone would read like every scope at once.
        fits = text.isprintable() and text.strip() not in ("", "*") and len(text) <= policy.max_scope_length
        return text if fits else None
    if policy.validation_mode == Validation.NORMALIZE:
        text = _normalized(text, policy)
    return strict_name(text, policy.max_scope_length)


def _normalized(text: str, policy: ScopePolicy) -> str:
    return _FOREIGN.sub("-", text.lower()).strip(_SEPARATORS)[: policy.max_scope_length].rstrip(_SEPARATORS)


class Reach(Struct, frozen=True):
    """The scopes a request may see. There is no empty reach and no accidental "all"."""

    scopes: tuple[str, ...]
    everywhere: bool = False

    def __post_init__(self) -> None:
        if bool(self.scopes) == self.everywhere:
            raise ValueError("a reach names its scopes, or is everywhere by an explicit act")

    def admits(self, scope: str) -> bool:
        """Say whether a record of this scope may be seen."""
        return self.everywhere or scope in self.scopes

    @property
    def name(self) -> str:
        """The reach as a receipt writes it: its scopes, or * for all of them."""
        return "*" if self.everywhere else " ".join(self.scopes)

    def __str__(self) -> str:
        return "every scope" if self.everywhere else ", ".join(f"'{scope}'" for scope in self.scopes)


EVERYWHERE = Reach((), everywhere=True)


def reach(scope: str | None, policy: ScopePolicy = STANDARD, *, everywhere: bool = False) -> Reach:
    """Decide what a request may see: the scope it names, else the default one; all only when said so."""
    if everywhere and scope is not None:
        raise InvalidRequest("a scope and all scopes were asked for at once", hint="give --scope or --all-scopes")
    if everywhere:
        return EVERYWHERE
    return Reach((policy.default_scope if scope is None else scope_name(scope, policy),))
