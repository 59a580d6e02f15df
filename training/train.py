"""Fine-tune the encoder: in-batch negatives, hard negatives of the same conversation, and a pull towards the base model."""

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training.network import Encoder, Texts, autocast, embed
from training.sets import SPEAKER, Question, TextSet, questions_of, without_speakers

# Candidates for hard negatives per question; every epoch draws some of them.
MINED = 16
# A question with many answers gives this many examples.
MAX_TARGETS = 4
# In a pool of functions the nearest ones often do the same, so they are no negatives.
SKIPPED_IN_POOL = 4


@dataclass(frozen=True)
class Plan:
    """How to train."""

    epochs: int = 5
    batch: int = 64
    rate: float = 5e-5
    warm_up: float = 0.1
    temperature: float = 0.05
    negatives: int = 6
    pull: float = 0.3
    """Weight of the distance to the base model's vectors, which keeps what it knows beyond this data."""
    code_pull: float = 0.3
    """The same for code."""
    reverse: float = 0.0
    """Weight of finding the question for a unit."""
    average: float = 0.995
    """Decay of the moving average of the weights that is kept; 0 keeps the last weights."""
    unnamed: float = 0.5
    """Share of examples whose speakers are taken out of unit and question."""
    remine: bool = False
    """Whether hard negatives are mined again with the trained model, halfway."""
    dropout: float = 0.1
    seed: int = 18


@dataclass(frozen=True)
class Example:
    """A question, its set, the unit that answers it, and units that seem to."""

    set: int
    question: int
    answers: frozenset[int]
    target: int
    negatives: tuple[int, ...]


Say = Callable[[str], None]


def train(
    base: Encoder,
    sets: Sequence[TextSet],
    times: Mapping[str, int],
    texts: Texts,
    plan: Plan,
    device: torch.device,
    say: Say,
) -> Encoder:
    """Return a trained copy of the base model; `times` says how often an epoch uses the sets of a kind."""
    torch.manual_seed(plan.seed)
    chooser = random.Random(plan.seed)
    model = copy.deepcopy(base).to(device)
    model.set_dropout(plan.dropout)
    kept = copy.deepcopy(model) if plan.average else model
    unnamed = [without_speakers(one) for one in sets]
    known = BaseVectors(base, texts, [*sets, *unnamed])
    examples = _repeated(mine(base, sets, texts), sets, times)
    steps = plan.epochs * (len(examples) // plan.batch)
    optimizer = torch.optim.AdamW(_parameter_groups(model), lr=plan.rate, fused=device.type == "cuda")
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps, plan.warm_up))
    done = 0
    for epoch in range(plan.epochs):
        if plan.remine and epoch == plan.epochs // 2:
            examples = _repeated(mine(kept, sets, texts), sets, times)
        model.train()
        total = torch.zeros((), device=device)
        for batch in _batches(examples, plan.batch, chooser):
            loss = _loss(model, known, sets, unnamed, batch, texts, plan, chooser)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            if plan.average:
                _average(kept, model, min(plan.average, done / (done + 20)))
            total += loss.detach()
        say(f"  epoch {epoch + 1} of {plan.epochs}: mean loss {float(total) / max(1, len(examples) // plan.batch):.3f}")
    return kept.eval()


class BaseVectors:
    """The base model's vectors of all texts, computed once."""

    def __init__(self, base: Encoder, texts: Texts, sets: Sequence[TextSet]) -> None:
        wanted = list(dict.fromkeys(text for one in sets for text in (*one.units, *(q.text for q in one.questions))))
        self._rows = {text: row for row, text in enumerate(wanted)}
        self._vectors = embed(base, texts, wanted)

    def of(self, texts: Sequence[str]) -> Tensor:
        """Return the vectors of some texts."""
        rows = torch.tensor([self._rows[text] for text in texts], device=self._vectors.device)
        return self._vectors[rows]


