"""Learn to tell from a prompt whether it is about the person's own matters: a logistic regression over the prompt's vector.

The prompts are those of `training/prompts`, and of the development part of the turn benchmark.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from bench.turns import OFF_TOPIC, PARTS, read_cases

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.turns.own_matters import cues
from training.logistic import Array, fit_logistic

PROMPTS = Path(__file__).parent / "prompts"
TARGET = Path(__file__).parent.parent / "src" / "satchel" / "turns" / "own_matters_weights.py"
# Vectors have unit length, so their values are small next to the cues.
STRETCH = 5.0
RIDGE, RIDGE_OF_CUES = 15.0, 1.0
# The benchmark's prompts are fewer, and most of them are about own matters.
OWN_WEIGHT, GENERAL_WEIGHT = 2.0, 6.0


def learn(target: Path = TARGET) -> None:
    """Fit the weights and write the module that holds them."""
    prompts, own, weights = _examples()
    vectors = np.array(OnnxEncoder(BUNDLED_MODEL, FOLDER, "").embed(prompts), dtype=np.float64)
    said = np.array([cues(prompt) for prompt in prompts], dtype=np.float64)
    ones = np.ones((len(prompts), 1))
    ridge = np.array([1e-6, *[RIDGE_OF_CUES] * said.shape[1], *[RIDGE] * vectors.shape[1]])
    fitted = fit_logistic(np.hstack([ones, said, STRETCH * vectors]), own, weights, ridge)
    alone = fit_logistic(np.hstack([ones, said]), own, weights, ridge[: 1 + said.shape[1]])
    by_meaning = STRETCH * fitted[1 + said.shape[1] :]
    scale = float(np.abs(by_meaning).max()) / 127
    packed = base64.b85encode(np.rint(by_meaning / scale).astype(np.int8).tobytes()).decode()
    target.write_text(_module(fitted, alone, said.shape[1], scale, packed), encoding="utf-8")


def _examples() -> tuple[list[str], Array, Array]:
    prompts, own, weights = list[str](), list[float](), list[float]()
    for path in sorted(PROMPTS.glob("*.jsonl")):
        for one in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            prompts.append(one["prompt"])
            own.append(float(one["own"]))
            weights.append(1.0)
    for case in read_cases():
        for asked in case.prompts if case.part == PARTS[0] else ():
            is_own = asked.family != OFF_TOPIC
            if not is_own and cues(asked.prompt)[-1]:
                # Off topic only because nothing is stored about it: "do we have fire insurance?" is about own matters.
                continue
            prompts.append(asked.prompt)
            own.append(float(is_own))
            weights.append(OWN_WEIGHT if is_own else GENERAL_WEIGHT)
    return prompts, np.array(own), np.array(weights)


def _module(fitted: Array, alone: Array, cue_count: int, scale: float, packed: str) -> str:
    def rounded(values: Any) -> str:
        return ", ".join(f"{value:.3f}" for value in values)

    lines = [packed[start : start + 100] for start in range(0, len(packed), 100)]
    text = "\n".join(f"    {json.dumps(line)}" for line in lines)
    return (
        '"""Weights of `own_matters`, written by `python -m training prompts`."""\n\n'
        f"BIAS = {fitted[0]:.3f}\n"
        f"CUES = ({rounded(fitted[1 : 1 + cue_count])})\n"
        f'"""Of each cue, beside the vector."""\n'
        f"CUES_ALONE = ({rounded(alone)})\n"
        f'"""The bias, and of each cue, without a vector."""\n'
        f"SCALE = {scale:.6f}\n"
        f"WEIGHTS = (\n{text}\n)\n"
        f'"""Of each value of the vector: int8, to be multiplied by SCALE, in base 85."""\n'
    )
