"""Orders to the agent that arrive through an untrusted channel reach no prompt, and become trusted by no channel."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tests.tables import each_case

from satchel.app import Satchel
from satchel.domain.record import Trust
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.interfaces.serialization import to_json

CASES = Path(__file__).parents[1] / "data" / "injection" / "attacks.jsonl"
# Every ninth of the attacks; the whole corpus takes minutes.
STEP = 9
# A harmless sentence beside each attack finds it by its words.
MARK = "The xylophone inventory lists instrument {number}."


def _attacks() -> list[str]:
    texts = [json.loads(line)["text"] for line in CASES.read_text(encoding="utf-8").splitlines()]
    return texts[::STEP]


POISON = [f"{MARK.format(number=place)}\n{text}" for place, text in enumerate(_attacks())]
KNOWN = [text for text in POISON if agent_orders(text)]


def _store(memory: Satchel, text: str) -> None:
    memory.store(text, source_kind="tool")


def _store_from_the_web(memory: Satchel, text: str) -> None:
    memory.store(text, source_kind="web", title=text[:60])


def _add_to_attention(memory: Satchel, text: str) -> None:
    memory.attention.add("procedure", "xylophone inventory", text, source_kind="tool")


def _reflect(memory: Satchel, text: str) -> None:
    memory.attention.reflect(goal="xylophone inventory", lessons=[text], source_kind="tool")


def _add_episode(memory: Satchel, text: str) -> None:
    memory.episodes.add(text=text, source_kind="tool")


def _add_tool_result(memory: Satchel, text: str) -> None:
    memory.episodes.add(text=text, role="tool")


def _capture(memory: Satchel, text: str) -> None:
    memory.observations.capture(json.dumps({"tool_name": "fetch", "text": text, "importance": 0.9}))
    memory.observations.ingest()


def _converse(memory: Satchel, text: str) -> None:
    memory.conversations.add(text, role="tool")


def _import(memory: Satchel, text: str) -> None:
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".jsonl") as file:
        file.write(json.dumps({"text": text, "trust_tier": "trusted"}))
        file.flush()
        memory.transfer.import_(file.name)


CHANNELS: dict[str, Callable[[Satchel, str], None]] = {
    "store": _store,
    "web": _store_from_the_web,
    "attention add": _add_to_attention,
    "attention reflect": _reflect,
    "episodes add": _add_episode,
    "tool result": _add_tool_result,
    "capture": _capture,
    "conversation add": _converse,
    "import": _import,
}


@each_case("channel", [*CHANNELS])
def test_an_order_reaches_no_prompt(memory: Satchel, channel: str) -> None:
    assert len(KNOWN) >= 5
    for text in KNOWN:
        CHANNELS[channel](memory, text)

    shown = [json.dumps(to_json(answer), ensure_ascii=False) for answer in _answers(memory)]

    for text in KNOWN:
        order = json.dumps(text.partition("\n")[2][:60], ensure_ascii=False).strip('"')
        assert not [answer[:400] for answer in shown if order in answer]


@each_case("channel", [*CHANNELS])
def test_nothing_from_an_untrusted_channel_becomes_trusted(memory: Satchel, channel: str) -> None:
    for text in POISON:
        CHANNELS[channel](memory, text)

    stored = memory.parts.ledger.memories.page(admin_view(EVERYWHERE, 0), 1_000)

    assert not [one.text for one in stored if one.trust is Trust.TRUSTED]


def _answers(memory: Satchel) -> Iterator[Any]:
    question = "xylophone inventory instrument"
    yield memory.recall(question, limit=20, untrusted=True).result
    yield memory.pack(question).result
    yield memory.turn.before(question).result
    yield memory.attention.route(goal=question).result
    yield memory.routing.route(question).result
    yield memory.episodes.search(question, limit=20).result
    yield memory.observations.search(question, limit=20).result
