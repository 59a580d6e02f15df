"""Views of the users of the server."""

from satchel.interfaces.cli.views.lines import Lines, Views
from satchel.interfaces.users import AddedUser, ChangedUser, RemovedUser, UserEntry, UserList


def _added(result: AddedUser) -> Lines:
    yield f"added user {_described(result.entry)}", "green"
    yield f"its tokens: satchel token create NAME --user {result.entry.name}", "dim"


def _listed(result: UserList) -> Lines:
    for one in result.users:
        tokens = f"  tokens: {', '.join(one.tokens)}" if one.tokens else ""
        yield _described(one) + (tokens if one.created_at is not None else "  on this machine, without a token"), ""


def _changed(result: ChangedUser) -> Lines:
    yield f"changed user {_described(result.entry)}", "green"


def _removed(result: RemovedUser) -> Lines:
    revoked = f"; revoked {', '.join(result.entry.tokens)}" if result.entry.tokens else ""
    yield f"removed user {result.entry.name}{revoked}", "green"


def _described(entry: UserEntry) -> str:
    return f"{entry.name}: {entry.role}, {', '.join(entry.scopes) or 'every scope'}"


VIEWS: Views = {"user add": _added, "user list": _listed, "user change": _changed, "user remove": _removed}
