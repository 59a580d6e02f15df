"""The shim: a small C library, preloaded into a process, that numbers its side effects and faults one of them."""

import ctypes
import enum
import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("shim.c")
HEADER = 24
"""Bytes before the texts of a record of a trace: kind, three lengths, offset."""


class Mode(enum.IntEnum):
    """What happens at a numbered side effect; the values are those of `shim.c`."""

    COUNT = 0
    KILL = 1
    TEAR = 2
    FAIL_ONCE = 3
    FAIL_FROM = 4


class Fault(NamedTuple):
    """A kind of fault: what the shim does, and with which error."""

    name: str
    mode: Mode
    error: int = 0


KILL = Fault("kill", Mode.KILL)
TEAR = Fault("tear", Mode.TEAR)
EIO = Fault("EIO once", Mode.FAIL_ONCE, errno.EIO)
FULL = Fault("disk full from then on", Mode.FAIL_FROM, errno.ENOSPC)
BROKEN = Fault("EIO from then on", Mode.FAIL_FROM, errno.EIO)
FAULTS = {one.name: one for one in (KILL, TEAR, EIO, FULL, BROKEN)}


class SideEffect(NamedTuple):
    """One record of a trace."""

    kind: str
    path: str
    other: str
    offset: int
    data: bytes


def missing_tool() -> str:
    """Say why the shim cannot be built or loaded here; empty if it can."""
    if os.uname().sysname != "Linux":
        return "side effects are numbered on Linux only, through LD_PRELOAD"
    return "" if shutil.which("cc") else "side effects are numbered by a C library, and there is no compiler: cc"


def build(folder: Path) -> Path:
    """Compile the shim."""
    library = folder / "shim.so"
    command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl", "-lpthread"]
    subprocess.run(command, check=True, capture_output=True)
    return library


class Shim:
    """The shim of this process, which was started with it preloaded."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.shim_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int]
        self._library.shim_count.restype = ctypes.c_long
        self._library.shim_mark.argtypes = [ctypes.c_char_p]

    def arm(self, folder: Path, fault: Fault, number: int) -> None:
        """Count the side effects below a folder from here on, and fault the one with this number."""
        self._library.shim_arm(os.fsencode(folder), int(fault.mode), number, fault.error)

    def count(self, folder: Path) -> None:
        """Count the side effects below a folder from here on."""
        self._library.shim_arm(os.fsencode(folder), int(Mode.COUNT), 0, 0)

    def disarm(self) -> None:
        """Let everything pass uncounted from here on."""
        self._library.shim_disarm()

    @property
    def counted(self) -> int:
        """How many side effects there were since it was armed."""
        return int(self._library.shim_count())

    @property
    def fired(self) -> bool:
        """Whether the fault has happened."""
        return bool(self._library.shim_fired())

    def trace_to(self, handle: int) -> None:
        """Write every side effect to an open file, for `read_trace`."""
        self._library.shim_trace(handle)

    def mark(self, text: str) -> None:
        """Put a mark into the trace."""
        self._library.shim_mark(text.encode())


def read_trace(path: Path) -> list[SideEffect]:
    """Read back what `trace_to` wrote."""
    data, place, found = path.read_bytes(), 0, []
    while place < len(data):
        kind, first, second, third = (
            int.from_bytes(data[place + at : place + at + 4], "little") for at in (0, 4, 8, 12)
        )
        offset = int.from_bytes(data[place + 16 : place + HEADER], "little")
        place += HEADER
        texts = []
        for size in (first, second, third):
            texts.append(data[place : place + size])
            place += size
        found.append(SideEffect(chr(kind), os.fsdecode(texts[0]), os.fsdecode(texts[1]), offset, texts[2]))
    return found
