"""ONNX Runtime, loaded without its telemetry and without its noise."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

_import_lock = threading.Lock()


def load_runtime(module: str = "onnxruntime") -> ModuleType:
    """Import ONNX Runtime, or a module of it. Nobody here imports it in any other way.

    Its builds for Linux and macOS report to their maker: on import they write a device id into the cache folder and
    upload what process they run in. The variable is read at that moment and is a full opt-out.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with _import_lock, _without_noise():
        return import_module(module)


@contextmanager
def _without_noise() -> Iterator[None]:
    """Drop what it writes to stderr while it is imported, before any log level can be set.

    It looks for graphics cards then, and warns when a virtual machine has none. Lines of others are handed on.
    """
    try:
        stderr = os.dup(2)
    except OSError:  # stderr is closed: nothing can be written to it anyway
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)  # better lose a line than wait for ever on a full pipe
    os.dup2(writer, 2)
    os.close(writer)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        _hand_on(reader)


def _hand_on(reader: int) -> None:
    with open(reader, "rb") as pipe:
        for line in pipe:
            if b":onnxruntime:" not in line:
                os.write(2, line)
