"""Changes to the list of users and tokens: no token is wider than its user, and nobody is there twice."""

from collections.abc import Callable
from typing import Any

import pytest

from satchel.domain.access import AccessToken, Role, User
from satchel.domain.access_list import (
    LOCAL_OPERATOR,
    MAX_TOKENS,
    MAX_USERS,
    NOBODY,
    AccessList,
    add_token,
    add_user,
    change_user,
    remove_user,
    revoke_token,
)
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, SatchelError
from tests.tables import each_case

SHOP, BAKERY = "project/shop", "project/bakery"
ANNA = User("anna", Role.WRITE, 0, (SHOP,))
ONE = add_user(NOBODY, ANNA)


def token(name: str = "laptop", **limits: Any) -> AccessToken:
    """Return a token with these limits."""
    return AccessToken(name, "digest", 0, **limits)


def changes(*made: Callable[[], AccessList]) -> tuple[Callable[[], AccessList], ...]:
    """Return changes to make one after another."""
    return made


@each_case(
    "limits, kind, code",
    [
        ({"user": "anna", "scopes": (BAKERY,)}, Refused, "wider_token"),
        ({"user": "anna", "scopes": (SHOP, BAKERY)}, Refused, "wider_token"),
        ({"user": "anna", "role": Role.OPERATOR}, Refused, "wider_token"),
        ({"user": "ben"}, NotFound, "no_user"),
        ({"user": LOCAL_OPERATOR}, Refused, "local_operator"),
        ({"role": Role.OPERATOR}, InvalidRequest, "invalid_role"),
    ],
)
def test_a_token_that_would_allow_more_than_its_user_is_refused(
    limits: dict[str, Any], kind: type[SatchelError], code: str
) -> None:
    with pytest.raises(kind) as refused:
        add_token(ONE, token(**limits))
    assert refused.value.code == code


@each_case("limits", [{}, {"scopes": (SHOP,)}, {"role": Role.READ}, {"role": Role.WRITE}, {"read_only": True}])
def test_a_token_may_allow_as_much_or_less(limits: dict[str, Any]) -> None:
    made = token(user="anna", **limits)

    assert add_token(ONE, made).tokens == (made,)


def test_a_user_of_every_scope_may_have_a_token_for_one() -> None:
    access = add_user(NOBODY, User("boss", Role.OPERATOR, 0))

    assert add_token(access, token(user="boss", scopes=(SHOP,), role=Role.WRITE)).tokens


def test_names_are_unique_and_sorted() -> None:
    access = add_user(add_user(ONE, User("zoe", Role.READ, 0)), User("ben", Role.READ, 0))

    assert [one.name for one in access.users] == ["anna", "ben", "zoe"]
    with pytest.raises(Conflict):
        add_user(access, ANNA)
    with pytest.raises(Conflict):
        add_token(add_token(access, token()), token())


def test_a_change_touches_what_was_given_alone() -> None:
    promoted = change_user(ONE, "anna", role=Role.OPERATOR)

    assert promoted.users == (User("anna", Role.OPERATOR, 0, (SHOP,)),)
    assert change_user(promoted, "anna", scopes=()).users == (User("anna", Role.OPERATOR, 0),)


def test_the_local_operator_can_neither_be_added_changed_nor_removed() -> None:
    with pytest.raises(Conflict):
        add_user(NOBODY, User(LOCAL_OPERATOR, Role.READ, 0))
    for change in changes(
        lambda: change_user(ONE, LOCAL_OPERATOR, role=Role.READ), lambda: remove_user(ONE, LOCAL_OPERATOR)
    ):
        with pytest.raises(Refused) as refused:
            change()
        assert refused.value.code == "local_operator"


def test_what_is_not_there_is_not_found() -> None:
    for change in changes(
        lambda: remove_user(ONE, "ben"), lambda: change_user(ONE, "ben"), lambda: revoke_token(ONE, "ci")
    ):
        with pytest.raises(NotFound):
            change()


def test_there_is_a_limit_to_both() -> None:
    users = tuple(User(f"u{number:04}", Role.READ, 0) for number in range(MAX_USERS))
    tokens = tuple(token(f"t{number:04}") for number in range(MAX_TOKENS))
    full = AccessList(users, tokens)

    for change in changes(lambda: add_user(full, ANNA), lambda: add_token(full, token("one-more"))):
        with pytest.raises(Conflict) as refused:
            change()
        assert refused.value.code == "too_many"
