"""Learn vectors for Chinese words, so that a frozen encoder reads a Chinese text as it reads its English translation.

Only the vectors of the new words change: what the encoder makes of every other text stays the same to the last bit.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training.network import Encoder, Texts, autocast
from training.sets import TextSet

# The second meaning of a word counts half of the first.
GLOSS_WEIGHTS = (1.0, 0.5)
# Share of samples with the first meaning of a word; the others have any.
FIRST_MEANING = 0.7
# How many dictionary entries are read as one text: alone, and as parts of something longer.
ENTRIES_IN_TEXT = (1, 1, 2, 3, 5)


@dataclass(frozen=True)
class RowPlan:
    """How to learn the vectors."""

    steps: int = 2_600
    batch: int = 512
    questions: int = 16
    rate: float = 1e-3
    temperature: float = 0.05
    pull: float = 1.0
    """Weight of the distance to the vector of the translation."""
    notes: float = 0.5
    """Weight of finding the unit that answers a question in Chinese notes."""
    seed: int = 18


def first_rows(encoder: Encoder, texts: Texts, glosses: Sequence[Sequence[str]]) -> Tensor:
    """Return a vector per word to begin with: the mean of the word vectors of its first glosses."""
    table = encoder.words.weight.detach()
    typical = float(table.norm(dim=1).median())
    return torch.stack([_first_row(table, typical, texts, meanings) for meanings in glosses])


def _first_row(table: Tensor, typical: float, texts: Texts, meanings: Sequence[str]) -> Tensor:
    parts = [
        weight * table[texts.ids(meaning)[1:-1]].mean(0)
        for weight, meaning in zip(GLOSS_WEIGHTS, meanings, strict=False)
    ]
    row = torch.stack(parts).sum(0) / sum(GLOSS_WEIGHTS[: len(parts)])
    # A mean of several vectors is shorter than the vector of a word.
    return row * max(1.0, typical / float(row.norm()))


def learn_rows(
    encoder: Encoder,
    texts: Texts,
    pairs: Sequence[tuple[str, Sequence[str]]],
    sets: Sequence[TextSet],
    plan: RowPlan,
    say: Callable[[str], None],
) -> None:
    """Train the last rows of the encoder's word table, those of the texts' Chinese words."""
    torch.manual_seed(plan.seed)
    chooser = random.Random(plan.seed)
    for parameter in encoder.parameters():
        parameter.requires_grad_(False)
    encoder.eval()
    table, first = encoder.words.weight, texts.first_chinese
    rows = table[first:].clone().requires_grad_(True)
    optimizer = torch.optim.Adam([rows], lr=plan.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, plan.rate, total_steps=plan.steps, pct_start=0.05)
    questions = [(one, asked) for one in sets for asked in one.questions if asked.answers]
    total = 0.0
    for step in range(1, plan.steps + 1):
        whole = torch.cat([table[:first], rows])
        loss = _dictionary_loss(encoder, whole, texts, *_samples(pairs, plan.batch, texts, chooser), plan)
        if plan.notes and questions:
            asked = [
                (one.questions.index(q), one)
                for one, q in chooser.sample(questions, min(plan.questions, len(questions)))
            ]
            loss = loss + plan.notes * _notes_loss(encoder, whole, texts, asked, plan, chooser)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        total += float(loss.detach()) if step % 50 == 0 else 0.0
        if step % 1000 == 0:
            say(f"  step {step} of {plan.steps}: mean loss {total / 20:.3f}")
            total = 0.0
    with torch.no_grad():
        table[first:] = rows


Tokens = list[int]


def _samples(
    pairs: Sequence[tuple[str, Sequence[str]]], size: int, texts: Texts, chooser: random.Random
) -> tuple[list[Tokens], list[Tokens]]:
    """Return texts in Chinese and their translations, each made of dictionary entries."""
    chinese, english = list[Tokens](), list[Tokens]()
    for _ in range(size):
        entries = [chooser.choice(pairs) for _ in range(chooser.choice(ENTRIES_IN_TEXT))]
        # The first meaning is the most common one.
        meanings = [
            glosses[0] if chooser.random() < FIRST_MEANING else chooser.choice(glosses) for _, glosses in entries
        ]
        chinese.append(texts.joined([word for word, _ in entries]))
        english.append(texts.joined(meanings))
    return chinese, english


def _dictionary_loss(
    encoder: Encoder, table: Tensor, texts: Texts, chinese: Sequence[Tokens], english: Sequence[Tokens], plan: RowPlan
) -> Tensor:
    with autocast():
        with torch.no_grad():
            wanted = encoder(*texts.padded(english)).float()
        found = encoder(*texts.padded(chinese), table).float()
    scores = found @ wanted.T / plan.temperature
    targets = torch.arange(len(chinese), device=scores.device)
    nearest = functional.cross_entropy(scores, targets) + functional.cross_entropy(scores.T, targets)
    return nearest / 2 + plan.pull * (1 - (found * wanted).sum(1)).mean()


def _notes_loss(
    encoder: Encoder,
    table: Tensor,
    texts: Texts,
    asked: Sequence[tuple[int, TextSet]],
    plan: RowPlan,
    chooser: random.Random,
) -> Tensor:
    units, places = list[str](), list[int]()
    questions = list[str]()
    owners = list[tuple[int, int]]()
    for number, one in asked:
        question = one.questions[number]
        target = chooser.choice(question.answers)
        others = [place for place in range(len(one.units)) if place not in question.answers]
        questions.append(question.text)
        places.append(len(units))
        for place in (target, *chooser.sample(others, min(4, len(others)))):
            units.append(one.units[place])
            owners.append((id(one), place))
    with autocast():
        of_questions = encoder(*texts.batch(questions), table).float()
        of_units = encoder(*texts.batch(units), table).float()
    scores = of_questions @ of_units.T / plan.temperature
    other = torch.zeros(scores.shape, dtype=torch.bool)
    for row, (number, one) in enumerate(asked):
        answers = {(id(one), place) for place in one.questions[number].answers}
        for column, owner in enumerate(owners):
            other[row, column] = column != places[row] and owner in answers
    targets = torch.tensor(places, device=scores.device)
    return functional.cross_entropy(scores.masked_fill(other.to(scores.device), -1e4), targets)
