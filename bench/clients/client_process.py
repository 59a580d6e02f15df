"""Some clients in one process, each a thread. Arguments: HOME CLIENTS SECONDS PAUSE_MS NUMBER; pairs of question and scope as
JSON on standard input. Prints "ready", waits for a line, then asks and stores until the time is over, and reports as JSON.
"""

import json
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from satchel.errors import SatchelError
from satchel.interfaces.http import client

# Of each five requests one writes.
WRITES_OF = 5


class Report:
    """What the clients of this process did."""

    def __init__(self) -> None:
        self.reads: list[float] = []
        self.writes: list[float] = []
        self.stored: list[tuple[str, str, str]] = []
        self.errors: Counter[str] = Counter()


def main() -> None:
    """Run the clients."""
    home, clients, seconds, pause, number = Path(sys.argv[1]), *map(int, sys.argv[2:])
    asked: list[tuple[str, str]] = json.loads(sys.stdin.readline())
    report = Report()
    _say("ready")
    sys.stdin.readline()
    end = time.monotonic() + seconds
    names = [f"{number}.{one}" for one in range(clients)]
    threads = [
        threading.Thread(target=_use, args=(home, asked[place::clients], name, end, pause / 1000, report))
        for place, name in enumerate(names)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _say(json.dumps(vars(report)))


def _use(home: Path, asked: list[tuple[str, str]], name: str, end: float, pause: float, report: Report) -> None:
    # Clients know nothing of each other: they begin at any moment, and their pauses differ.
    chance = random.Random(name)
    time.sleep(pause * chance.random())
    turn = 0
    while time.monotonic() < end:
        question, scope = asked[turn % len(asked)]
        if turn % WRITES_OF:
            _timed(home, "recall", {"query": question, "scope": scope}, report.reads, report)
        else:
            text = f"Client {name} noted in turn {turn}: {question}"
            answer = _timed(home, "store", {"text": text, "scope": scope}, report.writes, report)
            if answer is not None:
                report.stored.append((answer["id"], scope, text))
        turn += 1
        time.sleep(pause * chance.uniform(0.5, 1.5))


def _timed(home: Path, name: str, given: dict[str, Any], times: list[float], report: Report) -> dict[str, Any] | None:
    started = time.perf_counter()
    try:
        answer = client.call(home, name, given, actor="python", repeatable=False, greeting_seconds=30)
    except SatchelError as error:
        report.errors[error.code] += 1
        return None
    times.append((time.perf_counter() - started) * 1000)
    if answer is None or not answer.envelope.get("ok"):
        report.errors["refused" if answer is None else str(answer.envelope["error"]["code"])] += 1
        return None
    result: dict[str, Any] = answer.envelope["result"]
    return result


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
