"""What a routing rule is: its signals, and the chain of backends that it sends a query down."""

from msgspec import Struct

from satchel.domain.routing import BACKENDS, MODES, ChainStep
from satchel.errors import InvalidRequest
from satchel.routing.signals import NAMES, RoutingSignal


class RoutingRule(Struct, frozen=True):
    """One rule: its signals, and its chain of backends."""

    number: int
    id: str
    why: str
    chain: tuple[ChainStep, ...]
    signals: tuple[RoutingSignal, ...] = ()
    identifiers: bool = False
    """Whether an identifier selects it, if no phrase selects another rule."""
    paths: bool = False
    """Whether a path, glob or file name selects it."""
    weak: tuple[RoutingSignal, ...] = ()
    """Signals that select it if nothing else does."""
    weak_chain: tuple[ChainStep, ...] = ()


class RuleTable(Struct, frozen=True):
    """Rules in the order tried; the last is the default."""

    rules: tuple[RoutingRule, ...]
    names: frozenset[str] = NAMES
    strict_first_match: bool = False
    """Whether identifiers count at the position of their rule, before phrases of later rules."""

    @property
    def default(self) -> RoutingRule:
        """The rule for queries that no other rule matches."""
        return self.rules[-1]

    def rule(self, id: str) -> RoutingRule | None:
        """Return the rule with an id."""
        return next((one for one in self.rules if one.id == id), None)


def step(text: str) -> ChainStep:
    """Parse a step: a backend, with a mode after a colon if it has modes."""
    backend, colon, mode = text.partition(":")
    if backend not in BACKENDS or (colon and (backend != "qmd" or mode not in MODES)):
        raise InvalidRequest(
            f"unknown backend {text[:40]!r}", code="unknown_word", hint="qmd:search, qmd:vsearch, qmd:query, totalrecall, cognee or lossless"
        )  # fmt: skip
    return ChainStep(backend, mode or ("query" if backend == "qmd" else None))


def chain(text: str) -> tuple[ChainStep, ...]:
    """Parse a chain of steps."""
    return tuple(step(one) for one in text.split())
