"""Fine-tune the encoder: in-batch negatives, hard negatives of the same conversation, and a pull towards the base model."""

import copy
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from training.network import Encoder, Texts, embed, vectors_of
from training.sets import SPEAKER, Question, TextSet, questions_of, without_speakers
from training.teacher import Candidates, Place, TeacherPlan, teach

# Candidates for hard negatives per question; every epoch draws some of them.
MINED = 16
# A question with many answers gives this many examples.
MAX_TARGETS = 4
CODE_KINDS = ("functions", "code", "code-and-tech")
# In a pool of functions the nearest ones often do the same, so they are no negatives.
SKIPPED_IN_POOL = 4


@dataclass(frozen=True)
class Plan:
    """How to train."""

    epochs: int = 4
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
    taught: float = 0.0
    """Weight of ranking an answer and its hard negatives as a teacher does that reads question and unit together."""
    average: float = 0.995
    """Decay of the moving average of the weights that is kept; 0 keeps the last weights."""
    unnamed: float = 0.5
    """Share of examples whose speakers are taken out of unit and question."""
    words: float = 0.25
    """What the words that a unit shares with the question count beside the cosine when hard negatives are mined."""
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
    mined = mine(base, sets, texts, plan.words)
    taught = teach(base, sets, _candidates(mined), texts, TeacherPlan(), say) if plan.taught else {}
    coded = [one.kind in CODE_KINDS for one in sets]
    examples = _repeated(mined, sets, times)
    steps = plan.epochs * (len(examples) // plan.batch)
    optimizer = torch.optim.AdamW(_parameter_groups(model), lr=plan.rate, fused=device.type == "cuda")
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps, plan.warm_up))
    done = 0
    for epoch in range(plan.epochs):
        model.train()
        total = torch.zeros((), device=device)
        for batch in _batches(examples, plan.batch, chooser):
            drawn = _draw(batch, (sets, unnamed), plan, chooser)
            loss = _loss(model, known, coded, taught, batch, drawn, texts, plan)
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


def mine(model: Encoder, sets: Sequence[TextSet], texts: Texts, words: float = 0.0) -> list[Example]:
    """Return an example per question and answer, with the units of its set that are nearest to the question."""
    units = embed(model, texts, [unit for one in sets for unit in one.units])
    asked = embed(model, texts, [question.text for _, question in questions_of(sets)])
    examples, unit_start, question_place = list[Example](), 0, 0
    for number, one in enumerate(sets):
        own = units[unit_start : unit_start + len(one.units)]
        unit_start += len(one.units)
        shared = SharedWords(texts, one.units)
        for asked_as, question in enumerate(one.questions):
            nearness = own @ asked[question_place]
            if words:
                nearness = nearness + words * torch.tensor(shared.shares(question.text), device=own.device)
            order = nearness.argsort(descending=True).tolist()
            question_place += 1
            excluded = _near_answers(one, question)
            mined = [place for place in order if place not in excluded]
            mined = mined[SKIPPED_IN_POOL if one.kind == "functions" else 0 :][:MINED]
            answers = frozenset(question.answers)
            examples += [
                Example(number, asked_as, answers, target, tuple(mined)) for target in question.answers[:MAX_TARGETS]
            ]
    return examples


class SharedWords:
    """How much of a question stands in each unit of a set: rare words count more."""

    def __init__(self, texts: Texts, units: Sequence[str]) -> None:
        self._texts = texts
        self._units = [frozenset(texts.ids(unit)) for unit in units]
        self._counts = Counter(token for unit in self._units for token in unit)

    def shares(self, question: str) -> list[float]:
        """Return the weighted share of the question's tokens that each unit has."""
        weights = {
            token: math.log(1 + len(self._units) / (1 + self._counts[token]))
            for token in set(self._texts.ids(question))
        }
        whole = sum(weights.values())
        return [sum(weights[token] for token in unit & weights.keys()) / whole for unit in self._units]


def _candidates(examples: Sequence[Example]) -> dict[Place, Candidates]:
    """Return what the teachers score of each question."""
    found: dict[Place, Candidates] = {}
    for one in examples:
        answers = found[one.set, one.question].answers if (one.set, one.question) in found else ()
        found[one.set, one.question] = Candidates((*answers, one.target), one.negatives)
    return found


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


