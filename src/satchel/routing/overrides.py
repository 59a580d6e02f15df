"""Parse `router-config.json`, which overrides the standard routing rules.

    {"rules": [{"id": "relationship", "chain": ["cognee", "qmd:query"], "add_signals": [{"name": "wired", "pattern": "\\\\bwired to\\\\b"}]}],
     "names": ["AcmeCloud"], "strict_first_match": false,
     "threshold": 0.4, "timeout_ms": 5000, "limit": 20, "strategy": "sequential", "tiers": {"starter": ["qmd", "totalrecall"]}}

Every field is optional; a rule is selected by its id and keeps everything not mentioned.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError, convert, field
from msgspec.structs import replace

from satchel.domain.routing import BACKENDS, ChainStep, RouteStrategy
from satchel.errors import InvalidRequest
from satchel.routing.rule_table import RoutingRule, RuleTable, step
from satchel.routing.rules import STANDARD
from satchel.routing.signals import RoutingSignal

NAME = "router-config.json"
TIERS: Mapping[str, tuple[str, ...]] = {"starter": ("qmd", "totalrecall"), "pro": BACKENDS}


class Rulebook(Struct, frozen=True):
    """Routing rules, limits and tiers."""

    table: RuleTable = STANDARD
    threshold: float = 0.4
    timeout_ms: int = 5_000
    limit: int = 20
    strategy: RouteStrategy = RouteStrategy.SEQUENTIAL
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict(TIERS))


class _Signal(Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    name: str = ""
    unless: str = ""


class _Rule(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    chain: tuple[str, ...] | UnsetType = UNSET
    weak_chain: tuple[str, ...] | UnsetType = UNSET
    signals: tuple[_Signal, ...] | UnsetType = UNSET
    add_signals: tuple[_Signal, ...] = ()


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    version: Any = None
    rules: tuple[_Rule, ...] = ()
    names: tuple[str, ...] = ()
    strict_first_match: bool | UnsetType = UNSET
    threshold: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    timeout_ms: Annotated[float, Meta(ge=1, le=60_000)] | UnsetType = UNSET
    limit: Annotated[float, Meta(ge=1, le=50)] | UnsetType = UNSET
    strategy: RouteStrategy | UnsetType = UNSET
    tiers: dict[str, tuple[str, ...]] = {}


def parse_rulebook(said: object, standard: Rulebook) -> Rulebook:
    """Parse a configuration file, or raise InvalidRequest naming the invalid part."""
    try:
        file = convert(said, _File)
    except ValidationError as error:
        raise _wrong(str(error)) from None
    table = standard.table
    strict = table.strict_first_match if file.strict_first_match is UNSET else file.strict_first_match
    return replace(
        standard,
        table=RuleTable(_rules(file, table), table.names | {name.lower() for name in file.names}, strict),
        threshold=standard.threshold if file.threshold is UNSET else file.threshold,
        timeout_ms=standard.timeout_ms if file.timeout_ms is UNSET else int(file.timeout_ms),
        limit=standard.limit if file.limit is UNSET else int(file.limit),
        strategy=standard.strategy if file.strategy is UNSET else file.strategy,
        tiers={**standard.tiers, **_tiers(file)},
    )


def _rules(file: _File, table: RuleTable) -> tuple[RoutingRule, ...]:
    changed = {rule.id: rule for rule in table.rules}
    for one in file.rules:
        if one.id not in changed:
            raise _wrong(f"rules: unknown rule {one.id[:40]!r}", f"one of: {', '.join(changed)}")
        changed[one.id] = _changed(changed[one.id], one)
    return tuple(changed.values())


def _changed(rule: RoutingRule, change: _Rule) -> RoutingRule:
    name = f"rules.{rule.id}"
    signals = rule.signals if change.signals is UNSET else tuple(_signal(one, name) for one in change.signals)
    return replace(
        rule,
        chain=rule.chain if change.chain is UNSET else _chain(change.chain, f"{name}.chain"),
        weak_chain=rule.weak_chain if change.weak_chain is UNSET else _chain(change.weak_chain, f"{name}.weak_chain"),
        signals=(*signals, *(_signal(one, name) for one in change.add_signals)),
    )


def _chain(steps: tuple[str, ...], name: str) -> tuple[ChainStep, ...]:
    if not steps:
        raise _wrong(f"{name} is empty", "name at least one backend")
    return tuple(step(one) for one in steps)


def _signal(one: _Signal, name: str) -> RoutingSignal:
    for expression in (one.pattern, one.unless):
        try:
            re.compile(expression)
        except (re.error, RecursionError, OverflowError) as error:
            raise _wrong(f"{name}: {expression[:40]!r} is not a regular expression", str(error)) from None
    if re.search(one.pattern, "") is not None:
        raise _wrong(f"{name}: {one.pattern[:40]!r} matches every query", "make it match at least a word")
    return RoutingSignal(one.name or one.pattern, one.pattern, one.unless)


def _tiers(file: _File) -> dict[str, tuple[str, ...]]:
    for name, members in file.tiers.items():
        if unknown := [one for one in members if one not in BACKENDS]:
            raise _wrong(f"tiers.{name}: unknown backend {unknown[0][:40]!r}", f"one of: {', '.join(BACKENDS)}")
    return file.tiers


def _wrong(message: str, hint: str = "") -> InvalidRequest:
    return InvalidRequest(f"{NAME}: {message}", code="invalid_router_config", hint=hint)
