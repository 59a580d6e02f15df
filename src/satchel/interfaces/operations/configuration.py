"""The settings: shown, explained, changed. None of it needs a store, or makes one."""

import time
from collections.abc import Sequence
from typing import Any

from satchel.config import Survey, configure
from satchel.config.answers import Configuration, Configured, Explained
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import SatchelError
from satchel.interfaces.operations.operation import Operation, Parameter, flag
from satchel.interfaces.operations.session import Session

_KEY = Parameter("key", "the setting, such as recall.limit or budget.maxChars", required=True, positional=True)


def _show(session: Session, changed: bool) -> Ok[Configuration]:
    shown = configure.show(session.survey, changed)
    return _ok("config show", shown, {"changed": changed}, {"returned": len(shown.settings)})


def _explain(session: Session, key: str | None) -> Ok[Explained]:
    explained = configure.explain(session.survey, key)
    return _ok("config explain", explained, {"key": key}, {"returned": len(explained.settings)})


def _set(session: Session, key: str, value: str) -> Ok[Configured]:
    done = configure.put(session.survey, key, value)
    return _ok("config set", done, {"key": done.key}, _facts(done), _left_over(session.survey))


def _unset(session: Session, key: str) -> Ok[Configured]:
    done = configure.unset(session.survey, key)
    return _ok("config unset", done, {"key": done.key}, _facts(done), _left_over(session.survey))


def _left_over(survey: Survey) -> Sequence[SatchelError]:
    """Return what is still wrong, now that one thing was changed."""
    return survey.anew().problems


def _facts(done: Configured) -> dict[str, Json]:
    return {"action": done.action, "source": done.source, "overridden_by": done.overridden_by or None}


def _ok(
    operation: str, result: Any, asked: dict[str, Json], decided: dict[str, Json], wrong: Sequence[SatchelError] = ()
) -> Ok[Any]:
    warnings = tuple(configure.said(one) for one in wrong)
    return Ok(result, Receipt(operation, asked, {}, decided, warnings, at=time.time_ns() // 1_000_000))


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "config show",
        "show every setting, and where its value came from",
        lambda session, given: _show(session, **given),
        result=Configuration,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(flag("changed", "only those that are not left at their default"),),
        details="A flag wins over the environment, that over the file config.toml in the store's folder, that over the default.",
    ),
    Operation(
        "config explain",
        "explain one setting, those of a group, or all",
        lambda session, given: _explain(session, **given),
        result=Explained,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(Parameter("key", "a setting or a group; all of them if left out", positional=True),),
        examples=("satchel config explain recall", "satchel config explain scopePolicy.fallbackScopes"),
    ),
    Operation(
        "config set",
        "set a value in the file config.toml of the store's folder",
        lambda session, given: _set(session, **given),
        result=Configured,
        writes=True,
        operator_only=True,
        terminal_only=True,
        idempotent=True,
        parameters=(
            _KEY,
            Parameter(
                "value",
                "its value; entries of a list are separated by commas",
                required=True,
                positional=True,
                from_stdin=True,
            ),
        ),
        details="What else is in the file stays as it is, comments included. OpenClaw's names are understood too.",
        examples=(
            "satchel config set recall.limit 8",
            "satchel config set scope_policy.fallback_scopes team/shared,global",
            "cat key.txt | satchel config set embedding.api_key -",
        ),
    ),
    Operation(
        "config unset",
        "remove a value, or a group, from that file",
        lambda session, given: _unset(session, **given),
        result=Configured,
        writes=True,
        operator_only=True,
        terminal_only=True,
        idempotent=True,
        parameters=(_KEY,),
        details="The default holds again, or what the environment says.",
    ),
)
