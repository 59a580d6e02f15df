"""Choose the routing rule for a query."""

from collections.abc import Iterator

from satchel.domain.routing import QueryRoute, RouteStage
from satchel.errors import InvalidRequest
from satchel.routing.rule_table import RoutingRule, RuleTable, step
from satchel.routing.rules import STANDARD
from satchel.routing.signals import identifiers, matches, paths, plain

_DECIDING = frozenset({"decide", "decision", "chose", "why did we", "决定", "为什么选", "我们为什么"})


def classify(query: str, table: RuleTable | None = None, hint: str | None = None) -> QueryRoute:
    """Choose the rule for a query: phrases first, in rule order; then identifiers, then weak signals."""
    table = table or STANDARD
    if hint is not None:
        return classify_with_hint(query, table, hint)
    text = plain(query)
    return next(_decisions(text, table), _route(table.default, RouteStage.DEFAULT, ()))


def classify_with_hint(query: str, table: RuleTable, hint: str) -> QueryRoute:
    """Apply a caller's hint: a rule replaces the chosen one, a backend goes first."""
    if rule := table.rule(hint):
        return _route(rule, RouteStage.HINT, (f"hint:{hint}",))
    try:
        first = step(hint)
    except InvalidRequest:
        raise InvalidRequest(
            f"unknown hint {hint[:40]!r}",
            code="unknown_word",
            hint=f"a rule ({', '.join(one.id for one in table.rules)}) or a backend such as qmd:search",
        ) from None
    found = classify(query, table)
    rest = tuple(one for one in found.chain if one != first)
    return QueryRoute(found.number, found.rule, RouteStage.HINT, (f"hint:{hint}", *found.signals), (first, *rest))


def asks_for_decision(query: str) -> bool:
    """Return whether a query asks what was decided or why, and not only for what was said in some session."""
    rule = STANDARD.rule("decision_recall")
    text = plain(query)
    return rule is not None and any(matches(one, text) for one in rule.signals if one.name in _DECIDING)


def may_ask_for_decision(query: str) -> bool:
    """Return whether a query asks for a decision, or only why something is so, which may have been decided."""
    rule = STANDARD.rule("decision_recall")
    text = plain(query)
    return asks_for_decision(query) or (rule is not None and any(matches(one, text) for one in rule.weak))


def _decisions(text: str, table: RuleTable) -> Iterator[QueryRoute]:
    named = identifiers(text, table.names)
    marks = tuple(f"identifier:{one}" for one in named)
    for rule in table.rules:
        signals = (one for one in rule.signals if one.names <= len(named) and matches(one, text))
        found = (*(one.name for one in signals), *_paths(rule, text))
        if found:
            yield _route(rule, RouteStage.KEYWORD, (*found, *(marks if rule.identifiers else ())))
        elif table.strict_first_match and rule.identifiers and named:
            yield _route(rule, RouteStage.IDENTIFIER, marks)
    for rule in table.rules:
        if rule.identifiers and named:
            yield _route(rule, RouteStage.IDENTIFIER, marks)
    for rule in table.rules:
        if weak := tuple(one.name for one in rule.weak if matches(one, text)):
            yield QueryRoute(rule.number, rule.id, RouteStage.WEAK, weak, rule.weak_chain or rule.chain)


def _paths(rule: RoutingRule, text: str) -> tuple[str, ...]:
    return tuple(f"path:{one}" for one in paths(text)) if rule.paths else ()


def _route(rule: RoutingRule, stage: RouteStage, signals: tuple[str, ...]) -> QueryRoute:
    return QueryRoute(rule.number, rule.id, stage, signals, rule.chain)
