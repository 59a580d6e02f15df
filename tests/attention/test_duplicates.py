"""Which texts say the same. A wrong merge loses a rule, so in doubt they are two."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.attention.duplicates import Comparison


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep answers short", "keep  ANSWERS short"),
        ("Keep answers short", "Please keep the answers short!"),
        ("Deploys happen on Tuesday mornings", "Deploy happens on Tuesday mornings"),
        ("请保持回答简短", "保持回答简短"),
        ("Ｋeep answers short", "Keep answers short"),
    ],
)
def test_these_say_the_same(one: str, other: str) -> None:
    compared = Comparison()
    assert compared.same(one, other)
    assert compared.same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploy on Fridays", "Do not deploy on Fridays"),
        ("Deploy on Fridays", "Don't deploy on Fridays"),
        ("Use 2 replicas of the store", "Use 3 replicas of the store"),
        ("Always encrypt the backups", "Encrypt the backups"),
        ("Write to the north bucket", "Write to the south bucket"),
        ("Keep answers short", "Keep answers short and cite every source you used for them"),
        ("备份数据库", "不备份数据库"),
        ("先测试后发布", "先测试前发布"),
        ("", "anything"),
    ],
)
def test_these_do_not(one: str, other: str) -> None:
    compared = Comparison()
    assert not compared.same(one, other)
    assert not compared.same(other, one)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(one=st.text(max_size=60), other=st.text(max_size=60))
def test_sameness_goes_both_ways_and_everything_is_itself(one: str, other: str) -> None:
    compared = Comparison()
    assert compared.same(one, one)
    assert compared.same(one, other) == compared.same(other, one)


def test_a_summary_carries_an_episode_whose_words_it_holds_and_whose_numbers_it_keeps() -> None:
    compared = Comparison()
    summary = "The nightly import failed twice in May because the disk of the worker was full"

    assert compared.carries(summary, "nightly import failed because the disk was full")
    assert not compared.carries(summary, "nightly import failed after 40 minutes because the disk was full")
    assert not compared.carries(summary, "the kitchen was painted")
    assert not compared.carries(summary, "")