def mine(model: Encoder, sets: Sequence[TextSet], texts: Texts) -> list[Example]:
    """Return an example per question and answer, with the units of its set that are nearest to the question."""
    units = embed(model, texts, [unit for one in sets for unit in one.units])
    asked = embed(model, texts, [question.text for _, question in questions_of(sets)])
    examples, unit_start, question_place = list[Example](), 0, 0
    for number, one in enumerate(sets):
        own = units[unit_start : unit_start + len(one.units)]
        unit_start += len(one.units)
        for asked_as, question in enumerate(one.questions):
            order = (own @ asked[question_place]).argsort(descending=True).tolist()
            question_place += 1
            excluded = _near_answers(one, question)
            mined = [place for place in order if place not in excluded]
            mined = mined[SKIPPED_IN_POOL if one.kind == "functions" else 0 :][:MINED]
            answers = frozenset(question.answers)
            examples += [
                Example(number, asked_as, answers, target, tuple(mined)) for target in question.answers[:MAX_TARGETS]
            ]
    return examples


def _repeated(examples: Sequence[Example], sets: Sequence[TextSet], times: Mapping[str, int]) -> list[Example]:
    return [one for one in examples for _ in range(times.get(sets[one.set].kind, 1))]


def _near_answers(one: TextSet, question: Question) -> set[int]:
    """Return the answers and, in a conversation, the units beside them, which often say the same."""
    reach = 1 if SPEAKER.match(one.units[0]) else 0
    return {place + step for place in question.answers for step in range(-reach, reach + 1)}


def _batches(examples: Sequence[Example], size: int, chooser: random.Random) -> Iterator[list[Example]]:
    shuffled = list(examples)
    chooser.shuffle(shuffled)
    for start in range(0, len(shuffled) - size + 1, size):
        yield shuffled[start : start + size]


def _loss(
    model: Encoder,
    base: "BaseVectors",
    sets: Sequence[TextSet],
    unnamed: Sequence[TextSet],
    batch: Sequence[Example],
    texts: Texts,
    plan: Plan,
    chooser: random.Random,
) -> Tensor:
    questions, documents, keys = list[str](), list[str](), list[tuple[int, int]]()
    hard, hard_keys = list[str](), list[tuple[int, int]]()
    for one in batch:
        form = unnamed[one.set] if chooser.random() < plan.unnamed else sets[one.set]
        questions.append(form.questions[one.question].text)
        documents.append(form.units[one.target])
        keys.append((one.set, one.target))
        for place in chooser.sample(one.negatives, min(plan.negatives, len(one.negatives))):
            hard.append(form.units[place])
            hard_keys.append((one.set, place))
    keys += hard_keys
    documents += hard
    coded = torch.tensor([sets[key[0]].kind in ("functions", "code", "code-and-tech") for key in keys])
    with autocast():
        asked: Tensor = model(*texts.batch(questions)).float()
        found: Tensor = model(*texts.batch(documents)).float()
    scores = asked @ found.T / plan.temperature
    scores = scores.masked_fill(_other_answers(batch, keys).to(scores.device), -1e4)
    targets = torch.arange(len(batch), device=scores.device)
    loss = functional.cross_entropy(scores, targets)
    if plan.reverse:
        loss = loss + plan.reverse * functional.cross_entropy(scores[:, : len(batch)].T, targets)
    weight = torch.where(coded, plan.code_pull, plan.pull).to(scores.device)
    apart = 1 - (found * base.of(documents)).sum(1)
    apart_asked = 1 - (asked * base.of(questions)).sum(1)
    return loss + (weight * apart).mean() + (weight[: len(batch)] * apart_asked).mean()


def _other_answers(batch: Sequence[Example], keys: Sequence[tuple[int, int]]) -> Tensor:
    """Return which units answer a question without standing for its answer: they count neither for nor against it."""
    columns: dict[int, list[tuple[int, int]]] = {}
    for column, (set, place) in enumerate(keys):
        columns.setdefault(set, []).append((column, place))
    other = torch.zeros(len(batch), len(keys), dtype=torch.bool)
    for row, one in enumerate(batch):
        for column, place in columns[one.set]:
            other[row, column] = column != row and place in one.answers
    return other


def _parameter_groups(model: Encoder) -> list[dict[str, object]]:
    decayed = [value for name, value in model.named_parameters() if value.ndim > 1]
    others = [value for name, value in model.named_parameters() if value.ndim <= 1]
    return [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]


def _rate(step: int, steps: int, warm_up: float) -> float:
    rising = max(1, int(steps * warm_up))
    return step / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))


@torch.no_grad()
def _average(kept: Encoder, model: Encoder, decay: float) -> None:
    for mine, other in zip(kept.parameters(), model.parameters(), strict=True):
        mine.lerp_(other, 1 - decay)
