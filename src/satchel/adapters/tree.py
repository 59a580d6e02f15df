"""Walks and reads folders of documents, without ever leaving them.

Every folder and file is opened relative to its parent and never through a link, so that nothing in a file tree, even
if it changes meanwhile, leads outside. Files that version control ignores are skipped.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.domain.document import FileText, FolderSelection, FoundFile, SkippedFile
from satchel.domain.text import decode_text
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.os_calls import READ, READ_NOW, read_at, unsupported

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# The folders of version control itself.
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn"})
MAX_DEPTH = 64
MAX_IGNORE_BYTES = 256 << 10
# Maximum number of stars per path segment; matching more can take longer than the walk.
MAX_STARS = 3
# Attempts to read a file that keeps changing.
MAX_TRIES = 3
_CHUNK_BYTES = 1 << 18
_WILD = re.compile(r"[*?\[]")
# Control characters except line breaks and tabs become spaces, so that positions stay the same.
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")


class DocumentTree:
    """Implements ports.Tree over the file system."""

    def __init__(self, store: Path, is_known: Callable[[str], bool]) -> None:
        """`store` is never read as documents; `is_known` tells whether the type of a file is known by its name."""
        self._store = store
        self._is_known = is_known

    def locate(self, place: str) -> FolderSelection:
        if os.open not in os.supports_dir_fd:
            # Without it, a link could lead out of the folder while it is read.
            raise unsupported("folders of documents", "store single texts with 'satchel store'")
        if not place or "\0" in place or len(place) > 4_096:
            raise InvalidRequest(f"{place[:80]!r} is not a path", code="invalid_path")
        named = _expand(place)
        # The part of a pattern before its first wildcard is the folder.
        fixed = _before_wildcards(named.parts)
        root, rest = Path(*fixed) if fixed else Path(), named.parts[len(fixed) :]
        try:
            real = root.resolve(strict=True)
            is_folder = real.is_dir()
        except (OSError, RuntimeError) as error:
            raise NotFound(
                f"{place[:200]!r}: no such file or folder", code="no_such_file", hint="check the path"
            ) from error
        if not is_folder and rest:
            raise NotFound(f"{place[:200]!r}: no such folder", code="no_such_file")
        globs = ("/" + "/".join(rest),) if rest else () if is_folder else (f"/{_escape(real.name)}",)
        folder = real if is_folder else real.parent
        if folder == self._store or folder.is_relative_to(self._store):
            raise InvalidRequest(
                "the store's own folder has no documents", code="inside_store", hint="name another folder"
            )
        return FolderSelection(str(folder), globs)

    def matcher(self, globs: Sequence[str]) -> Callable[[str], bool]:
        """Patterns with ! exclude from what the others match, or from known file types if there are no others."""
        included = [glob for glob in globs if not glob.startswith("!")]
        excluded = [glob[1:] for glob in globs if glob.startswith("!")]
        is_included = _matcher(included) if included else self._is_known
        if not excluded:
            return is_included
        is_excluded = _matcher(excluded)
        return lambda path: is_included(path) and not is_excluded(path)

    def walk(self, root: str, globs: Sequence[str], *, max_bytes: int) -> Iterator[FoundFile | SkippedFile]:
        wanted = self.matcher(globs)
        try:
            top = _open_folder(root)
        except OSError as error:
            raise Unavailable(f"{root[:200]!r} cannot be read: {error.strerror}", code="not_permitted") from error
        try:
            yield from _Walk(top, wanted, self._store, Path(root), max_bytes, _deepest(globs)).under(
                top, "", _ignored_above(Path(root)), 0
            )
        finally:
            os.close(top)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def read(self, root: str, path: str, *, max_bytes: int) -> FileText | SkippedFile:
        try:
            with _FileBelow(root, path) as handle:
                return _read(handle, path, max_bytes)
        except OSError as error:
            return _failure(path, error)

    def chunks(self, root: str, path: str) -> Iterator[bytes]:
        with _FileBelow(root, path) as handle:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            place = 0
            while chunk := read_at(handle, _CHUNK_BYTES, place):
                place += len(chunk)
                yield chunk


class _Walk:
    def __init__(
        self, top: int, wanted: Callable[[str], bool], store: Path, root: Path, max_bytes: int, deepest: int | None
    ) -> None:
        """Below the depth `deepest` only folders are entered that are wanted as a whole."""
        self._top = top
        self._deepest = deepest
        self._wanted = wanted
        # The store may be inside the folder; its files are not documents.
        self._store = store.relative_to(root).as_posix() if store.is_relative_to(root) else None
        self._most_bytes = max_bytes

    def under(self, folder: int, prefix: str, ignored: _Ignored, depth: int) -> Iterator[FoundFile | SkippedFile]:
        """Walk an open folder, entries by name."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield _failure(prefix or ".", error)
            return
        ignored = ignored.extended(folder, prefix)
        for entry in entries:
            path = prefix + entry.name
            if not _is_printable(path):
                yield SkippedFile(_shown(path), "unreadable_name")
                continue
            try:
                yield from self._entry(entry, folder, path, ignored, depth)
            except OSError as error:
                yield _failure(path, error)

    def _entry(
        self, entry: os.DirEntry[str], folder: int, path: str, ignored: _Ignored, depth: int
    ) -> Iterator[FoundFile | SkippedFile]:
        if entry.is_symlink():
            if (entry.is_dir() or self._wanted(path)) and not ignored.matches(path):
                yield SkippedFile(path, "symlink")
            return
        if entry.is_dir(follow_symlinks=False):
            if entry.name in _SKIPPED_FOLDERS or path == self._store or ignored.matches(f"{path}/"):
                return
            if self._deepest is not None and depth >= self._deepest and not self._wanted(f"{path}/"):
                return
            if depth >= MAX_DEPTH:
                yield SkippedFile(path, "too_deep")
                return
            inner = _open_folder(entry.name, folder)
            try:
                yield from self.under(inner, f"{path}/", ignored, depth + 1)
            finally:
                os.close(inner)
            return
        if not self._wanted(path) or ignored.matches(path):
            return
        about = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(about.st_mode):
            yield SkippedFile(path, "not_a_file")
        elif about.st_size > self._most_bytes:
            yield SkippedFile(path, "too_large")
        else:
            yield FoundFile(path, about.st_size, about.st_mtime_ns)


