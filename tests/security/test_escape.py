"""No text breaks out of a block, a bundle, a packet or a working set, whatever it contains and wherever it is cut."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from satchel.app import Satchel
from satchel.domain.authored import authored_lines
from satchel.domain.escape import INVISIBLE, INVISIBLE_IN_LINES, unescape
from satchel.domain.policies import BudgetPolicy, WorkingSetPolicy
from satchel.domain.record import Kind, Memory, MemoryId
from satchel.domain.text import replace_undecodable
from satchel.interfaces.slot.any_result import lines_of_any
from satchel.interfaces.slot.text import quoted
from satchel.packing import bundle
from satchel.packing.values import Offer, OfferSource, PackDecision
from satchel.turns import block
from satchel.turns.block import BlockEntry
from satchel.turns.budget import ELLIPSIS, BlockSlot, fit_budget
from satchel.turns.working_set import working_set
from tests.faults.extent import extent
from tests.security.hostile_texts import SEED, hostile_texts

COUNT = extent((3_000,), (100_000,))[0]
"""Number of texts that each renderer gets."""
PER_BLOCK = 8
_UNSEEN = re.compile(f"[{INVISIBLE}]")
_UNSEEN_IN_LINES = re.compile(f"[{INVISIBLE_IN_LINES}]")
_MARKUP = re.compile(r"<\s*(?:[/!?|]|(?:relevant-memories|system-reminder)\b)", re.IGNORECASE)


def blocks(count: int = COUNT, seed: int = SEED) -> Iterator[list[str]]:
    """Yield the texts in groups, each for one block."""
    texts = list(hostile_texts(count, seed))
    return (texts[start : start + PER_BLOCK] for start in range(0, len(texts), PER_BLOCK))


def offered(ref: str, text: str, head: str) -> PackDecision:
    offer = Offer(ref, ref, OfferSource.MEMORIES, "memory", text, 0.5, head=head)
    return PackDecision(offer, True, ("within_budget",), ("because",), text=text)


def test_a_block_is_read_as_it_was_written() -> None:
    for texts in blocks():
        entries = [BlockEntry(text[:7], text[-5:], text, text[3:9]) for text in texts]
        shown = block.render_block(entries)
        lines = shown.split("\n")

        read = tuple(
            BlockEntry(*map(replace_undecodable, (one.kind, one.label, one.text, one.date))) for one in entries
        )
        assert block.parse_block(shown) == block.parse_block(f"{texts[0][:0]}before\n{shown}\nafter") == read
        assert len(lines) == len(shown.splitlines()) == len(texts) + 3
        assert not [line for line in lines[2:-1] if _MARKUP.search(line) or _UNSEEN.search(line)]
        assert not [line for line in authored_lines(shown) if line.words < line.end]


def test_a_bundle_is_read_as_it_was_written() -> None:
    for texts in blocks():
        items = [offered(f"mem:{number}{text[:4]}", text, text[-6:] or "fact") for number, text in enumerate(texts)]
        shown = bundle.render_bundle(items)

        read = {tuple(map(replace_undecodable, (one.ref, one.head, one.text))) for one in map(bundle.line_of, items)}
        assert {(one.ref, one.head, one.text) for one in bundle.parse_bundle(shown)} == read
        assert len(bundle.parse_bundle(shown)) == len(texts)
        assert shown.count("<") == shown.count(">") == 2
        assert not _UNSEEN_IN_LINES.search(shown)


def test_a_cut_block_is_whole() -> None:
    pick = random.Random(SEED)
    for texts in blocks(COUNT // 10):
        slots = [BlockSlot(f"m{n}", BlockEntry("fact", "trusted", text), n) for n, text in enumerate(texts)]
        room = pick.randint(150, 900)
        policy = BudgetPolicy(max_chars=room, min_recent_slots=pick.randint(0, 5), overflow_action=pick.choice(("truncate_oldest", "truncate_tail")))  # fmt: skip
        budgeted = fit_budget(slots, policy, ids_in_comment=pick.choice((0, 3)))
        written = {f"m{n}": replace_undecodable(text) for n, text in enumerate(texts)}

        assert len(budgeted.text) <= room
        read = block.parse_block(budgeted.text)
        assert len(read) == len(budgeted.kept)
        for id, one in zip(budgeted.kept, read, strict=True):
            whole = one.text == written[id]
            assert whole or (one.text.endswith(ELLIPSIS) and written[id].startswith(one.text[: -len(ELLIPSIS)]))
        assert not budgeted.text or f"\n</{block.ELEMENT}>" in budgeted.text


def test_the_ids_of_a_comment_cannot_end_it() -> None:
    for texts in blocks():
        comment = block.ids_comment(texts)
        inner = comment.removeprefix(f"<!-- {block.MARKER} ").removesuffix(" -->")

        assert json.loads(inner) == {"ids": [replace_undecodable(text) for text in texts]}
        assert not re.search("[<>]|--", inner)


def test_a_tool_answers_on_lines_of_its_own_making() -> None:
    for texts in blocks():
        safe = [replace_undecodable(text) for text in texts]
        lines = list(lines_of_any({"goal": safe[0], "relevant_facts": safe, "nested": {"text": safe[-1]}}))

        for text in safe:
            assert json.loads(quoted(text)) == text
            assert len(quoted(text).splitlines()) == 1 and not _UNSEEN.search(quoted(text))
        assert all(len(line.splitlines()) <= 1 and not _UNSEEN.search(line) for line in lines)


def test_a_working_set_is_one_entry() -> None:
    policy = WorkingSetPolicy(enabled=True, max_chars=2_800)
    for texts in blocks(COUNT // 4):
        rules = [
            Memory(MemoryId(f"m{n}"), f"must {replace_undecodable(text)}", "a", n, n, kind=Kind.DECISION)
            for n, text in enumerate(texts)
        ]
        made = working_set("a", rules, "next step", policy)
        assert made is not None

        entry = BlockEntry("working_set", "trusted", made.text)
        assert block.parse_block(block.render_block([entry])) == (entry,)
        assert len(made.text.splitlines()) == 1
        assert len(made.text) <= policy.max_chars


def test_a_pack_of_stored_texts_is_whole_at_every_budget(memory: Satchel) -> None:
    texts = _stored(memory, hostile_texts(extent((40,), (400,))[0], SEED + 1))
    for budget in extent((120, 400), (50, 80, 120, 200, 300, 400, 600, 900, 1500, 4000)):
        shown = memory.pack("release plan", budget_tokens=budget).result.bundle_text
        read = bundle.parse_bundle(shown)

        assert not shown or (shown.startswith("<context-pack>\n") and shown.endswith("\n</context-pack>"))
        assert shown.count("<") == shown.count(">") == (2 if shown else 0)
        for one in read:
            parts = [" ".join(part.split()) for part in one.text.removeprefix("earlier: ").split("…")]
            assert any(all(part in " ".join(text.split()) for part in parts) for text in texts), one


def test_a_packet_and_a_turn_keep_stored_texts_apart(memory: Satchel) -> None:
    texts = _stored(memory, hostile_texts(extent((40,), (400,))[0], SEED + 2))
    for text in texts[:40]:
        memory.attention.add(memory_type="procedure", title=f"release plan {text[:40]}", summary=text[:900])
    context = memory.turns.before("what is the release plan?").result
    shown = context.block
    packet = memory.attention.route(goal="release plan").result.packet

    assert not re.search(r"<\s*(?:[!?|]|/(?!relevant-memories>))", re.sub(r"<!-- .*? -->", "", shown))
    assert all(any(_same(one.text, text) for text in texts) for one in block.parse_block(shown))
    assert packet.procedures_to_follow
    assert all(any(_same(one, text) for text in texts) for one in packet.procedures_to_follow)


def _same(shown: str, stored: str) -> bool:
    cut = shown.removesuffix(ELLIPSIS).strip()
    return cut in stored or cut in " ".join(stored.split())


def _stored(memory: Satchel, texts: Iterator[str]) -> Sequence[str]:
    """Store what can be stored, as the person; return it as it was kept."""
    for text in texts:
        kept = "".join(letter for letter in replace_undecodable(text) if letter.isprintable() or letter in "\n\t")
        if kept.strip():
            memory.store(f"release plan {kept}", importance=0.9)
    return [one.text for one in memory.memories.list(limit=500, redact=False).result.memories]


def test_a_fact_cannot_hide_or_imitate_another(memory: Satchel) -> None:
    source = memory.store("the source").result.id
    for text in hostile_texts(extent((20,), (200,))[0], SEED + 3):
        if kept := "".join(letter for letter in replace_undecodable(text) if letter.isprintable())[:200].strip():
            memory.facts.assert_("payments", "decision", f"x {kept}", sources=(source,))
    pack: dict[str, Any] = memory.facts.pack("payments", budget_tokens=8_000, max_items=50).result.pack
    lines = pack["bundle_text"].split("\n")

    assert lines
    for line, item in zip(lines, pack["items"], strict=True):
        assert line.startswith(f"[{item['recordRef']}] ") and not re.search("[<>]", line) and not _UNSEEN.search(line)
        assert unescape(line).endswith(item["text"])
