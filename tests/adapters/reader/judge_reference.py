"""Reference log-odds of the judge's network, as PyTorch gives them with float weights; `judge-export` records them."""

import json
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).parents[2] / "data" / "reader" / "judge_reference.json"
# What int8 weights and activations may change: decisive log-odds are several times as large.
TOLERANCE = 2.0
PROMPT = "looks good to me, commit it"
MEMORIES = (
    "Commit messages: imperative, at most 60 characters, no emoji.",
    "The spare keys of the office hang behind the printer.",
    "Releasing: bump version.go, update the changelog, tag on main, then run goreleaser.",
    "The Homebrew tap is maintained by Ilse Vandamme.",
)


def read() -> list[float]:
    """Return the recorded log-odds."""
    found: list[float] = json.loads(FILE.read_text(encoding="ascii"))
    return found


def write(odds: Sequence[float]) -> None:
    """Record log-odds."""
    FILE.write_text(json.dumps([round(one, 4) for one in odds], indent=0) + "\n", encoding="ascii")