class _Ignored:
    """The .gitignore rules of a folder and its parents; the nearest file decides."""

    def __init__(self, specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()) -> None:
        self._specs = specs

    def extended(self, folder: int, prefix: str) -> _Ignored:
        spec = _ignore_spec(folder)
        return self if spec is None else _Ignored((*self._specs, (prefix, spec)))

    def matches(self, path: str) -> bool:
        """Return whether a path is ignored; the path of a folder ends with a slash."""
        for prefix, spec in reversed(self._specs):
            # For a file above the root, the path is longer.
            relative = prefix[1:] + path if prefix.startswith("/") else path[len(prefix) :]
            include = spec.check_file(relative).include
            if include is not None:
                return include
        return False


def _ignored_above(root: Path) -> _Ignored:
    """Return the ignore rules of the folders between the top of the repository and a folder."""
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


def _ignore_spec(folder: int) -> GitIgnoreSpec | None:
    try:
        handle = os.open(".gitignore", READ_NOW | _NO_LINK, dir_fd=folder)
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


def _spec(lines: Sequence[str]) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    try:
        return _parse_lines(lines)
    except ValueError:
        # Skip only the invalid lines.
        return GitIgnoreSpec([pattern for line in lines for pattern in _parse_line(line)])


def _parse_line(line: str) -> list[Any]:
    with suppress(ValueError):
        return list(_parse_lines([line]).patterns)
    return []


