"""Capture on written conversations, and the grades of captured observations: precision and recall of what is kept.

`python -m bench.capture` lists every mistake. Both sets have halves: rules are made with the development files in view.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bench import ROOT
from bench.report.results import Result, machine
from satchel.domain.policies import AutoCapturePolicy
from satchel.domain.record import Label
from satchel.domain.text import normalize_text
from satchel.observations.event import CaptureContext, parse_event
from satchel.observations.grade import heuristic
from satchel.observations.ingest import text_to_grade
from satchel.turns.choose import choose
from satchel.turns.extract import CaptureCandidate, TurnMessage, extract

TURNS = ROOT / "tests" / "data" / "turns"
OBSERVATIONS = ROOT / "tests" / "data" / "observations"
LANGUAGES = {"en": "English", "zh": "Chinese"}


class Score(Struct):
    """Result of some turns."""

    turns: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    """Secrets and injected text that were kept."""

    @property
    def precision(self) -> float:
        """Share of the kept memories that were expected."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """Share of the expected memories that were kept."""
        return self.right / max(1, self.right + len(self.missed))


def turns(path: Path) -> Iterator[dict[str, Any]]:
    """Return the rows of a file."""
    for line in path.read_text(encoding="utf-8").strip().split("\n"):
        yield json.loads(line)


def captured(turn: Mapping[str, Any]) -> tuple[CaptureCandidate, ...]:
    """Return what is kept of a turn under the default policy, with todos if the turn allows them."""
    policy = replace(AutoCapturePolicy(), capture_todo=turn["todo"])
    messages = [TurnMessage(one["role"], (one["text"],)) for one in turn["messages"]]
    return choose(extract(messages, policy), policy).kept


def score(several: Sequence[Mapping[str, Any]]) -> Score:
    """Compare what is kept with what is expected: the span is in the text, and category and scope are the same."""
    result = Score(turns=len(several))
    for turn in several:
        kept = list(captured(turn))
        for wanted in turn["expected"]:
            match = next((one for one in kept if _is(one, wanted)), None)
            if match is None:
                result.missed.append(f"{turn['id']} {wanted['category']}: {wanted['text']}")
            else:
                kept.remove(match)
                result.right += 1
        result.wrong += [f"{turn['id']} {one.kind} ({one.cue}): {one.text}" for one in kept]
        forbidden = [*turn["secrets"], *turn["injected"]]
        result.leaked += [f"{turn['id']}: {text}" for text in forbidden for one in captured(turn) if text in one.text]
    return result


def measure() -> Result:
    """Score both halves, each language separately."""
    rows = []
    for path in sorted(TURNS.glob("*.jsonl")):
        several = list(turns(path))
        for language, name in LANGUAGES.items():
            done = score([turn for turn in several if turn["language"] == language])
            rows.append(
                {
                    "half": path.stem,
                    "language": name,
                    "turns": done.turns,
                    "precision": round(done.precision, 4),
                    "recall": round(done.recall, 4),
                    "wrong": len(done.wrong),
                    "missed": len(done.missed),
                    "leaked": len(done.leaked),
                }
            )
    return {
        "machine": machine(),
        "rows": rows,
        "grades": [_grades(path) for path in sorted(OBSERVATIONS.glob("*.jsonl"))],
    }


def _grades(path: Path) -> dict[str, Any]:
    """Score the labels of a half. An observation is kept unless it is labelled `ignore`."""
    both = [(Label(one["label"]), label_of(one["event"])) for one in turns(path)]
    kept = [wanted is not Label.IGNORE for wanted, given in both if given is not Label.IGNORE]
    missed = sum(given is Label.IGNORE for wanted, given in both if wanted is not Label.IGNORE)
    return {
        "half": path.stem,
        "observations": len(both),
        "label_right": round(sum(wanted is given for wanted, given in both) / len(both), 4),
        "precision": round(sum(kept) / max(1, len(kept)), 4),
        "recall": round(sum(kept) / max(1, sum(kept) + missed), 4),
    }


def label_of(event: Mapping[str, object]) -> Label:
    """Return the label an event gets when it is ingested."""
    parsed = parse_event(event, CaptureContext(0, "global"))
    assert parsed is not None
    return heuristic(text_to_grade(parsed.summary, parsed.text, parsed.detail)).label


def main() -> None:
    """Print what was kept wrongly, missed, leaked or graded wrongly."""
    for path in sorted(TURNS.glob("*.jsonl")):
        done = score(list(turns(path)))
        for what, lines in (("kept", done.wrong), ("missed", done.missed), ("leaked", done.leaked)):
            for line in sorted(lines):
                print(f"{path.stem} {what}: {line}")
    for path in sorted(OBSERVATIONS.glob("*.jsonl")):
        for one in turns(path):
            if (label := label_of(one["event"])) != one["label"]:
                print(f"{path.stem} graded {label}, not {one['label']}: {json.dumps(one['event'], ensure_ascii=False)}")


def _is(one: CaptureCandidate, wanted: Mapping[str, Any]) -> bool:
    spans = normalize_text(wanted["text"]) in normalize_text(one.text)
    return spans and one.kind == wanted["category"] and one.scope == wanted["scope"]


if __name__ == "__main__":
    main()
