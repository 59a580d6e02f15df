"""What every store of users and tokens does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.adapters.inmemory.access import InMemoryAccess
from satchel.domain.access import Role, User, token_digest
from satchel.domain.access_list import NOBODY, AccessList, add_user, remove_user, revoke_token
from satchel.errors import Conflict
from satchel.interfaces.tokens import issue_token
from satchel.ports import AccessStore

STORES: dict[str, Callable[[Path], AccessStore]] = {"file": AccessFile, "memory": lambda home: InMemoryAccess()}


@pytest.fixture(params=STORES)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> AccessStore:
    """An empty store of users and tokens, of each kind."""
    return STORES[request.param](tmp_path)


def test_a_new_store_has_nobody(kept: AccessStore) -> None:
    assert kept.read() == NOBODY
    assert kept.find(token_digest("satchel_x")) is None


def test_users_and_tokens_are_kept_whole_and_in_order(kept: AccessStore) -> None:
    users = [User("ben", Role.OPERATOR, 2), User("anna", Role.WRITE, 1, ("project/shop", "global"))]
    for user in users:
        kept.change(lambda access, user=user: add_user(access, user))  # type: ignore[misc]
    token, secret = issue_token(
        kept, "laptop", 3, user="anna", scopes=("global",), read_only=True, expires_at=9, role=Role.READ
    )

    assert kept.read() == AccessList((users[1], users[0]), (token,))
    assert kept.find(token_digest(secret)) == (token, users[1])


def test_a_token_is_found_by_its_whole_secret_alone(kept: AccessStore) -> None:
    token, secret = issue_token(kept, "ci", 0)

    assert kept.find(token_digest(secret)) == (token, None)
    for wrong in (f"{secret}x", secret[:-1], secret.upper(), ""):
        assert kept.find(token_digest(wrong)) is None


def test_a_failed_change_changes_nothing(kept: AccessStore) -> None:
    issue_token(kept, "ci", 0)
    before = kept.read()

    with pytest.raises(Conflict):
        issue_token(kept, "ci", 0)
    assert kept.read() == before


def test_removing_a_user_removes_its_tokens_and_no_others(kept: AccessStore) -> None:
    kept.change(lambda access: add_user(access, User("anna", Role.WRITE, 0)))
    kept.change(lambda access: add_user(access, User("ann", Role.WRITE, 0)))
    secrets = {user: issue_token(kept, f"of-{user}", 0, user=user)[1] for user in ("anna", "ann", "")}
    kept.change(lambda access: remove_user(access, "anna"))

    found = {user: kept.find(token_digest(secret)) for user, secret in secrets.items()}
    assert [user for user, one in found.items() if one is None] == ["anna"]
    kept.change(lambda access: revoke_token(access, "of-ann"))
    assert [one.name for one in kept.read().tokens] == ["of-"]
