"""The namespace a record belongs to, and the one way to say which scopes a request may see."""

from dataclasses import dataclass

from satchel.domain.scope_name import DEFAULT_SCOPE as DEFAULT_SCOPE
from satchel.domain.scope_name import MAX_SCOPE_CHARS as MAX_SCOPE_CHARS
from satchel.domain.scope_name import scope_name as scope_name
from satchel.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Reach:
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


def reach(scope: str | None, *, default: str, everywhere: bool = False) -> Reach:
    """Decide what a request may see: the scope it names, else the default one; all only when said so."""
    if everywhere and scope is not None:
        raise InvalidRequest("a scope and all scopes were asked for at once", hint="give --scope or --all-scopes")
    return EVERYWHERE if everywhere else Reach((scope_name(default if scope is None else scope),))
