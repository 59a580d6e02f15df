"""The typed sections of receipts: what an operation writes is read back whole."""

from typing import Any

from msgspec import convert, to_builtins

from satchel.app import Satchel
from satchel.domain import receipt_sections as sections
from satchel.domain.receipt import Receipt

MESSAGES = [{"role": "user", "content": "From now on, always use tabs for indentation."}]


def receipts(memory: Satchel) -> dict[str, Receipt]:
    """Run every operation whose receipt has typed sections."""
    memory.store("We ship on Thursdays", importance=0.9)
    memory.episodes.add(text="We ship on Thursdays", role="user", session="s1")
    return {
        "store": memory.store("The walrus sleeps").receipt,
        "duplicate": memory.store("The walrus sleeps.").receipt,
        "recall": memory.recall("When do we ship?").receipt,
        "as of": memory.recall("When do we ship?", as_of=1).receipt,
        "turn start": memory.turns.start().receipt,
        "turn before": memory.turns.before("When do we ship things?", mode="lexical").receipt,
        "skipped turn": memory.turns.before("hello").receipt,
        "turn after": memory.turns.after(MESSAGES).receipt,
        "episodes": memory.episodes.search("When do we ship?").receipt,
        "attention": memory.attention.route("ship the release").receipt,
        "pack": memory.packing.pack("When do we ship?", budget_tokens=200).receipt,
        "route": memory.routing.route("When do we ship?").receipt,
    }


TYPES: dict[str, tuple[Any, Any, Any]] = {
    "store": (sections.StoreAsked, dict, sections.StoreDecided),
    "duplicate": (sections.StoreAsked, dict, sections.StoreDecided),
    "recall": (sections.QuestionAsked, sections.RecallConsidered, sections.RecallDecided),
    "as of": (sections.QuestionAsked, sections.RecallConsidered, sections.RecallDecided),
    "turn start": (sections.QuestionAsked, dict, sections.TurnStartDecided),
    "turn before": (sections.QuestionAsked, sections.RecallConsidered, sections.TurnBeforeDecided),
    "skipped turn": (sections.QuestionAsked, dict, sections.TurnBeforeDecided),
    "turn after": (sections.TurnAfterAsked, dict, sections.TurnAfterDecided),
    "episodes": (sections.EpisodesAsked, sections.EpisodesConsidered, sections.EpisodesDecided),
    "attention": (sections.AttentionAsked, sections.AttentionConsidered, sections.AttentionDecided),
    "pack": (sections.PackAsked, sections.PackConsidered, sections.PackDecided),
    "route": (sections.RouteAsked, sections.RouteConsidered, sections.RouteDecided),
}


def test_what_is_written_is_read_back_whole(memory: Satchel) -> None:
    written = receipts(memory)
    assert written.keys() == TYPES.keys()
    for name, receipt in written.items():
        for section, kind in zip((receipt.asked, receipt.considered, receipt.decided), TYPES[name], strict=True):
            assert to_builtins(convert(section, kind)) == section, (name, kind)


def test_a_section_of_another_version_is_read_with_defaults() -> None:
    for kind in {kind for kinds in TYPES.values() for kind in kinds} - {dict}:
        assert convert({"of_another_version": 1}, kind) == kind(), kind
