"""Ways in which a file of a store can be damaged."""

import shutil
from collections.abc import Callable
from pathlib import Path

PAGE = 4096

Damage = Callable[[Path], None]


def delete(path: Path) -> None:
    """Remove it."""
    path.unlink()


def empty(path: Path) -> None:
    """Truncate it to nothing."""
    path.write_bytes(b"")


def halve(path: Path) -> None:
    """Lose its second half."""
    stored = path.read_bytes()
    path.write_bytes(stored[: len(stored) // 2])


def flip(share: float) -> Damage:
    """Change one byte, at a share of its length."""

    def flipped(path: Path) -> None:
        stored = bytearray(path.read_bytes())
        if stored:
            stored[min(int(len(stored) * share), len(stored) - 1)] ^= 0x55
            path.write_bytes(stored)

    return flipped


def zero_page(path: Path) -> None:
    """Zero a page in its middle."""
    stored = bytearray(path.read_bytes())
    start = len(stored) // 2 // PAGE * PAGE
    stored[start : start + PAGE] = bytes(len(stored[start : start + PAGE]))
    path.write_bytes(stored)


def swap(path: Path) -> None:
    """Exchange it with the next file of its folder that ends alike, if there is one."""
    alike = sorted(path.parent.glob(f"*{path.suffix}")) if path.suffix else []
    if len(alike) > 1:
        other = alike[(alike.index(path) + 1) % len(alike)]
        mine, theirs = path.read_bytes(), other.read_bytes()
        path.write_bytes(theirs)
        other.write_bytes(mine)


def replace_by_folder(path: Path) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


def make_unreadable(path: Path) -> None:
    """Take all permissions away."""
    path.chmod(0)


DAMAGES: dict[str, Damage] = {
    "deleted": delete,
    "emptied": empty,
    "halved": halve,
    **{f"byte flipped at {share:.0%}": flip(share) for share in (0.0, 0.02, 0.3, 0.5, 0.8, 0.999)},
    "page zeroed": zero_page,
    "swapped": swap,
    "replaced by a folder": replace_by_folder,
}
UNREADABLE = {"unreadable": make_unreadable}


def restore_permissions(home: Path) -> None:
    """Make everything readable again, so that it can be removed."""
    for path in home.rglob("*"):
        path.chmod(0o700)
    shutil.rmtree(home)
