"""Compare the token estimate with real tokenizers: a Markdown table of its error for each kind of text.

Texts are the files of a folder with one subfolder per kind. A tokenizer is a `tokenizer.json`, or a command that reads
lines, each a text as a JSON string, and answers each with a line that holds a number.
"""

import argparse
import json
import random
import shlex
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from tokenizers import Tokenizer

from satchel.domain.tokens import estimate_tokens

Counting = Callable[[Sequence[str]], list[int]]

SEED = 20
# The size of a memory, a summary or a section, by the tokenizer that counts most.
LEAST_TOKENS, MOST_TOKENS = 50, 400
SPEED_RUNS = 5


class Passage(Struct, frozen=True):
    """A piece of text, its estimate, and the count of each tokenizer."""

    text: str
    estimate: int
    real: dict[str, int]

    @property
    def highest(self) -> int:
        """The highest count of a tokenizer."""
        return max(self.real.values())


def main() -> None:
    """Print the tables."""
    given = _parser().parse_args()
    counting = dict(map(_tokenizer, given.tokenizer))
    kinds = {
        folder.name: _passages(folder, counting, given.passages)
        for folder in sorted(given.texts.iterdir())
        if folder.is_dir()
    }
    print(_ratios(kinds, list(counting)))


def _passages(folder: Path, counting: dict[str, Counting], most: int) -> list[Passage]:
    chance = random.Random(SEED)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = [piece for path in files for piece in _cut(path.read_text(encoding="utf-8", errors="replace"), chance)]
    # Twice as many as needed: some turn out too short or too long.
    chosen = chance.sample(texts, min(len(texts), 2 * most))
    counted = {name: count(chosen) for name, count in counting.items()}
    passages = [
        Passage(text, estimate_tokens(text), {name: counts[at] for name, counts in counted.items()})
        for at, text in enumerate(chosen)
    ]
    return [one for one in passages if LEAST_TOKENS <= one.highest <= MOST_TOKENS][:most]


def _cut(text: str, chance: random.Random) -> list[str]:
    """Cut a text, at line ends if possible, into pieces of about the wanted size."""
    pieces, start = [], 0
    while start < len(text):
        wanted = chance.randint(LEAST_TOKENS, MOST_TOKENS)
        # A rough guess: pieces of other sizes are filtered out later.
        length = wanted * 4 if text[start : start + 200].isascii() else wanted
        end = text.find("\n", start + length, start + 2 * length)
        end = start + length if end < 0 else end
        pieces.append(text[start:end])
        start = end + 1
    return pieces


def _ratios(kinds: dict[str, list[Passage]], names: list[str]) -> str:
    head = ["text", "passages", "median", "5 %", "95 %", "not undercounted", *names, "MB/s"]
    rows = [_row(kind, passages, names) for kind, passages in kinds.items() if passages]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])


def _row(kind: str, passages: list[Passage], names: list[str]) -> list[str]:
    ratios = sorted(one.estimate / one.highest for one in passages)
    enough = sum(ratio >= 1 for ratio in ratios) / len(ratios)
    each = [statistics.median(one.estimate / one.real[name] for one in passages) for name in names]
    middle = [statistics.median(ratios), ratios[len(ratios) // 20], ratios[len(ratios) * 19 // 20]]
    figures = [f"{ratio:.2f}" for ratio in middle]
    return [kind, str(len(passages)), *figures, f"{enough:.0%}", *(f"{ratio:.2f}" for ratio in each), _speed(passages)]


def _speed(passages: list[Passage]) -> str:
    size = sum(len(one.text.encode()) for one in passages)
    return f"{size / min(_seconds(passages) for _ in range(SPEED_RUNS)) / 1e6:.1f}"


def _seconds(passages: list[Passage]) -> float:
    start = time.process_time()
    for one in passages:
        estimate_tokens(one.text)
    return time.process_time() - start


def _tokenizer(given: str) -> tuple[str, Counting]:
    name, _, source = given.partition("=")
    return name, _counted_by_file(Path(source)) if Path(source).is_file() else _counted_by_command(source)


def _counted_by_file(path: Path) -> Counting:
    tokenizer = Tokenizer.from_file(str(path))
    return lambda texts: [len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts]


def _counted_by_command(command: str) -> Counting:
    def count(texts: Sequence[str]) -> list[int]:
        asked = "".join(f"{json.dumps(text)}\n" for text in texts)
        done = subprocess.run(shlex.split(command), input=asked, capture_output=True, text=True, check=True)
        return list(map(int, done.stdout.split()))

    return count


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench.tokens", description=__doc__)
    parser.add_argument("texts", type=Path, help="a folder of folders, one for each kind of text")
    parser.add_argument(
        "--tokenizer",
        action="append",
        required=True,
        metavar="NAME=SOURCE",
        help="a tokenizer.json or a command; may be repeated",
    )
    parser.add_argument("--passages", type=int, default=300, metavar="N", help="passages of each kind, at most (300)")
    return parser


if __name__ == "__main__":
    main()
