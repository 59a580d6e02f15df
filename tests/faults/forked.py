"""Work in a forked child, which a fault may end."""

import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

CHILD_SECONDS = 60


def answer_of_child(work: Callable[[], Any], *, may_be_killed: bool = False) -> Any:
    """Do work in a forked child and return its answer; None if the child was killed and may be."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(CHILD_SECONDS)
        try:
            answer = json.dumps({"answer": work()})
        except BaseException:  # noqa: BLE001 the parent raises it
            answer = json.dumps({"error": traceback.format_exc()})
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        if may_be_killed and os.WTERMSIG(status) == signal.SIGKILL:
            return None
        raise AssertionError(f"a child was ended by signal {os.WTERMSIG(status)}")
    answer = json.loads(said)
    if "error" in answer:
        raise AssertionError(answer["error"])
    return answer["answer"]
