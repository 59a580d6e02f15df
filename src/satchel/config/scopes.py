"""The scopes that the settings name: each must be one."""

from msgspec.structs import replace

from satchel.domain.policies import ScopePolicy, Validation
from satchel.domain.scope import scope_name
from satchel.errors import InvalidRequest

GROUP = "scope_policy"
NAMING = ("default_scope", "fallback_scopes")


def unfit_scope(policy: ScopePolicy, name: str) -> InvalidRequest | None:
    """Return what is wrong with the scopes that one knob of the policy names, if anything is."""
    named = getattr(policy, name)
    faults = (fault(scope, policy) for scope in ((named,) if isinstance(named, str) else named))
    return next((error for error in faults if error), None)


def fault(scope: str, policy: ScopePolicy) -> InvalidRequest | None:
    """Return what is wrong with one scope, if anything is. A setting is not rewritten: it must have the form itself."""
    strict = replace(policy, validation_mode=Validation.STRICT)
    try:
        scope_name(scope, policy if policy.validation_mode == Validation.NONE else strict)
    except InvalidRequest as error:
        return error
    return None


def refusal(name: str, error: InvalidRequest, where: str) -> InvalidRequest:
    """Return the error for a setting that names what is no scope."""
    return InvalidRequest(f"{where}: {GROUP}.{name}: {error.message}", code="invalid_setting", hint=error.hint)
