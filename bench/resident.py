"""A process that recalls and then says how much memory it took: HOME, questions as JSON on standard input."""

import json
import resource
import sys
from pathlib import Path

from satchel.bootstrap import Satchel

_STATUS = Path("/proc/self/status")


def main() -> None:
    """Recall, weigh, print."""
    with Satchel.open(sys.argv[1]) as memory:
        for question, scope in json.load(sys.stdin):
            memory.recall(question, scope=scope)
        print(json.dumps(_megabytes()))


def _megabytes() -> dict[str, float]:
    if not _STATUS.exists():  # not Linux
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        return {"peak": peak, "now": peak, "own": peak}
    # Not ru_maxrss: on Linux it begins with that of the process that started this one.
    lines = (line.split() for line in _STATUS.read_text(encoding="utf-8").splitlines())
    kilobytes = {words[0]: int(words[1]) for words in lines if words and words[-1] == "kB"}
    names = {"peak": "VmHWM:", "now": "VmRSS:", "own": "RssAnon:"}
    return {name: kilobytes[field] / 1024 for name, field in names.items()}


if __name__ == "__main__":
    main()
