"""The `config` commands, which need no store: show, explain and change the settings."""

import time
from typing import Annotated, Any

from satchel.config import configure
from satchel.config.answers import Configuration, ExplainedSettings, SettingChange
from satchel.core.operations import Param, operation
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import SatchelError
from satchel.interfaces.operations.session import Session
from satchel.locations import DATABASE_SCHEMES

_Key = Annotated[str, Param("the setting, such as recall.limit or budget.maxChars", positional=True)]


@operation(
    "config show",
    operator_only=True,
    terminal_only=True,
    examples=("satchel config show --changed", "satchel config show recall"),
)
def show(
    session: Session,
    key: Annotated[str | None, Param("a setting or a group; all of them if omitted", positional=True)] = None,
    changed: Annotated[bool, Param("only settings that differ from their default")] = False,
) -> Ok[Configuration]:
    """Show every setting, or those you name, and where each value comes from.

    A flag wins over the environment, the environment over config.toml in the store's folder, and that over the default.
    """
    shown = configure.show(session.sources, changed, key)
    return _ok("config show", shown, {"key": key, "changed": changed}, {"returned": len(shown.settings)})


@operation(
    "config explain",
    operator_only=True,
    terminal_only=True,
    examples=("satchel config explain recall", "satchel config explain scopePolicy.fallbackScopes"),
)
def explain(
    session: Session,
    key: Annotated[str | None, Param("a setting or a group; all of them if omitted", positional=True)] = None,
) -> Ok[ExplainedSettings]:
    """Explain one setting, the settings of a group, or all."""
    explained = configure.explain(session.sources, key)
    return _ok("config explain", explained, {"key": key}, {"returned": len(explained.settings)})


@operation(
    "config set",
    writes=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    examples=(
        "satchel config set recall.limit 8",
        "satchel config set scope_policy.fallback_scopes team/shared,global",
        "cat key.txt | satchel config set embedding.api_key -",
    ),
)
def set_value(
    session: Session,
    key: _Key,
    value: Annotated[str, Param("its value; separate the entries of a list by commas", positional=True, stdin=True)],
) -> Ok[SettingChange]:
    """Set a value in config.toml in the store's folder.

    The rest of the file stays as it is, comments included. OpenClaw's names are accepted too.
    """
    done = configure.set_value(session.sources, key, value)
    return _configured("config set", session, done, _address_problems(done, value))


@operation(
    "config unset",
    writes=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    examples=("satchel config unset recall.limit",),
)
def unset(session: Session, key: _Key) -> Ok[SettingChange]:
    """Remove a value, or a group, from config.toml.

    The default applies again, or the environment variable.
    """
    return _configured("config unset", session, configure.unset(session.sources, key))


def _address_problems(done: SettingChange, value: str) -> tuple[str, ...]:
    """Return why the store's new address cannot be used now, if it cannot."""
    if done.key != "ledger" or not value.startswith(DATABASE_SCHEMES):
        return ()
    from satchel.wiring.postgres import reach_problem  # few stores are in a database

    try:
        problem = reach_problem(value)
    except SatchelError as error:
        problem = configure.one_line(error)
    return (problem,) if problem else ()


def _configured(
    operation: str, session: Session, done: SettingChange, problems: tuple[str, ...] = ()
) -> Ok[SettingChange]:
    decided: dict[str, Json] = {
        "action": done.action,
        "source": done.source,
        "overridden_by": done.overridden_by or None,
    }
    # Settings that are still invalid after this change.
    warnings = tuple(configure.one_line(one) for one in session.sources.reload().problems)
    return _ok(operation, done, {"key": done.key}, decided, (*problems, *warnings))


def _ok(
    operation: str, result: Any, asked: dict[str, Json], decided: dict[str, Json], warnings: tuple[str, ...] = ()
) -> Ok[Any]:
    return Ok(result, Receipt(operation, asked, {}, decided, warnings, at=time.time_ns() // 1_000_000))
