"""Users and tokens in PostgreSQL do what every store of them does."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from satchel.adapters.clock import SystemClock
from satchel.adapters.postgres.access import PostgresAccess
from satchel.adapters.postgres.address import parse_address
from satchel.domain.access import TOKEN_PREFIX
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.access import Access
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.limits import Limits
from tests.adapters.test_access_stores import (  # noqa: F401  the contract
    test_a_failed_change_changes_nothing,
    test_a_new_store_has_nobody,
    test_a_token_is_found_by_its_whole_secret_alone,
    test_removing_a_user_removes_its_tokens_and_no_others,
    test_users_and_tokens_are_kept_whole_and_in_order,
)


@pytest.fixture
def kept(address: str) -> Iterator[PostgresAccess]:
    access = PostgresAccess(parse_address(address))
    yield access
    access.close()


def test_a_token_that_cannot_be_looked_up_is_not_called_wrong() -> None:
    with closing(PostgresAccess(parse_address("postgresql://anna@127.0.0.1:1/satchel"))) as nowhere:
        access = Access("local", nowhere, Bounds(), SystemClock(), Limits(0, 0, time.monotonic))
        with pytest.raises(RequestRejected) as rejected:
            asyncio.run(access.bounds_of([f"Bearer {TOKEN_PREFIX}secret"]))
    assert (rejected.value.status, rejected.value.error.code) == (503, "unreachable")
