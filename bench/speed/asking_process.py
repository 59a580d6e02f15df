"""A process that opens one system, asks it some questions, and reports its peak memory.

Arguments: NAME FOLDER MODELS; pairs of question and scope as JSON on standard input. It is also timed as a one-shot
program, so each branch imports only what its system needs.
"""

import json
import resource
import sys
from pathlib import Path

LIMIT = 5
_STATUS = Path("/proc/self/status")


def main() -> None:
    """Ask the questions and print the peak memory as JSON."""
    name, folder, models = sys.argv[1:]
    asked: list[tuple[str, str]] = json.load(sys.stdin)
    if name == "satchel":
        _ask_satchel(folder, models, asked)
    else:
        _ask_peer(name, folder, asked)
    sys.stdout.write(json.dumps({"peak_mb": _peak_megabytes()}))


def _ask_satchel(folder: str, models: str, asked: list[tuple[str, str]]) -> None:
    from satchel.app import Satchel
    from satchel.config import load

    with Satchel.open(settings=load(home=folder, models=models), actor="bench") as memory:
        for question, scope in asked:
            memory.recall(question, scope=scope, limit=LIMIT)


def _ask_peer(name: str, folder: str, asked: list[tuple[str, str]]) -> None:
    from bench.peers import peer_info

    chosen = peer_info(name)
    peer = chosen.open(Path(folder))
    if not chosen.by_meaning:
        for question, scope in asked:
            peer.recall(question, None, scope, LIMIT)
    else:
        from satchel.adapters.embedders.bundled import bundled_encoder

        embedder = bundled_encoder()
        for question, scope in asked:
            peer.recall(question, embedder.embed([question])[0], scope, LIMIT)
    peer.close()


def _peak_megabytes() -> float:
    if not _STATUS.exists():  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    # Not ru_maxrss: on Linux it starts with that of the parent process.
    lines = (line.split() for line in _STATUS.read_text(encoding="utf-8").splitlines())
    return next(int(words[1]) / 1024 for words in lines if words and words[0] == "VmHWM:")


if __name__ == "__main__":
    main()
