"""Stores a memory every 50 ms. Argument: HOME. At each line of input it prints how long its stores took since the last one."""

import json
import sys
import threading
import time
from queue import Empty, Queue

from satchel.app import Satchel
from satchel.config import load
from satchel.errors import SatchelError

PAUSE_SECONDS = 0.05


def main() -> None:
    """Write until the input ends."""
    asked: Queue[str] = Queue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    waits, errors, number = [0.0], 0, 0
    with Satchel.open(settings=load(home=sys.argv[1], embedding={"provider": "none"})) as store:
        _say("ready")
        while (line := _next(asked)) != "end":
            if line:
                _say(json.dumps({"stores": len(waits) - 1, "longest": max(waits), "errors": errors}))
                waits, errors = [0.0], 0
            started, number = time.perf_counter(), number + 1
            try:
                store.store(f"Note {number} of the other process, at {started}", scope="other")
            except SatchelError:
                errors += 1
            waits.append(time.perf_counter() - started)


def _listen(asked: "Queue[str]") -> None:
    for line in sys.stdin:
        asked.put(line.strip())
    asked.put("end")


def _next(asked: "Queue[str]") -> str:
    """Return the next line of input; empty if none came within the pause."""
    try:
        return asked.get(timeout=PAUSE_SECONDS)
    except Empty:
        return ""


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
