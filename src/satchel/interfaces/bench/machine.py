"""The machine and the libraries that a figure depends on, to stand beside it."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from satchel.interfaces.bench.results import Machine

LIBRARIES = ("satchel-memory", "apsw", "pylance", "numpy", "onnxruntime", "tokenizers", "chromadb")


def this_machine() -> Machine:
    """Return everything about this machine that belongs beside a figure."""
    return Machine(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        cpu=_cpu_model(),
        cores=_usable_cores(),
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        load=round(os.getloadavg()[0], 2),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        libraries={name: found for name in LIBRARIES if (found := _version(name))},
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _usable_cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