def _parse_lines(lines: Sequence[str]) -> GitIgnoreSpec:
    """Parse patterns. Raises ValueError if one of them is invalid."""
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        # Python warns of brackets with "--" or "[", which a later version may read in another way.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return GitIgnoreSpec.from_lines(lines)
        except re.error as error:
            # A range whose end comes before its beginning.
            raise ValueError(str(error)) from error


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate: does a path match any of some patterns?"""
    for glob in globs:
        if not glob.strip() or not _is_quick(glob) or len(glob) > 1_000 or "\0" in glob:
            raise InvalidRequest(f"{glob[:80]!r} is not a pattern", code="invalid_pattern", hint="such as **/*.md")
        if ".." in glob.split("/"):
            raise InvalidRequest(
                f"{glob[:80]!r} leads out of the folder", code="outside_root", hint="name that folder itself"
            )
    try:
        spec = _parse_lines(globs)
    except ValueError as error:
        raise InvalidRequest(f"{globs[0][:80]!r} is not a pattern", code="invalid_pattern") from error
    return spec.match_file


def _deepest(globs: Sequence[str]) -> int | None:
    """Return the number of folders above the deepest files that patterns can match by name; None if there is no limit."""
    included = [glob for glob in globs if not glob.startswith("!")]
    if not included or any("**" in glob or not glob.startswith("/") for glob in included):
        return None
    return max(glob.strip("/").count("/") for glob in included)


def _is_quick(pattern: str) -> bool:
    return all(part.count("*") <= MAX_STARS for part in pattern.split("/"))


def _expand(place: str) -> Path:
    try:
        return Path(place).expanduser()
    except RuntimeError:
        raise InvalidRequest(f"{place[:80]!r} names a home folder that does not exist", code="invalid_path") from None


def _before_wildcards(parts: Sequence[str]) -> list[str]:
    # A folder name may contain a star.
    if Path(*parts).exists():
        return list(parts)
    wild = next((index for index, part in enumerate(parts) if _WILD.search(part)), len(parts))
    return list(parts[:wild])


def _escape(name: str) -> str:
    return re.sub(r"([*?\[\]\\! #])", r"\\\1", name)


_FOLDER = READ | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def _open_folder(name: str, above: int | None = None) -> int:
    """Open a folder: the root by its path, any other relative to its parent and not through a link."""
    return os.open(name, _FOLDER if above is None else _FOLDER | _NO_LINK, dir_fd=above)


class _FileBelow:
    """A file below a root, opened folder by folder, so that no link on the way is followed."""

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
            flags = READ_NOW | _NO_LINK
            self._handle = os.open(self._parts[-1], flags, dir_fd=folder)
        finally:
            os.close(folder)
        return self._handle

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _read(handle: int, path: str, max_bytes: int) -> FileText | SkippedFile:
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        return SkippedFile(path, "not_a_file")
    for _ in range(MAX_TRIES):
        before = os.fstat(handle)
        if before.st_size > max_bytes:
            return SkippedFile(path, "too_large")
        content = _whole(handle, max_bytes)
        after = os.fstat(handle)
        if _version(before) == _version(after) and len(content) == after.st_size:
            return _text(content, path, after)
    return SkippedFile(path, "changed_while_read", lasting=False)


def _whole(handle: int, max_bytes: int) -> bytes:
    pieces, place = [], 0
    # One byte more than allowed, to notice a file that has grown.
    while place <= max_bytes and (piece := read_at(handle, min(1 << 20, max_bytes + 1 - place), place)):
        pieces.append(piece)
        place += len(piece)
    return b"".join(pieces)


def _version(about: os.stat_result) -> tuple[int, int, int]:
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns


def _text(content: bytes, path: str, about: os.stat_result) -> FileText | SkippedFile:
    try:
        text = decode_text(content, path)
    except InvalidRequest as error:
        return SkippedFile(path, error.code)
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return FileText(text.translate(_CONTROLS), digest, len(content), about.st_mtime_ns)


def _failure(path: str, error: OSError) -> SkippedFile:
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return SkippedFile(path, "gone")
        case errno.ELOOP:
            return SkippedFile(path, "symlink")
        case errno.EACCES | errno.EPERM:
            return SkippedFile(path, "not_permitted", lasting=False)
    return SkippedFile(path, "unreadable", lasting=False)


def _is_printable(path: str) -> bool:
    return path.isprintable() and len(path) <= 1_000


def _shown(path: str) -> str:
    """Return an unprintable name escaped, so that the file can be found."""
    return path.encode("unicode_escape").decode("ascii")[:1_000]
