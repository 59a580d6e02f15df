"""Parse `router-config.json`, which overrides the standard routing rules.

    {"rules": [{"id": "relationship", "chain": ["cognee", "qmd:query"], "add_signals": [{"name": "wired", "pattern": "\\\\bwired to\\\\b"}]}],
     "names": ["AcmeCloud"], "strict_first_match": false,
     "threshold": 0.4, "timeout_ms": 5000, "limit": 20, "strategy": "sequential", "tiers": {"starter": ["qmd", "totalrecall"]}}

Every field is optional; a rule is selected by its id and keeps everything not mentioned.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.routing import BACKENDS, Step, Strategy
from satchel.errors import InvalidRequest
from satchel.routing.rules import STANDARD, RoutingRule, RuleTable, step
from satchel.routing.signals import RoutingSignal

T = TypeVar("T")

NAME = "router-config.json"
TIERS: Mapping[str, tuple[str, ...]] = {"starter": ("qmd", "totalrecall"), "pro": BACKENDS}
_FIELDS = frozenset(
    ("version", "rules", "names", "strict_first_match", "threshold", "timeout_ms", "limit", "strategy", "tiers")
)
_RULE_FIELDS = frozenset(("id", "chain", "signals", "add_signals", "weak_chain"))


class Rulebook(Struct, frozen=True):
    """Routing rules, limits and tiers."""

    table: RuleTable = STANDARD
    threshold: float = 0.4
    timeout_ms: int = 5_000
    limit: int = 20
    strategy: Strategy = Strategy.SEQUENTIAL
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict(TIERS))


def parse_rulebook(said: object, standard: Rulebook) -> Rulebook:
    """Parse a configuration file, or raise InvalidRequest naming the invalid part."""
    fields = _object(said, "the file", _FIELDS)
    table = standard.table
    names = _strings(fields.get("names", []), "names")
    return replace(
        standard,
        table=RuleTable(
            rules=_rules(fields.get("rules", []), table),
            names=table.names | {name.lower() for name in names},
            strict_first_match=_typed(
                fields.get("strict_first_match", table.strict_first_match), bool, "strict_first_match"
            ),
        ),
        threshold=_number(fields.get("threshold", standard.threshold), "threshold", 0, 1),
        timeout_ms=int(_number(fields.get("timeout_ms", standard.timeout_ms), "timeout_ms", 1, 60_000)),
        limit=int(_number(fields.get("limit", standard.limit), "limit", 1, 50)),
        strategy=_strategy(fields.get("strategy", standard.strategy)),
        tiers={**standard.tiers, **_tiers(fields.get("tiers", {}))},
    )


def _rules(said: object, table: RuleTable) -> tuple[RoutingRule, ...]:
    changed = {rule.id: rule for rule in table.rules}
    for one in _list(said, "rules"):
        fields = _object(one, "rules", _RULE_FIELDS)
        id = _typed(fields.get("id"), str, "rules.id")
        if id not in changed:
            raise _wrong(f"rules: unknown rule {id[:40]!r}", f"one of: {', '.join(changed)}")
        changed[id] = _rule(changed[id], fields)
    return tuple(changed.values())


def _rule(rule: RoutingRule, fields: Mapping[str, Any]) -> RoutingRule:
    name = f"rules.{rule.id}"
    return replace(
        rule,
        chain=_chain(fields, "chain", rule.chain, name),
        weak_chain=_chain(fields, "weak_chain", rule.weak_chain, name),
        signals=(
            *(_signals(fields["signals"], name) if "signals" in fields else rule.signals),
            *_signals(fields.get("add_signals", []), name),
        ),
    )


def _chain(fields: Mapping[str, Any], field: str, standing: tuple[Step, ...], name: str) -> tuple[Step, ...]:
    if field not in fields:
        return standing
    steps = tuple(step(one) for one in _strings(fields[field], f"{name}.{field}"))
    if not steps:
        raise _wrong(f"{name}.{field} is empty", "name at least one backend")
    return steps


def _signals(said: object, name: str) -> tuple[RoutingSignal, ...]:
    return tuple(
        _signal(_object(one, f"{name}.signals", frozenset(("name", "pattern", "unless"))), name)
        for one in _list(said, name)
    )


def _signal(fields: Mapping[str, Any], name: str) -> RoutingSignal:
    pattern = _typed(fields.get("pattern"), str, f"{name}.pattern")
    unless = _typed(fields.get("unless", ""), str, f"{name}.unless")
    for expression in (pattern, unless):
        try:
            re.compile(expression)
        except (re.error, RecursionError, OverflowError) as error:
            raise _wrong(f"{name}: {expression[:40]!r} is not a regular expression", str(error)) from None
    if re.search(pattern, "") is not None:
        raise _wrong(f"{name}: {pattern[:40]!r} matches every query", "make it match at least a word")
    return RoutingSignal(_typed(fields.get("name", pattern), str, f"{name}.name"), pattern, unless)


def _tiers(said: object) -> dict[str, tuple[str, ...]]:
    tiers = {name: _strings(members, f"tiers.{name}") for name, members in _object(said, "tiers", None).items()}
    for name, members in tiers.items():
        if unknown := [one for one in members if one not in BACKENDS]:
            raise _wrong(f"tiers.{name}: unknown backend {unknown[0][:40]!r}", f"one of: {', '.join(BACKENDS)}")
    return tiers


def _strategy(said: object) -> Strategy:
    try:
        return Strategy(str(said))
    except ValueError:
        raise _wrong(f"strategy cannot be {str(said)[:40]!r}", f"one of: {', '.join(Strategy)}") from None


def _number(said: object, name: str, least: float, most: float) -> float:
    if not isinstance(said, (int, float)) or isinstance(said, bool) or not least <= said <= most:
        raise _wrong(f"{name} must be a number from {least} to {most}", "")
    return said


def _strings(said: object, name: str) -> tuple[str, ...]:
    return tuple(_each(said, name, lambda one: _typed(one, str, name)))


def _each(said: object, name: str, read: Callable[[object], T]) -> Sequence[T]:
    return [read(one) for one in _list(said, name)]


def _list(said: object, name: str) -> list[Any]:
    return _typed(said, list, name)


def _object(said: object, name: str, known: frozenset[str] | None) -> Mapping[str, Any]:
    fields: dict[str, Any] = _typed(said, dict, name)
    unknown = sorted(set(fields) - known) if known is not None else []
    if unknown:
        raise _wrong(f"{name}: unknown field {unknown[0][:40]!r}", f"known fields: {', '.join(sorted(known or ()))}")
    return fields


def _typed(said: object, kind: type[T], name: str) -> T:
    if not isinstance(said, kind):
        raise _wrong(f"{name} must be a {_KINDS[kind]}", "")
    return said


_KINDS: dict[type, str] = {str: "text", list: "list", dict: "JSON object", bool: "true or false"}


def _wrong(message: str, hint: str) -> InvalidRequest:
    return InvalidRequest(f"{NAME}: {message}", code="invalid_router_config", hint=hint)
