"""Train the judge: networks whose weights are averaged, and judgements of stores that were held out.

Nothing of `bench/data/turns.jsonl` is used here.
"""

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from training.judge_examples import Row, as_read
from training.judge_train import Plan, Prepared, judged, train
from training.reader_files import JUDGE_FILE, JUDGED_FILE

SEEDS = range(3)
FOLDS, ORDER = 5, 7
# How many memories are read with a prompt when the judgements are weighed, as in the product.
READ = 8


def run_training(prepared: Path, out: Path, folds: Sequence[int] = range(FOLDS)) -> None:
    """Train on everything, and on all but each of some fifths; write the weights and the judgements of those fifths."""
    out.mkdir(parents=True, exist_ok=True)
    stored = Prepared(prepared, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    stores = random.Random(ORDER).sample(stored.stores, len(stored.stores))
    states = [train(stored, stores, Plan(seed=seed)).state_dict() for seed in SEEDS]
    mean = {name: torch.stack([one[name].float() for one in states]).mean(0).half().cpu() for name in states[0]}
    torch.save(mean, out / JUDGE_FILE)
    held = [row for fold in folds for row in held_out_judgements(stored, stores, fold)]
    with gzip.open(out / JUDGED_FILE, "wt", encoding="ascii") as file:
        json.dump(held, file)


def held_out_judgements(prepared: Prepared, stores: Sequence[Row], fold: int) -> list[dict[str, Any]]:
    """Judge the prompts of stores that were held out, with all that is known of their memories."""
    seen = [store for number, store in enumerate(stores) if number % FOLDS != fold]
    asked = [(store, one) for store in stores[fold::FOLDS] for one in store["prompts"] if one["found"]]
    found = judged(prepared, train(prepared, seen, Plan()), [as_read(store, one, READ) for store, one in asked])
    return [
        {
            "judged": odds,
            "is_wanted": [place in one["wanted"] for place in one["found"][:READ]],
            "is_fine": [place in one["fine"] for place in one["found"][:READ]],
            "relevance": one["relevance"][:READ],
            "is_rule": one["is_rule"][:READ],
            "own": one["own"],
        }
        for (_, one), odds in zip(asked, found, strict=True)
    ]
