"""Judges with a network which memories belong in front of a prompt."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from functools import cache, partial
from pathlib import Path

from satchel.adapters.embedders import bundled
from satchel.adapters.reader.layout import grouped, lay_out_prompt
from satchel.adapters.reader.trunk import Trunk, hidden, linear, load_trunk
from satchel.domain.embedding import BUNDLED_MODEL, JUDGE_MODEL
from satchel.errors import Unavailable
from satchel.threads import run_in_background

FOLDER = bundled.FOLDER.with_name(JUDGE_MODEL)
# Of longer texts the beginning and the end are read.
MAX_CHARS = 500


class NetworkJudge:
    """Implements ports.PromptJudge with the network of the package."""

    space = BUNDLED_MODEL

    def load(self) -> None:
        load_judge()

    def judge(self, prompt: str, sets: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
        trunk, later = load_judge(), list[list[tuple[range, Future[list[float]]]]]()
        for memories in sets:
            groups = [(one, [memories[place] for place in one]) for one in grouped(len(memories))]
            later.append([(one, run_in_background(partial(_read, trunk, prompt, texts))) for one, texts in groups])
        return [_in_order((one, reading.result()) for one, reading in groups) for groups in later]


def _in_order(groups: Iterable[tuple[range, list[float]]]) -> tuple[float, ...]:
    odds = {place: one for places, group in groups for place, one in zip(places, group, strict=True)}
    return tuple(odds[place] for place in sorted(odds))


def _read(trunk: Trunk, prompt: str, memories: Sequence[str]) -> list[float]:
    """Read a prompt and memories as one sequence."""
    begin, end = trunk.tokens.ids("")
    _, states = trunk.states(lay_out_prompt(*_encoded(trunk, prompt, memories), begin, end))
    odds: list[float] = linear(trunk.tensors, "wanted", hidden(trunk.tensors, states))[:, 0].tolist()
    return odds


def _encoded(trunk: Trunk, prompt: str, memories: Sequence[str]) -> tuple[list[int], list[list[int]]]:
    return trunk.encode(both_ends(prompt)), [trunk.encode(both_ends(one)) for one in memories]


@cache
def load_judge(folder: Path = FOLDER) -> Trunk:
    """Load the network that comes with the package, and check every byte of it."""
    return load_trunk(JUDGE_MODEL, folder, _broken)


def _broken(reason: str) -> Unavailable:
    message = f"the model that judges memories for a prompt is broken: {reason}"
    return Unavailable(message, code="judge_broken", hint=bundled.REINSTALL_HINT)


def both_ends(text: str) -> str:
    """Return what is read of a text at most."""
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS // 2]} {text[-MAX_CHARS // 2 :]}"
