"""Trust in packs: what agents stored may answer, marked, but never takes the place of what the operator stored."""

from typing import Any

from satchel.app import Satchel
from satchel.packing.bundle import parse_bundle
from satchel.packing.values import ContextPack

QUERY = "how do we prepare the release of the shop"
RULES = (
    "Never prepare a release on a Friday",
    "The release of the shop needs two approvals",
    "We prepare every release from the branch stable",
    "Release notes of the shop are written before the release",
    "准备发布之前先通知客服 (prepare the release)",
)


def packed(memory: Satchel, query: str = QUERY, **given: Any) -> ContextPack:
    return memory.packing.pack(query, **{"mode": "lexical", "touch": False, **given}).result


def from_operator(pack: ContextPack) -> list[str]:
    """Return the ids of the operator's memories in a pack."""
    return [item["id"] for item in pack.items if item["trust"] == "trusted" and item["lane"] == "memories"]


def store_rules(memory: Satchel) -> None:
    for number, rule in enumerate(RULES):
        memory.store(rule, kind=("preference", "decision", "fact")[number % 3], importance=(0.9, None)[number % 2])
    for day in range(8):
        memory.episodes.add([{"text": f"On day {day} Ann asked to prepare the release of the shop", "session": "s"}])


LIMITS: tuple[dict[str, Any], ...] = (
    {"budget_tokens": 90},
    {"budget_tokens": 160},
    {"budget_tokens": 300},
    {"budget_tokens": 1200},
    {"budget_tokens": 1200, "max_items": 3},
)


def test_agents_displace_no_rule_of_the_operator(memory: Satchel) -> None:
    store_rules(memory)
    before = [from_operator(packed(memory, **limits)) for limits in LIMITS]
    for number in range(12):
        memory.store(f"{QUERY} {number}", kind="preference", importance=1.0, trust="untrusted")
    with_a_dozen = [from_operator(packed(memory, **limits)) for limits in LIMITS]
    for number in range(12, 70):
        memory.store(f"{QUERY} {number}", kind="decision", importance=1.0, trust="untrusted")
    with_many = [from_operator(packed(memory, **limits)) for limits in LIMITS]

    assert all(before) and len(before[3]) == len(RULES)
    assert with_a_dozen == before == with_many
    assert any(item["trust"] == "untrusted" for item in packed(memory, budget_tokens=1200).items)


def test_an_untrusted_answer_is_packed_with_a_mark_beside_evidence(memory: Satchel) -> None:
    store_rules(memory)
    memory.store("The staging password rotates every Tuesday at noon", trust="untrusted", source_kind="tool")
    memory.episodes.add([{"text": f"Ann talked about the password again, {n} " * 30, "session": "s"} for n in range(9)])
    pack = packed(memory, "when does the staging password rotate", budget_tokens=300, trace=True)
    [item] = [item for item in pack.items if item["trust"] == "untrusted" and item["lane"] == "memories"]
    trace: Any = pack.trace

    assert "other, untrusted" in {line.head for line in parse_bundle(pack.bundle_text)}
    [reasons] = [one["decision"]["reason"] for one in trace["candidates"] if one["id"] == item["id"]]
    assert "untrusted_answers" in reasons


def test_an_untrusted_memory_is_left_out_by_name_where_a_trusted_one_answers_better(memory: Satchel) -> None:
    memory.store("The staging password rotates every Monday")
    weaker = memory.store("The password may have changed", trust="untrusted").result.id
    answer = memory.packing.pack("when does the staging password rotate?", mode="lexical")
    excluded: Any = answer.receipt.decided["excluded"]

    assert [item["trust"] for item in answer.result.items] == ["trusted"]
    assert [one["rules"] for one in excluded if one["id"] == weaker] == [["trusted_answers"]]
