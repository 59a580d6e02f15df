"""Fit the weights by which a value is likely a password: python -m training.likely_passwords [--file FILE …] [--plain FILE …]

Examples are the field corpus of the masking tests, without what it holds out, and harmless lines: the scenes of those
tests, and the docs and the code of this repository. --file adds JSON lines with `text` and `secret`, --plain adds
harmless text. The bias is set so that almost no harmless line has a value above it.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from tests.domain.safety.corpus.field import field_samples, idiom_samples
from tests.domain.safety.corpus.samples import samples
from tests.domain.safety.corpus.scenes import scenes

from satchel.domain.safety import likely_weights, made_up_passwords
from satchel.domain.safety.likely_features import names
from satchel.domain.safety.likely_passwords import candidates
from satchel.domain.safety.prefilter import candidate_rules

ROOT = Path(__file__).parent.parent
TARGET = Path(likely_weights.__file__)
Features = frozenset[str]
Example = tuple[str, tuple[str, ...]]
NAMES = tuple(dict.fromkeys(names()))
PLACE = {name: place for place, name in enumerate(NAMES)}
SECRET_WEIGHT, MOST_ALIKE = 3.0, 5
RIDGE, LONGEST_STEP = 2.0, 0.5
# What a feature is worth beforehand: the examples are too few to tell it alone.
BIAS_PRIOR = -5.0
PRIOR = {
    "inner_sign": 2.0, "looks_signed": 1.0, "looks_certain": 1.5, "odd": 1.0, "very_odd": 1.0, "accents": 0.5, "with": 1.0, "then": 1.5, "typed": 1.0, "is": 1.0,
    "changed": 1.5, "sign": 0.5, "worked": 1.0, "clause_ends": 0.5, "goes_on": 0.3, "act": 1.5, "near": 0.5, "far": -1.0, "password_cue": 1.0, "mail_cue": 0.5,
    "code": -2.0, "options": -1.0, "thing": -3.0, "in": -1.5, "number_part": -2.5, "hyphens_only": -1.5, "underscores_only": -1.0,
    "dots_only": -2.0, "small_parts": -2.0, "ampersand_of_capitals": -3.0, "capitals_part": -1.0, "url": -1.0, "new_and_hexadecimal": 2.0, "hash_and_hexadecimal": -3.0,
    "code_and_weak": -2.0, "other_sentence": -2.0, "led_and_signed": 1.0, "act_and_sign": 1.0,
}  # fmt: skip
# How many of the harmless texts may have a value above the bias.
MASKED_SHARE = 0.0001
# Added to the limit: hardly any harmless line here has a value that looks like a password at all.
MARGIN = 2.0


def examples(files: Iterable[Path]) -> Iterator[Example]:
    """Yield the texts that may be learned from, each with its secrets."""
    for sample in (*field_samples(), *idiom_samples(), *scenes(), *samples()):
        if not sample.held and sample.group != "known":
            yield sample.text, sample.secrets
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield row["text"], (row["secret"],) if row.get("secret") else ()


def plain_texts(files: Iterable[Path]) -> Iterator[str]:
    """Yield harmless lines: the docs and the code of the repository, without what is about secrets, and other files."""
    own = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), *ROOT.glob("bench/**/*.py")]
    for path in (*(one for one in sorted(own) if not re.search("safety|secret|redact|mask|trust", str(one))), *files):
        # The usual example of a password is one.
        yield from (line for line in path.read_text(encoding="utf-8").splitlines() if "hunter2" not in line)


def values_of(text: str) -> Iterator[tuple[str, Features]]:
    """Yield what may be a password in a text, once for each word that announces one."""
    for rule in candidate_rules(text):
        cue = made_up_passwords.CUES.get(rule.values) if rule.values else None
        for found in rule.regex().finditer(text) if cue else ():
            for (start, end), features in candidates(text, found, cue or ""):
                yield text[start:end], frozenset(features)


def vectors(found: Sequence[Features]) -> np.ndarray:
    """Return features as numbers, the last of which is always 1."""
    rows = np.zeros((len(found), len(NAMES) + 1))
    rows[:, -1] = 1
    for row, features in zip(rows, found, strict=True):
        row[[PLACE[name] for name in features]] = 1
    return rows


def fit(rows: np.ndarray, targets: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the weights that tell secrets from harmless values, by Newton's method from what each is worth beforehand."""
    prior = np.array([PRIOR.get(name, 0.0) for name in NAMES] + [BIAS_PRIOR])
    weights = prior.copy()
    for _ in range(60):
        share = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (counts * (share - targets)) + RIDGE * (weights - prior)
        bend = (rows * (counts * share * (1 - share))[:, None]).T @ rows + RIDGE * np.eye(len(prior))
        step = np.linalg.solve(bend, slope)
        weights -= step * min(1.0, LONGEST_STEP / np.abs(step).max())
    return weights


def main() -> None:
    """Fit the weights and write their module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, action="append", default=[])
    parser.add_argument("--plain", type=Path, action="append", default=[])
    asked = parser.parse_args()
    secret, harmless = Counter[Features](), Counter[Features]()
    worst: list[frozenset[Features]] = []
    for text, secrets in (*examples(asked.file), *((line, ()) for line in plain_texts(asked.plain))):
        found = [(value, features) for value, features in values_of(text)]
        is_part = [any(value in one or one in value for one in secrets) for value, _ in found]
        secret.update(features for (_, features), one in zip(found, is_part, strict=True) if one)
        harmless.update(features for (_, features), one in zip(found, is_part, strict=True) if not one)
        if not secrets:
            worst.append(frozenset(features for _, features in found))
    rows = [*secret, *harmless]
    counts = [min(secret[one], MOST_ALIKE) * SECRET_WEIGHT for one in secret] + [
        min(harmless[one], MOST_ALIKE) for one in harmless
    ]
    targets = np.array([1.0] * len(secret) + [0.0] * len(harmless))
    weights = fit(vectors(rows), targets, np.array(counts, float))
    scores = sorted(float((vectors(list(one)) @ weights).max(initial=-99.0)) for one in worst)
    limit = max(0.0, scores[-1 - int(MASKED_SHARE * len(scores))]) + MARGIN
    TARGET.write_text(written(weights, float(weights[-1]) - limit), encoding="utf-8")
    reached = sum((vectors([one]) @ weights)[0] > limit for one in secret)
    sys.stdout.write(
        f"{len(secret)} secret and {len(harmless)} harmless sorts of value, limit {limit:.2f}, {reached} secret above it\n"
    )


def written(weights: np.ndarray, bias: float) -> str:
    """Return the module of the weights."""
    rounded = {name: round(float(weights[place]), 2) for name, place in PLACE.items()}
    lines = [f'    "{name}": {weight},' for name, weight in rounded.items() if weight]
    head = (
        '"""Weights of what speaks for a value being a password, written by `python -m training.likely_passwords`."""\n'
    )
    return "\n".join([head, f"BIAS = {bias:.2f}", "WEIGHTS: dict[str, float] = {", *lines, "}\n"])


if __name__ == "__main__":
    main()
