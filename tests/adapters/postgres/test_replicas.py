"""Which replica answers a recall, by positions of the log that are given here."""

from typing import cast

import psycopg
import pytest

from satchel.adapters.postgres.replicas import ASIDE_SECONDS, NOTED_PER_LAG, Reason, Replica, Replicas
from tests.tables import each_case

LAG = 8.0


class Known(Replica):
    """A replica that is as far as it is told."""

    def __init__(self, replayed: int | None = 0) -> None:
        self.aside_until = 0.0
        self.position: int | Exception | None = replayed
        self.asked = 0

    def replayed(self) -> int | None:
        self.asked += 1
        if isinstance(self.position, Exception):
            raise self.position
        return self.position


class Primary:
    """A primary server with a clock."""

    def __init__(self) -> None:
        self.now, self.position, self.asked = 100.0, 0, 0

    def tell(self) -> int:
        self.asked += 1
        return self.position

    def over(self, *replicas: Known) -> Replicas:
        return Replicas(cast("list[Replica]", replicas), LAG, ticks=lambda: self.now)


@pytest.fixture
def primary() -> Primary:
    return Primary()


def test_a_replica_may_be_behind_for_as_long_as_the_bound_says(primary: Primary) -> None:
    replica = Known(10)
    replicas = primary.over(replica)
    primary.position = 10
    assert replicas.choose("", primary.tell) is replica
    primary.now, primary.position = primary.now + LAG, 20
    assert replicas.choose("", primary.tell) is replica
    primary.now += 0.1
    assert replicas.choose("", primary.tell) is Reason.BEHIND
    replica.position = 20
    assert replicas.choose("", primary.tell) is replica


def test_a_process_that_has_noted_nothing_asks_for_everything(primary: Primary) -> None:
    primary.position = 10
    assert primary.over(Known(9)).choose("", primary.tell) is Reason.BEHIND
    assert primary.over(Known(None)).choose("", primary.tell) is Reason.BEHIND


def test_the_primary_is_asked_a_few_times_within_the_bound(primary: Primary) -> None:
    replicas = primary.over(Known(0))
    steps = 10 * NOTED_PER_LAG
    for _ in range(steps + 1):
        replicas.choose("", primary.tell)
        primary.now += LAG / steps
    assert primary.asked == NOTED_PER_LAG + 1


@each_case(
    ("caller", "later", "expected"),
    [("anna", 0.0, Reason.OWN_WRITE), ("anna", LAG, Reason.OWN_WRITE), ("ben", 0.0, None), ("anna", LAG + 0.1, None)],
)
def test_a_caller_sees_what_it_wrote(caller: str, later: float, expected: Reason | None) -> None:
    primary, replica = Primary(), Known(10)
    replicas = primary.over(replica)
    replicas.choose("", primary.tell)
    replicas.note_write("anna", 20)
    primary.now += later
    assert replicas.choose(caller, primary.tell) is (expected or replica)
    replica.position = 20
    assert replicas.choose(caller, primary.tell) is replica


def test_replicas_take_turns_and_one_that_is_behind_is_passed_over(primary: Primary) -> None:
    all_three = [Known(10), Known(10), Known(9)]
    replicas = primary.over(*all_three)
    primary.position = 10
    chosen = [replicas.choose("", primary.tell) for _ in range(30)]
    assert {*chosen} == {*all_three[:2]}


def test_one_that_fails_is_left_alone_for_a_while(primary: Primary) -> None:
    broken = Known()
    broken.position = psycopg.OperationalError("gone")
    replicas = primary.over(broken)
    assert [replicas.choose("", primary.tell) for _ in range(3)] == [Reason.UNREACHABLE] * 3
    assert broken.asked == 1
    primary.now += ASIDE_SECONDS
    broken.position = 0
    assert replicas.choose("", primary.tell) is broken
