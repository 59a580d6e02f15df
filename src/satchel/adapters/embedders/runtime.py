"""Imports ONNX Runtime without its telemetry and its warnings, opens its sessions, and imports NumPy before there are threads."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from satchel.interrupts import Deferred

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

# The fused kernel takes five times as long as the two that it replaces: a fifth of a model's time.
SLOW_FUSIONS = ("SkipLayerNormFusion",)
# Log level: fatal errors only, since errors are raised as exceptions anyway.
_SILENT = 4

_import_lock = threading.Lock()


def load_runtime(module: str = "onnxruntime") -> ModuleType:
    """Import ONNX Runtime, or a module of it. It is not imported in any other way.

    Its builds for Linux and macOS have telemetry: on import they write a device id into the cache folder and upload
    process information. The variable is read at import, and is a full opt-out.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with Deferred(), _import_lock, _filter_stderr():
        return import_module(module)


def open_session(onnxruntime: ModuleType, graph: Path, fused_to: Path | None = None) -> "InferenceSession":
    """Open a model that gives the same result every time. With `fused_to`, write its graph there as it is run."""
    onnxruntime.set_default_logger_severity(_SILENT)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _SILENT
    # Parallel over texts, not within one: faster, no spinning threads, and the same bits for any number of threads.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # What is fused beyond this level depends on the processor.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    if fused_to:
        options.optimized_model_filepath = str(fused_to)
    session: InferenceSession = onnxruntime.InferenceSession(
        str(graph), options, providers=["CPUExecutionProvider"], disabled_optimizers=list(SLOW_FUSIONS)
    )
    return session


def load_numpy() -> None:
    """Import NumPy before there are threads: two that import it for the first time at once can fail."""
    with Deferred():
        import_module("numpy")


@contextmanager
def _filter_stderr() -> Iterator[None]:
    """Drop what ONNX Runtime writes to stderr during its import, before a log level can be set.

    It warns when a virtual machine has no graphics card. Other lines are passed on.
    """
    try:
        stderr = os.dup(2)
    except OSError:  # stderr is closed
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)  # losing a line is better than blocking on a full pipe
    os.dup2(writer, 2)
    os.close(writer)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        _pass_on(reader)


def _pass_on(reader: int) -> None:
    with open(reader, "rb") as pipe:
        for line in pipe:
            if b":onnxruntime:" not in line:
                os.write(2, line)
