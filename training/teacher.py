"""Learn from a network that reads question and unit together, which is too slow to search with but judges better.

Each half of the sets is scored by a teacher that has learnt from the other half.
"""

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.network import MAX_TOKENS, Encoder, Texts, autocast
from training.sets import TextSet, without_speakers

Say = Callable[[str], None]
Place = tuple[int, int]
"""The number of a set, and of a question in it."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class Candidates:
    """The units of a set that answer a question, and those that seem to."""

    answers: tuple[int, ...]
    mined: tuple[int, ...]


@dataclass(frozen=True)
class TeacherPlan:
    """How to train the teachers."""

    epochs: int = 2
    batch: int = 32
    negatives: int = 7
    rate: float = 6e-5
    warm_up: float = 0.1
    unnamed: float = 0.5
    seed: int = 5


class PairReader(nn.Module):
    """The encoder's layers over a question and a unit as one text, and a score."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.trunk = copy.deepcopy(encoder)
        self.score = nn.Linear(encoder.words.weight.shape[1], 1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the score of each pair."""
        found: Tensor = self.score(self.trunk.hidden(ids, mask)[:, 0])
        return found[:, 0].float()


def teach(
    base: Encoder,
    sets: Sequence[TextSet],
    asked: Mapping[Place, Candidates],
    texts: Texts,
    plan: TeacherPlan,
    say: Say,
) -> dict[Place, dict[int, float]]:
    """Return the score of every candidate of every question, by a teacher that has not seen its set."""
    forms = (sets, [without_speakers(one) for one in sets])
    found: dict[Place, dict[int, float]] = {}
    for half in range(2):
        seen = {place: one for place, one in asked.items() if place[0] % 2 != half and one.mined}
        held = {place: one for place, one in asked.items() if place[0] % 2 == half}
        teacher = _trained(base, forms, seen, texts, plan)
        found |= _scored(teacher, forms[1], held, texts)
    first = sum(max(found[place], key=found[place].__getitem__) in one.answers for place, one in asked.items())
    say(f"  the teachers put an answer first for {100 * first / max(1, len(asked)):.1f} % of the questions")
    return found


def _trained(
    base: Encoder,
    forms: Sequence[Sequence[TextSet]],
    asked: Mapping[Place, Candidates],
    texts: Texts,
    plan: TeacherPlan,
) -> PairReader:
    torch.manual_seed(plan.seed)
    chooser = random.Random(plan.seed)
    device = base.words.weight.device
    teacher = PairReader(base).to(device).train()
    teacher.trunk.set_dropout(0.1)
    steps = plan.epochs * (len(asked) // plan.batch)
    optimizer = torch.optim.AdamW(teacher.parameters(), lr=plan.rate, weight_decay=0.01, fused=device.type == "cuda")
    rising = max(1, int(steps * plan.warm_up))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, max(0.0, (steps - step) / max(1, steps - rising)))
    )
    for _ in range(plan.epochs):
        for several in _batches(list(asked), plan.batch, chooser):
            pairs = list[Pair]()
            for place in several:
                form = forms[chooser.random() < plan.unnamed][place[0]]
                pairs += _pairs(form, place[1], _drawn(asked[place], plan.negatives, chooser))
            scores = _read(teacher, texts, pairs).view(len(several), -1)
            loss = functional.cross_entropy(scores, torch.zeros(len(several), dtype=torch.long, device=device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(teacher.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return teacher.eval()


def _drawn(one: Candidates, negatives: int, chooser: random.Random) -> list[int]:
    """Return an answer and as many other candidates as asked for; of few, some are drawn twice."""
    draw = chooser.sample if len(one.mined) >= negatives else chooser.choices
    return [chooser.choice(one.answers), *draw(one.mined, k=negatives)]


@torch.no_grad()
def _scored(
    teacher: PairReader, sets: Sequence[TextSet], asked: Mapping[Place, Candidates], texts: Texts
) -> dict[Place, dict[int, float]]:
    owners = [(place, unit) for place, one in asked.items() for unit in (*one.answers, *one.mined)]
    pairs = [_pairs(sets[place[0]], place[1], [unit])[0] for place, unit in owners]
    scores = torch.cat([_read(teacher, texts, pairs[at : at + 4096], 512) for at in range(0, len(pairs), 4096)])
    found: dict[Place, dict[int, float]] = {}
    for (place, unit), score in zip(owners, scores.tolist(), strict=True):
        found.setdefault(place, {})[unit] = score
    return found


def _pairs(form: TextSet, question: int, units: Sequence[int]) -> list[Pair]:
    return [(form.questions[question].text, form.units[unit]) for unit in units]


def _read(teacher: PairReader, texts: Texts, pairs: Sequence[Pair], together: int = 128) -> Tensor:
    """Return the score of each pair; only pairs of similar length are padded together."""
    rows = [[*texts.ids(question), *texts.ids(unit)[1:]][:MAX_TOKENS] for question, unit in pairs]
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    with autocast():
        scores = [
            teacher(*texts.padded([rows[place] for place in order[start : start + together]]))
            for start in range(0, len(order), together)
        ]
    return torch.cat(scores)[torch.tensor(order, device=scores[0].device).argsort()]


def _batches(places: Sequence[Place], size: int, chooser: random.Random) -> Iterator[list[Place]]:
    shuffled = chooser.sample(places, len(places))
    for start in range(0, len(shuffled) - size + 1, size):
        yield shuffled[start : start + size]
