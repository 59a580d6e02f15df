"""What a figure depends on besides the code: the machine, its libraries and the settings that were changed."""

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

from satchel.config import Settings
from satchel.config.catalogue import catalogue
from satchel.config.settings import value_of
from satchel.domain.canonical import Json

LIBRARIES = ("satchel-memory", "apsw", "pylance", "numpy", "onnxruntime", "tokenizers", "chromadb")
# Where files are does not change a figure.
_LOCATIONS = ("home", "ledger", "models", "read_only")


class Machine(Struct, frozen=True):
    """Where and when something was measured."""

    date: str
    cpu: str
    cores: int
    memory_gb: float
    load: float
    """The load average of the last minute when the run began."""
    system: str
    python: str
    libraries: Mapping[str, str]


def this_machine() -> Machine:
    """Return this machine as results report it."""
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


def changed_settings(settings: Settings) -> dict[str, Json]:
    """Return every setting that differs from its default; of a secret only that it is set."""
    found = ((one, value_of(settings, one)) for one in catalogue(Settings).entries if one.key not in _LOCATIONS)
    return {
        one.key: "set" if one.setting.secret else list(value) if isinstance(value, tuple) else value
        for one, value in found
        if value != one.default
    }


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
