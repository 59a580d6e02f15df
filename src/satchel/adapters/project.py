"""Find the project of a folder from a few small files. No program is started, and nothing in them can do harm.

The files belong to the author of the folder, so they may be huge, binary, pipes, or links to anywhere.
"""

import os
import re
import stat
from collections.abc import Iterator

from satchel.domain.project_name import project_scope_name, repository_path
from satchel.domain.scope_name import MAX_SCOPE_CHARS
from satchel.os_calls import MAX_PATH_CHARS, READ_NOW

MAX_LEVELS = 64
MAX_CONFIG_BYTES = 262_144
MAX_POINTER_BYTES = 8_192
MAX_LINE_CHARS = 4_096
# A file that marks the root of a project without git.
PROJECT_FILES = (
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "CMakeLists.txt",
    ".hg",
    ".svn",
)

_REMOTE = re.compile(r'\s*\[\s*remote\s+"([^"\\]*)"\s*\](.*)', re.IGNORECASE)
_URL = re.compile(r"\s*url\s*=(.*)", re.IGNORECASE)
_SECTION = re.compile(r"\s*\[")


def project_scope(folder: str, longest: int = MAX_SCOPE_CHARS) -> str | None:
    """Return the scope of the project that a folder belongs to; None for the home folder and the root folder.

    The folder need not exist: its name is then all there is.
    """
    if len(folder) > MAX_PATH_CHARS:
        return None
    try:
        path = os.path.realpath(folder)
        root = os.path.realpath(os.path.expanduser("~"))
        levels = list(_levels(path, root))
        name = next(filter(None, map(_git_project, levels)), None) or _root_name(levels)
    except (OSError, ValueError):
        return None
    return project_scope_name(name, longest) if name else None


def _levels(path: str, home: str) -> Iterator[str]:
    """Yield a folder and those above it, without the home folder: what is there is not one project."""
    for _ in range(MAX_LEVELS):
        above = os.path.dirname(path)
        if path in (home, above):
            return
        yield path
        path = above


def _root_name(levels: list[str]) -> str:
    if not levels:
        return ""
    marked = (level for level in levels if any(os.path.lexists(os.path.join(level, name)) for name in PROJECT_FILES))
    return os.path.basename(next(marked, levels[0]))


def _git_project(folder: str) -> str | None:
    """Return the name of the repository that is checked out in a folder; None if there is none."""
    common = _common_folder(folder)
    if common is None:
        return None
    for url in _remote_urls(_read(os.path.join(common, "config"), MAX_CONFIG_BYTES)):
        if path := repository_path(url):
            return path
    # All working trees of a repository have the name of the first.
    parent, own = os.path.split(common)
    return os.path.basename(parent if own == ".git" else folder)


def _common_folder(folder: str) -> str | None:
    """Return the folder that holds a repository's config: .git, or where a .git file points."""
    found = os.path.join(folder, ".git")
    try:
        is_folder = stat.S_ISDIR(os.stat(found).st_mode)
    except OSError:
        return None
    if is_folder:
        return found if os.path.lexists(os.path.join(found, "HEAD")) else None
    word, _, target = _read(found, MAX_POINTER_BYTES).partition(":")
    if word != "gitdir" or not target.strip():
        return None
    own = os.path.join(folder, target.strip())
    # A working tree names the folder that it shares with the others; a submodule has none to share.
    shared = _read(os.path.join(own, "commondir"), MAX_POINTER_BYTES).strip()
    return os.path.normpath(os.path.join(own, shared))


def _remote_urls(config: str) -> list[str]:
    """Return the first address of each remote: origin, then the others by name."""
    urls: dict[str, str] = {}
    remote: str | None = None
    for line in config.splitlines():
        if len(line) > MAX_LINE_CHARS:
            continue
        if _SECTION.match(line):
            section = _REMOTE.fullmatch(line)
            remote, line = (section[1], section[2]) if section else (None, "")
        if remote is not None and (found := _URL.fullmatch(line)):
            urls.setdefault(remote, _plain_value(found[1]))
    return [urls[name] for name in sorted(urls, key=lambda name: (name != "origin", name))]


def _plain_value(text: str) -> str:
    """Return a value without quotes and the comment after it."""
    text = text.strip()
    if text.startswith('"'):
        return text[1:].partition('"')[0]
    return re.split(r"\s[#;]", text, maxsplit=1)[0].strip()


def _read(path: str, most: int) -> str:
    """Return the beginning of a plain file; empty if it is not one. Never waits for a pipe."""
    try:
        descriptor = os.open(path, READ_NOW)
    except (OSError, ValueError):
        return ""
    try:
        return os.read(descriptor, most).decode("utf-8", "replace") if _is_plain(descriptor) else ""
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _is_plain(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
