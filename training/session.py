"""One training session: load the prepared folder, train, evaluate, and write the weights with their figures."""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from satchel.adapters.embedders.han_words import has_han
from training.chinese import read_pairs
from training.chinese_rows import RowPlan, first_rows, learn_rows
from training.evaluate import Figures, evaluate, pooled, read_dev
from training.network import Encoder, Texts, exported, load_encoder
from training.prepared import (
    BASE_FILE,
    CHINESE_FILE,
    DEV_FILE,
    DICTIONARY_FILE,
    FIGURES_FILE,
    SETS_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
)
from training.sets import TextSet, read_sets, split
from training.train import Plan, train


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Session:
    """What was prepared, on the device that trains."""

    def __init__(self, prepared: Path, held: float) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if self.device.type == "cpu":
            say("no accelerator was found: this takes minutes on one, and about two weeks on two cores")
        # The base model has no Chinese words: `run_chinese` adds them to what is trained here.
        self.texts = Texts(prepared / TOKENIZER_FILE, None, self.device)
        self.base = load_encoder(prepared / BASE_FILE).to(self.device)
        self.sets, self.held = split(read_sets(prepared / SETS_FILE), held, seed=1)
        self.dev = read_dev(prepared / DEV_FILE) if (prepared / DEV_FILE).exists() else {}

    def train(self, plan: Plan, times: Mapping[str, int]) -> Encoder:
        """Train by a plan; `times` says how often an epoch uses the sets of a kind."""
        return train(self.base, self.sets, times, self.texts, plan, self.device, say)

    def figures(self, encoder: Encoder) -> dict[str, Figures]:
        """Measure an encoder on the development sets and on what was held out."""
        found = {name: evaluate(encoder, self.texts, sets) for name, sets in self.dev.items()}
        for kind in sorted({one.kind for one in self.held}):
            found[f"held {kind}"] = evaluate(encoder, self.texts, [pooled(_of_kind(self.held, kind))])
        return found


def run_training(prepared: Path, out: Path, plan: Mapping[str, float], times: Mapping[str, int], held: float) -> None:
    """Train once and write the weights, the plan and the figures."""
    began = time.monotonic()
    session = Session(prepared, held)
    chosen = replace(Plan(), **plan)  # type: ignore[arg-type]
    before = session.figures(session.base)
    encoder = session.train(chosen, times)
    after = session.figures(encoder)
    out.mkdir(parents=True, exist_ok=True)
    save_file(exported(encoder.state_dict()), out / WEIGHTS_FILE)
    report = {
        "plan": asdict(chosen),
        "times": dict(times),
        "sets": len(session.sets),
        "questions": sum(len(one.questions) for one in session.sets),
        "minutes": round((time.monotonic() - began) / 60, 1),
        "device": torch.cuda.get_device_name() if session.device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "figures": {name: {"base": str(before[name]), "trained": str(after[name])} for name in after},
    }
    (out / FIGURES_FILE).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for name in after:
        say(f"{name:28} {before[name]!s:>24}  ->  {after[name]!s:>24}")


def average_weights(trained: Sequence[Path], out: Path) -> None:
    """Write the mean of the weights of encoders that were trained from the same base model."""
    weights = [load_file(folder / WEIGHTS_FILE) for folder in trained]
    out.mkdir(parents=True, exist_ok=True)
    mean = {name: torch.stack([one[name].float() for one in weights]).mean(0).half() for name in weights[0]}
    save_file(mean, out / WEIGHTS_FILE)


def run_chinese(prepared: Path, trained: Path, out: Path, plan: Mapping[str, float], held: float) -> None:
    """Add Chinese words to a trained encoder, and write its weights and figures."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    texts = Texts(prepared / TOKENIZER_FILE, prepared / CHINESE_FILE, device)
    encoder = load_encoder(trained / WEIGHTS_FILE).to(device)
    pairs = read_pairs(prepared / DICTIONARY_FILE)
    glosses = dict(pairs)
    words = (prepared / CHINESE_FILE).read_text(encoding="utf-8").splitlines()
    rows = first_rows(encoder, texts, [glosses[word.partition(" ")[0]] for word in words])
    encoder.words = torch.nn.Embedding.from_pretrained(
        torch.cat([encoder.words.weight.detach()[: texts.first_chinese], rows])
    )
    chinese = [
        one for one in read_sets(prepared / SETS_FILE) if sum(has_han(unit) for unit in one.units) * 2 > len(one.units)
    ]
    sets, kept = split(chinese, held, seed=1)
    before = evaluate(encoder, texts, kept or sets)
    learn_rows(encoder, texts, pairs, sets, replace(RowPlan(), **plan), say)  # type: ignore[arg-type]
    after = evaluate(encoder, texts, kept or sets)
    say(f"{len(sets)} sets of Chinese notes to train on, {len(kept)} held: first rows {before}, learnt {after}")
    out.mkdir(parents=True, exist_ok=True)
    save_file(exported(encoder.state_dict()), out / WEIGHTS_FILE)


def _of_kind(sets: Sequence[TextSet], kind: str) -> list[TextSet]:
    return [one for one in sets if one.kind == kind]
