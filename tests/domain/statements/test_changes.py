"""Announced changes: what a cue looks for before its pattern is compiled is in everything that it matches."""

import json
from pathlib import Path

from satchel.domain.statements.changes import _CUES, _compiled
from satchel.domain.statements.detect import fold

PAIRS = Path(__file__).parents[3] / "training" / "changes"


def _texts() -> list[str]:
    files = sorted(PAIRS.glob("pairs-*.jsonl"))
    rows = [json.loads(line) for one in files for line in one.read_text(encoding="utf-8").splitlines()]
    return [fold(text) for row in rows for text in row.values() if isinstance(text, str)]


def test_a_cue_misses_nothing_that_its_pattern_matches() -> None:
    texts = _texts()
    matched = {(cue.name, text) for cue in _CUES for text in texts if _compiled(cue.pattern).search(text)}

    assert matched == {(cue.name, text) for cue in _CUES for text in texts if cue.find(text)}
    assert len({name for name, _ in matched}) > len(_CUES) // 2


def test_most_texts_compile_no_pattern() -> None:
    texts = [text for text in _texts() if not any(cue.find(text) for cue in _CUES)]
    looked_at = [cue for cue in _CUES for text in texts if any(word in text for word in cue.words)]

    assert len(looked_at) < len(texts) * len(_CUES) / 4
