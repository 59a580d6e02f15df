"""Fuzz one target with Atheris: `python -m tests.security.fuzz.run TARGET RUNS`. It ends with 0 if nothing was raised.

Atheris finds its way by the branches that an input reaches. The seed is fixed, and the number of runs, not the time, ends it.
"""

import os
import sys
import tempfile
from pathlib import Path

import atheris

SEED = 20_261_116
MAX_BYTES = 4_096


def main(name: str, runs: int) -> None:
    """Instrument what the target uses, and run it. Does not return."""
    with atheris.instrument_imports(include=["satchel"]):
        from tests.security.fuzz.targets import TARGETS
    target = TARGETS[name]
    corpus = Path(tempfile.mkdtemp())
    for number, seed in enumerate(target.seeds):
        (corpus / str(number)).write_bytes(seed)
    options = [f"-runs={runs}", f"-seed={SEED}", f"-max_len={MAX_BYTES}", "-timeout=60", "-verbosity=0"]
    # A crash is written to the folder where the run was started; its bytes belong into the target's seeds.
    options.append(f"-artifact_prefix={os.getcwd()}/")  # noqa: PTH109  libFuzzer joins it to a file name
    atheris.Setup(["fuzz", *options, str(corpus)], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
