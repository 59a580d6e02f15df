"""Folders of documents: walked and read without ever leaving them, whatever lies in them.

Every folder and file is opened beneath the one before and never through a link, so that nothing a file tree does,
even while it is read, leads outside. What version control ignores is not looked at.
"""

import errno
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.domain.document import Located, ReadText, Sighted, Skipped
from satchel.errors import InvalidRequest, NotFound, Unavailable

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# Version control's own folders are nobody's documents.
_NEVER = frozenset({".git", ".hg", ".svn"})
MAX_DEPTH = 64
MAX_IGNORE_BYTES = 256 << 10
# A pattern with more stars to a name can take longer than the walk itself.
MAX_STARS = 3
# A file that keeps changing is left for another time.
MAX_TRIES = 3
_SNIFFED = 8 << 10
_WILD = re.compile(r"[*?\[]")
# A line break, a tab; the other control characters have no place in a text, and keep theirs as spaces.
_UNWRITABLE = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class DocumentTree:
    """Implements ports.Tree over the file system."""

    def __init__(self, store: Path, is_known: Callable[[str], bool]) -> None:
        """`store` is never read as documents; `is_known` says whether a file's name tells what it is."""
        self._store = store
        self._is_known = is_known

    def locate(self, place: str) -> Located:
        if not place or "\0" in place or len(place) > 4_096:
            raise InvalidRequest(f"{place[:80]!r} is not a path", code="invalid_path")
        named = _expanded(place)
        # The part of a pattern before its first star is the folder.
        fixed = _before_the_stars(named.parts)
        root, rest = Path(*fixed) if fixed else Path(), named.parts[len(fixed) :]
        try:
            real = root.resolve(strict=True)
            is_folder = real.is_dir()
        except (OSError, RuntimeError) as error:
            raise NotFound(
                f"{place[:200]!r}: no such file or folder", code="no_such_file", hint="see that the path is right"
            ) from error
        if not is_folder and rest:
            raise NotFound(f"{place[:200]!r}: no such folder", code="no_such_file")
        globs = ("/" + "/".join(rest),) if rest else () if is_folder else (f"/{_escaped(real.name)}",)
        folder = real if is_folder else real.parent
        if folder == self._store or folder.is_relative_to(self._store):
            raise InvalidRequest(
                "the store's own folder holds no documents", code="inside_store", hint="name another folder"
            )
        return Located(str(folder), globs)

    def covered(self, globs: Sequence[str]) -> Callable[[str], bool]:
        """Patterns with ! take out of what the others mean; alone, out of what names tell."""
        inside = [glob for glob in globs if not glob.startswith("!")]
        outside = [glob[1:] for glob in globs if glob.startswith("!")]
        meant = _meant(inside) if inside else self._is_known
        if not outside:
            return meant
        taken_out = _meant(outside)
        return lambda path: meant(path) and not taken_out(path)

    def walk(self, root: str, globs: Sequence[str], *, most_bytes: int) -> Iterator[Sighted | Skipped]:
        wanted = self.covered(globs)
        try:
            top = _open_folder(root)
        except OSError as error:
            raise Unavailable(f"{root[:200]!r} cannot be read: {error.strerror}", code="not_permitted") from error
        try:
            yield from _Walk(top, wanted, self._store, Path(root), most_bytes).under(top, "", _above(Path(root)), 0)
        finally:
            os.close(top)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def read(self, root: str, path: str, *, most_bytes: int) -> ReadText | Skipped:
        try:
            with _Beneath(root, path) as handle:
                return _read(handle, path, most_bytes)
        except OSError as error:
            return _failure(path, error)


