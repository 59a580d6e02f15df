"""Trust tiers by channel."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.record import SourceKind, Trust
from satchel.domain.trust import CEILING, check_removal, grant_trust, lowest_trust, outranks
from satchel.errors import Refused
from tests.tables import each_case

ASCENDING = [Trust.QUARANTINED, Trust.UNTRUSTED, Trust.TRUSTED]


def test_every_channel_has_a_ceiling() -> None:
    assert {
        SourceKind.OPERATOR: Trust.TRUSTED,
        SourceKind.SYSTEM: Trust.TRUSTED,
        SourceKind.TOOL: Trust.UNTRUSTED,
        SourceKind.WEB: Trust.UNTRUSTED,
        SourceKind.IMPORT: Trust.UNTRUSTED,
    } == CEILING
    assert set(CEILING) == set(SourceKind)


@each_case(("channel", "asked"), list(product(SourceKind, [None, *Trust])))
def test_no_channel_grants_more_than_its_ceiling(channel: SourceKind, asked: Trust | None) -> None:
    wanted = CEILING[channel] if asked is None else asked
    if ASCENDING.index(wanted) > ASCENDING.index(CEILING[channel]):
        with pytest.raises(Refused) as caught:
            grant_trust(channel, asked)
        assert caught.value.code == "trust_not_granted"
    else:
        assert grant_trust(channel, asked) is wanted


@each_case(("one", "other"), list(product(Trust, Trust)))
def test_outranking_is_strict_and_follows_the_order_of_the_tiers(one: Trust, other: Trust) -> None:
    assert outranks(one, other) == (ASCENDING.index(one) > ASCENDING.index(other))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(Trust), min_size=1, max_size=6))
def test_a_derived_record_is_as_trusted_as_its_least_trusted_source(tiers: list[Trust]) -> None:
    assert lowest_trust(iter(tiers)) is ASCENDING[min(map(ASCENDING.index, tiers))]


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(Trust), min_size=1, max_size=6), st.sampled_from(Trust))
def test_one_more_source_never_raises_trust(tiers: list[Trust], more: Trust) -> None:
    assert not outranks(lowest_trust([*tiers, more]), lowest_trust(tiers))


@each_case(("trust", "authority"), list(product(Trust, Trust)))
def test_only_what_is_as_trusted_removes_a_record(trust: Trust, authority: Trust) -> None:
    def remove() -> None:
        check_removal("m", trust, authority, "forget", by="a tool", hint="ask the operator")

    if ASCENDING.index(trust) <= ASCENDING.index(authority):
        remove()
        return
    with pytest.raises(Refused) as caught:
        remove()
    assert (caught.value.code, caught.value.hint) == ("trust_not_granted", "ask the operator")
