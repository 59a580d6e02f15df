"""Parsers take arbitrary bytes: mutated inputs here, and inputs found by coverage where Atheris is installed."""

import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.extent import extent
from tests.security.fuzz.targets import TARGETS
from tests.security.hostile_texts import hostile_texts
from tests.security.test_sinks import hang_detector

ROOT = Path(__file__).parents[3]
SEED = 20_261_116
MUTATIONS = extent((300,), (20_000,))[0]
ATHERIS_RUNS = 20_000
_PIECES = (b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b",", b":", b"\n", b"\r", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"null", b"1e999", b"-", b"#", b"//", b"/*", b"'''", b'"""', b" ", b"=", b".", b"&#x", b"]: ", b"<")  # fmt: skip


def mutated(seeds: tuple[bytes, ...], count: int) -> Iterator[bytes]:
    """Yield inputs made from good ones: bytes flipped, pieces put in, taken out, doubled, and joined to another."""
    pick = random.Random(SEED)
    pool = [*seeds, *(text.encode("utf-8", "surrogatepass") for text in hostile_texts(50, SEED))]
    for _ in range(count):
        data = bytearray(pick.choice(pool))
        for _ in range(pick.randint(1, 8)):
            at, length = pick.randint(0, len(data)), pick.randint(0, 8)
            action = pick.randrange(5)
            if action == 0 and data:
                data[at % len(data)] ^= 1 << pick.randrange(8)
            elif action == 1:
                data[at:at] = pick.choice(_PIECES)
            elif action == 2:
                del data[at : at + length]
            elif action == 3:
                data[at:at] = data[at : at + length] * pick.randint(1, 40)
            else:
                data[at:] = pick.choice(pool)[-pick.randint(0, 60) :]
        yield bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_raises_anything_unexpected(name: str) -> None:
    target = TARGETS[name]
    for data in (*target.seeds, b"", *mutated(target.seeds, MUTATIONS // (20 if name == "request_bodies" else 1))):
        try:
            with hang_detector():
                target.run(data)
        except BaseException as error:
            error.add_note(f"input: {data!r}")
            raise


@pytest.mark.skipif(not importlib.util.find_spec("atheris"), reason="requirements/security.txt is not installed")
@pytest.mark.whole
@pytest.mark.parametrize("name", TARGETS)
def test_no_input_found_by_coverage_raises_anything_unexpected(name: str, tmp_path: Path) -> None:
    runs = ATHERIS_RUNS // (10 if name == "request_bodies" else 1)
    command = [sys.executable, "-m", "tests.security.fuzz.run", name, str(runs)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr[-4_000:]