class _Walk:
    def __init__(self, top: int, wanted: Callable[[str], bool], store: Path, root: Path, most_bytes: int) -> None:
        self._top = top
        self._wanted = wanted
        # A store may lie within the folder: its files are no documents.
        self._store = store.relative_to(root).as_posix() if store.is_relative_to(root) else None
        self._most_bytes = most_bytes

    def under(self, folder: int, prefix: str, ignored: "_Ignored", depth: int) -> Iterator[Sighted | Skipped]:
        """Walk an open folder, entries by name."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield _failure(prefix or ".", error)
            return
        ignored = ignored.and_those_of(folder, prefix)
        for entry in entries:
            path = prefix + entry.name
            if not _is_printable(path):
                # Only what would have been taken is worth a word.
                yield Skipped(_shown(path), "unreadable_name")
                continue
            try:
                yield from self._entry(entry, folder, path, ignored, depth)
            except OSError as error:
                yield _failure(path, error)

    def _entry(
        self, entry: "os.DirEntry[str]", folder: int, path: str, ignored: "_Ignored", depth: int
    ) -> Iterator[Sighted | Skipped]:
        if entry.is_symlink():
            if (entry.is_dir() or self._wanted(path)) and not ignored.holds(path):
                yield Skipped(path, "symlink")
            return
        if entry.is_dir(follow_symlinks=False):
            if entry.name in _NEVER or path == self._store or ignored.holds(f"{path}/"):
                return
            if depth >= MAX_DEPTH:
                yield Skipped(path, "too_deep")
                return
            inner = _open_folder(entry.name, folder)
            try:
                yield from self.under(inner, f"{path}/", ignored, depth + 1)
            finally:
                os.close(inner)
            return
        if not self._wanted(path) or ignored.holds(path):
            return
        about = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(about.st_mode):
            yield Skipped(path, "not_a_file")
        elif about.st_size > self._most_bytes:
            yield Skipped(path, "too_large")
        else:
            yield Sighted(path, about.st_size, about.st_mtime_ns)


class _Ignored:
    """What version control ignores below some folders; the file nearest to a path has the last word."""

    def __init__(self, specs: tuple[tuple[str, "GitIgnoreSpec"], ...] = ()) -> None:
        self._specs = specs

    def and_those_of(self, folder: int, prefix: str) -> "_Ignored":
        spec = _ignore_spec(folder)
        return self if spec is None else _Ignored((*self._specs, (prefix, spec)))

    def holds(self, path: str) -> bool:
        """Say whether a path, with a slash at its end if it is a folder, is ignored."""
        for prefix, spec in reversed(self._specs):
            # A file above the root sees a longer path.
            relative = prefix[1:] + path if prefix.startswith("/") else path[len(prefix) :]
            include = spec.check_file(relative).include
            if include is not None:
                return include
        return False


def _above(root: Path) -> _Ignored:
    """Return what the version control that a folder is under ignores in it, from the top of the repository down."""
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    specs: list[tuple[str, GitIgnoreSpec]] = []
    between = [folder for folder in root.parents if folder.is_relative_to(top)] if top != root else []
    for folder in reversed(between):
        with suppress(OSError):
            handle = _open_folder(str(folder))
            try:
                spec = _ignore_spec(handle)
            finally:
                os.close(handle)
            if spec is not None:
                specs.append((f"/{root.relative_to(folder).as_posix()}/", spec))
    return _Ignored(tuple(specs))


def _ignore_spec(folder: int) -> "GitIgnoreSpec | None":
    try:
        handle = os.open(".gitignore", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        content = os.read(handle, MAX_IGNORE_BYTES)
    except OSError:
        return None
    finally:
        os.close(handle)
    return _spec([line for line in content.decode("utf-8", "replace").splitlines() if _is_quick(line)])


def _spec(lines: Sequence[str]) -> "GitIgnoreSpec | None":
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        # One line that is no pattern does not take the others with it.
        return GitIgnoreSpec([pattern for line in lines for pattern in _one(line)])


def _one(line: str) -> list[Any]:
    from pathspec import GitIgnoreSpec

    with suppress(ValueError):
        return list(GitIgnoreSpec.from_lines([line]).patterns)
    return []


def _meant(globs: Sequence[str]) -> Callable[[str], bool]:
    """Return what says whether a path is among those that some patterns name."""
    from pathspec import GitIgnoreSpec

    for glob in globs:
        if not glob.strip() or not _is_quick(glob) or len(glob) > 1_000 or "\0" in glob:
            raise InvalidRequest(f"{glob[:80]!r} is not a pattern", code="invalid_pattern", hint="such as **/*.md")
        if ".." in glob.split("/"):
            raise InvalidRequest(
                f"{glob[:80]!r} leads out of the folder", code="outside_root", hint="name that folder itself"
            )
    try:
        spec = GitIgnoreSpec.from_lines(globs)
    except ValueError as error:
        raise InvalidRequest(f"{globs[0][:80]!r} is not a pattern", code="invalid_pattern") from error
    return spec.match_file


def _is_quick(pattern: str) -> bool:
    return all(part.count("*") <= MAX_STARS for part in pattern.split("/"))


def _expanded(place: str) -> Path:
    try:
        return Path(place).expanduser()
    except RuntimeError:
        raise InvalidRequest(f"{place[:80]!r} names a home folder that does not exist", code="invalid_path") from None


def _before_the_stars(parts: Sequence[str]) -> list[str]:
    # A folder may have a star in its very name.
    if Path(*parts).exists():
        return list(parts)
    wild = next((place for place, part in enumerate(parts) if _WILD.search(part)), len(parts))
    return list(parts[:wild])


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[\]\\! #])", r"\\\1", name)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def _open_folder(name: str, above: int | None = None) -> int:
    """Open a folder: the root by its name, every other beneath the one above it and not through a link."""
    return os.open(name, _FOLDER if above is None else _FOLDER | os.O_NOFOLLOW, dir_fd=above)


class _Beneath:
    """A file below a root, opened step by step, so that no link on the way can lead elsewhere."""

    def __init__(self, root: str, path: str) -> None:
        self._root = root
        self._parts = path.split("/")
        self._handle = -1

    def __enter__(self) -> int:
        if any(part in ("", ".", "..") for part in self._parts):
            raise OSError(errno.EINVAL, "not below the root")
        folder = _open_folder(self._root)
        try:
            for part in self._parts[:-1]:
                inner = _open_folder(part, folder)
                os.close(folder)
                folder = inner
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            self._handle = os.open(self._parts[-1], flags, dir_fd=folder)
        finally:
            os.close(folder)
        return self._handle

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _read(handle: int, path: str, most_bytes: int) -> ReadText | Skipped:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        return Skipped(path, "not_a_file")
    for _ in range(MAX_TRIES):
        before = os.fstat(handle)
        if before.st_size > most_bytes:
            return Skipped(path, "too_large")
        content = _whole(handle, most_bytes)
        after = os.fstat(handle)
        if _moment(before) == _moment(after) and len(content) == after.st_size:
            return _text(content, path, after)
    return Skipped(path, "changed_while_read", lasting=False)


def _whole(handle: int, most_bytes: int) -> bytes:
    pieces, place = [], 0
    # One more than there may be, so that a file that has grown meanwhile shows.
    while place <= most_bytes and (piece := os.pread(handle, min(1 << 20, most_bytes + 1 - place), place)):
        pieces.append(piece)
        place += len(piece)
    return b"".join(pieces)


def _moment(about: os.stat_result) -> tuple[int, int, int]:
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _text(content: bytes, path: str, about: os.stat_result) -> ReadText | Skipped:
    wide = content.startswith(_UTF16)
    if b"\0" in content[:_SNIFFED] and not wide:
        return Skipped(path, "binary")
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return Skipped(path, "not_utf8")
    if "\0" in text:
        return Skipped(path, "binary")
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return ReadText(text.translate(_UNWRITABLE), digest, len(content), about.st_mtime_ns)


def _failure(path: str, error: OSError) -> Skipped:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return Skipped(path, "gone")
        case errno.ELOOP:
            return Skipped(path, "symlink")
        case errno.EACCES | errno.EPERM:
            return Skipped(path, "not_permitted", lasting=False)
    return Skipped(path, "unreadable", lasting=False)


def _is_printable(path: str) -> bool:
    return path.isprintable() and len(path) <= 1_000


def _shown(path: str) -> str:
    """Return a name that cannot be shown as it is, so that somebody can find the file all the same."""
    return path.encode("unicode_escape").decode("ascii")[:1_000]
