"""Reference scores of the reader's network, as PyTorch gives them with float weights; `reader-export` records them."""

import json
from pathlib import Path

import numpy as np

from satchel.adapters.reader.network import Scores

FILE = Path(__file__).parents[2] / "data" / "reader" / "reference.json"
# What int8 weights and activations may change: decisive log-odds are several times as large.
TOLERANCE = 1.5
# Log-odds beyond this are compared as this: every limit is far from it, and int8 moves a large one by more.
FURTHEST = 8.0
QUESTION = "Why do we empty the bins twice a week?"
MESSAGES = (
    "how often should the bins be emptied?",
    "weekly is what we do now",
    "in summer they overflow after four days",
    "ok, twice a week then",
    "the gate squeaks again by the way",
)
PARTS = ("decision", "reason", "replaced", "settles", "undecided")


def read() -> Scores:
    """Return the recorded scores."""
    stored = json.loads(FILE.read_text(encoding="ascii"))
    parts = {name: np.array(stored[name], np.float32) for name in PARTS}
    return Scores(**parts, chosen=int(parts["decision"].argmax()), none=stored["none"])


def write(scores: Scores) -> None:
    """Record scores."""
    rounded = {name: [round(float(one), 4) for one in getattr(scores, name)] for name in PARTS}
    FILE.write_text(json.dumps({**rounded, "none": round(scores.none, 4)}, indent=0) + "\n", encoding="ascii")