@dataclass(frozen=True)
class Drawn:
    """The texts of a batch: its questions, the units that answer them, and the hard negatives of each."""

    questions: list[str]
    units: list[str]
    keys: list[Place]
    """The set and the place of each unit."""
    own: list[list[int]]
    """For each question which units were drawn for it: the one that answers it first."""


def _draw(batch: Sequence[Example], forms: Sequence[Sequence[TextSet]], plan: Plan, chooser: random.Random) -> Drawn:
    chosen = [forms[chooser.random() < plan.unnamed][one.set] for one in batch]
    drawn = Drawn(
        [form.questions[one.question].text for form, one in zip(chosen, batch, strict=True)],
        [form.units[one.target] for form, one in zip(chosen, batch, strict=True)],
        [(one.set, one.target) for one in batch],
        [[row] for row in range(len(batch))],
    )
    for form, one, own in zip(chosen, batch, drawn.own, strict=True):
        for place in chooser.sample(one.negatives, min(plan.negatives, len(one.negatives))):
            own.append(len(drawn.units))
            drawn.units.append(form.units[place])
            drawn.keys.append((one.set, place))
    return drawn


def _loss(
    model: Encoder,
    base: "BaseVectors",
    coded: Sequence[bool],
    taught: Mapping[Place, Mapping[int, float]],
    batch: Sequence[Example],
    drawn: Drawn,
    texts: Texts,
    plan: Plan,
) -> Tensor:
    vectors = vectors_of(model, texts, [*drawn.questions, *drawn.units])
    asked, found = vectors.split([len(drawn.questions), len(drawn.units)])
    scores = asked @ found.T / plan.temperature
    scores = scores.masked_fill(_other_answers(batch, drawn.keys).to(scores.device), -1e4)
    targets = torch.arange(len(batch), device=scores.device)
    loss = functional.cross_entropy(scores, targets)
    if plan.reverse:
        loss = loss + plan.reverse * functional.cross_entropy(scores[:, : len(batch)].T, targets)
    if taught:
        loss = loss + plan.taught * _teacher_loss(scores, batch, drawn, taught)
    is_code = torch.tensor([coded[set] for set, _ in drawn.keys], device=scores.device)
    weight = torch.where(is_code, plan.code_pull, plan.pull)
    apart = 1 - (found * base.of(drawn.units)).sum(1)
    apart_asked = 1 - (asked * base.of(drawn.questions)).sum(1)
    return loss + (weight * apart).mean() + (weight[: len(batch)] * apart_asked).mean()


def _teacher_loss(
    scores: Tensor, batch: Sequence[Example], drawn: Drawn, taught: Mapping[Place, Mapping[int, float]]
) -> Tensor:
    """Return how far the shares of an answer and its hard negatives are from those that the teacher gives them."""
    most = max(map(len, drawn.own))
    columns = torch.tensor([[*own, *[own[0]] * (most - len(own))] for own in drawn.own], device=scores.device)
    known = [
        [taught[one.set, one.question][drawn.keys[column][1]] for column in own]
        for one, own in zip(batch, drawn.own, strict=True)
    ]
    wanted = torch.tensor([[*row, *[-1e4] * (most - len(row))] for row in known], device=scores.device)
    is_filled = wanted > -1e4
    shares = scores.gather(1, columns).masked_fill(~is_filled, -1e4).log_softmax(1)
    return -(wanted.softmax(1) * shares.clamp(min=-100)).sum(1).mean()


def _other_answers(batch: Sequence[Example], keys: Sequence[Place]) -> Tensor:
    """Return which units answer a question without standing for its answer: they count neither for nor against it."""
    columns: dict[int, list[Place]] = {}
    for column, (set, place) in enumerate(keys):
        columns.setdefault(set, []).append((column, place))
    other = np.zeros((len(batch), len(keys)), bool)
    for row, one in enumerate(batch):
        for column, place in columns[one.set]:
            other[row, column] = column != row and place in one.answers
    return torch.from_numpy(other)


def _parameter_groups(model: Encoder) -> list[dict[str, object]]:
    decayed = [value for name, value in model.named_parameters() if value.ndim > 1]
    others = [value for name, value in model.named_parameters() if value.ndim <= 1]
    return [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]


def _rate(step: int, steps: int, warm_up: float) -> float:
    rising = max(1, int(steps * warm_up))
    return step / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))


@torch.no_grad()
def _average(kept: Encoder, model: Encoder, decay: float) -> None:
    torch._foreach_lerp_(list(kept.parameters()), list(model.parameters()), 1 - decay)
