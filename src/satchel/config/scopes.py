"""Validate the scopes that settings name."""

from msgspec.structs import replace

from satchel.domain.policies import ScopePolicy, Validation
from satchel.domain.scope import check_scope
from satchel.errors import InvalidRequest

GROUP = "scope_policy"
SCOPE_SETTINGS = ("default_scope", "fallback_scopes")


def scopes_problem(policy: ScopePolicy, name: str) -> InvalidRequest | None:
    """Return the first problem with the scopes that one setting of the policy names."""
    value = getattr(policy, name)
    problems = (_scope_problem(scope, policy) for scope in ((value,) if isinstance(value, str) else value))
    return next((error for error in problems if error), None)


def _scope_problem(scope: str, policy: ScopePolicy) -> InvalidRequest | None:
    """Return what is wrong with a scope name. Settings are never normalized: the name itself must be valid."""
    strict = replace(policy, validation_mode=Validation.STRICT)
    try:
        check_scope(scope, policy if policy.validation_mode == Validation.NONE else strict)
    except InvalidRequest as error:
        return error
    return None


def invalid_scope(name: str, error: InvalidRequest, where: str) -> InvalidRequest:
    """Return the error for a setting with an invalid scope name."""
    return InvalidRequest(f"{where}: {GROUP}.{name}: {error.message}", code="invalid_setting", hint=error.hint)
