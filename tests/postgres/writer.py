"""A process that stores numbered memories and prints each number as soon as the store has acknowledged it.

What fails is tried again until it is acknowledged, as a caller does that was told nothing: it may have been stored.
"""

import sys
import time

from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Unavailable

PAUSE_SECONDS = 0.05


def text_of(number: int) -> str:
    """Return the text of a numbered memory."""
    return f"Ship {number} came into the harbour"


def write(home: str, address: str) -> None:
    with Satchel.open(settings=load(home=home, ledger=address, embedding={"provider": "hashing"})) as memory:
        number = 0
        while True:
            try:
                memory.store(text_of(number), scope="harbour")
            except Unavailable:
                time.sleep(PAUSE_SECONDS)
                continue
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            number += 1


if __name__ == "__main__":
    write(*sys.argv[1:])
