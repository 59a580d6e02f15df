"""Reference scores of the networks, as PyTorch gives them; `python -m training decisions` records them."""

import json
from pathlib import Path

import numpy as np

from satchel.adapters.reader.acts import Floats
from satchel.adapters.reader.network import Scores

FILE = Path(__file__).parents[2] / "data" / "reader" / "reference.json"
MESSAGES = 6
# The weights are stored in half precision.
TOLERANCE = 0.02


def inputs(features: int) -> tuple[Floats, Floats, Floats]:
    """Return a question, message vectors and standardized features that are no language but the same everywhere."""
    vectors = np.sin(np.arange((MESSAGES + 1) * 384, dtype=np.float32)).reshape(MESSAGES + 1, 384)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    waves = np.cos(np.arange(MESSAGES * features, dtype=np.float32)).reshape(MESSAGES, features)
    return vectors[0], vectors[1:], waves


def read() -> Scores:
    """Return the recorded scores."""
    stored = json.loads(FILE.read_text(encoding="ascii"))
    decision, reason, replaced = (np.array(stored[name], np.float32) for name in ("decision", "reason", "replaced"))
    return Scores(decision, reason, replaced, stored["none"])


def write(scores: Scores) -> None:
    """Record scores."""
    parts = {"decision": scores.decision, "reason": scores.reason, "replaced": scores.replaced}
    rounded = {name: [round(float(one), 4) for one in values] for name, values in parts.items()}
    FILE.write_text(json.dumps({**rounded, "none": round(scores.none, 4)}, indent=0) + "\n", encoding="ascii")
