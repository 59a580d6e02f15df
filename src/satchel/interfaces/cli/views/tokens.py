"""Views of the tokens for programs."""

from satchel.interfaces.cli.views.lines import Lines, Views
from satchel.interfaces.local_time import local_day, local_time
from satchel.interfaces.tokens import CreatedToken, RevokedToken, TokenEntry, TokenList


def _created(result: CreatedToken) -> Lines:
    yield f"created token {result.entry.name}: {_limits(result.entry)}", "green"
    yield result.token, "bold"
    yield "it is not shown again; a program sends it as: Authorization: Bearer TOKEN", "dim"


def _listed(result: TokenList) -> Lines:
    for one in result.tokens:
        yield f"{one.name}  {_limits(one)}  created {local_day(one.created_at)}", "dim" if one.expired else ""
    if not result.tokens:
        yield "no tokens", "dim"


def _revoked(result: RevokedToken) -> Lines:
    yield f"revoked token {result.entry.name}", "green"


def _limits(entry: TokenEntry) -> str:
    everywhere = "every scope of the user" if entry.user else "every scope"
    owner = f"user {entry.user}, " if entry.user else ""
    limits = f"{owner}{', '.join(entry.scopes) or everywhere}"
    limits += f", {entry.role}" if entry.role else ""
    limits += ", read-only" if entry.read_only else ""
    if entry.expires_at is None:
        return limits
    return f"{limits}, {'expired' if entry.expired else 'expires'} {local_time(entry.expires_at)[:16]}"


VIEWS: Views = {"token create": _created, "token list": _listed, "token revoke": _revoked}
