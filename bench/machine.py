"""The facts of the machine and the libraries that a figure depends on."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import apsw

LIBRARIES = ("satchel-memory", "apsw", "pylance", "pyarrow", "numpy", "onnxruntime", "tokenizers")


def facts() -> dict[str, object]:
    """Return everything about this machine that belongs beside a figure."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cores": usable_cores(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_average": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def usable_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
