"""Users and tokens in PostgreSQL do what every store of them does."""

from collections.abc import Iterator

import pytest

from satchel.adapters.postgres.access import PostgresAccess
from satchel.adapters.postgres.address import parse_address
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
