"""The settings file: read as it is, and changed without touching what the person wrote around it."""

import os
import stat
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.config.answers import Value
from satchel.config.catalogue import Setting
from satchel.errors import InvalidRequest, SatchelError, Unavailable
from satchel.locations import SETTINGS_FILE

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

NAME = SETTINGS_FILE


def read(path: Path) -> dict[str, Any]:
    """Return what the file says; nothing if there is none."""
    return _understood(path, _text(path))


def exists(path: Path) -> bool:
    """Say whether there is a file, as far as can be seen."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises where this says no: in a folder closed to us


def _text(path: Path) -> str:
    try:
        # Without waiting: a named pipe would keep every command from starting.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _refusal(path, "it is not a plain file")
            return file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise _refusal(path, "it is not UTF-8") from None
    except OSError as error:
        # A folder that is closed to us may hold one or not: the store in it says so in its own words.
        if not exists(path):
            return ""
        raise _refusal(path, error.strerror or "it cannot be opened") from None


def _understood(path: Path, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _refusal(path, str(error) or "it is nested too deeply") from None


def _refusal(path: Path, problem: str) -> InvalidRequest:
    return InvalidRequest(f"{path} cannot be read: {problem}", code="invalid_setting", hint="mend it, or move it away")


def put(path: Path, setting: Setting, value: Value) -> None:
    """Set a value in the file, making it if there is none."""
    with _changing(path) as (plain, document):
        for data in (plain, document):
            _put(data, setting, list(value) if isinstance(value, tuple) else value)


def take_out(path: Path, group: str, name: str) -> bool:
    """Remove a value, or without a name a whole group; False when it was not there."""
    if not _holds(read(path), group, name):
        return False
    with _changing(path) as (plain, document):
        for data in (plain, document):
            _take_out(data, group, name)
    return True


def _holds(data: Mapping[str, Any], group: str, name: str) -> bool:
    holder = data.get(group) if group else data
    if not name:
        return group in data
    return name in holder if isinstance(holder, Mapping) else name == "enabled" and isinstance(holder, bool)


def _put(data: MutableMapping[str, Any], setting: Setting, value: Any) -> None:
    if not setting.group:
        data[setting.name] = value
        return
    held = data.get(setting.group)
    if isinstance(held, MutableMapping):
        _append(held, setting.name, value)
        return
    # A plain true or false stood for the whole group, or there was nothing, or nonsense.
    switch = {"enabled": held} if isinstance(held, bool) else {}
    data.pop(setting.group, None)
    data[setting.group] = switch | {setting.name: value}


def _append(table: MutableMapping[str, Any], name: str, value: Any) -> None:
    """Set a value in a table; a new one goes before the comment that announces the next table."""
    body = getattr(getattr(table, "value", None), "body", None)
    if name in table or body is None:
        table[name] = value
        return
    last = max((place for place, (key, _) in enumerate(body) if key is not None), default=-1)
    rest = body[last + 1 :]
    del body[last + 1 :]
    table[name] = value
    body.extend(rest)


def _take_out(data: MutableMapping[str, Any], group: str, name: str) -> None:
    holder = data[group] if group else data
    if not name or not isinstance(holder, MutableMapping):
        del data[group]
        return
    del holder[name]


@contextmanager
def _changing(path: Path) -> Iterator[tuple[dict[str, Any], "TOMLDocument"]]:
    """Give the file's content to be changed, plain and with its comments, and write it when both say the same."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(path.parent):
        text = _text(path)
        plain = _understood(path, text)
        try:
            document = tomlkit.parse(text)
            yield plain, document
            changed = tomlkit.dumps(document)
        except TOMLKitError:
            raise _uneditable(path) from None
        # A layout that the library misunderstands must not cost anybody a setting.
        if _understood(path, changed) != plain:
            raise _uneditable(path)
        _write_whole(path.resolve(), changed.encode())


def _uneditable(path: Path) -> SatchelError:
    return Unavailable(
        f"{path} is laid out in a way that cannot be changed safely; nothing was written",
        code="settings_file",
        hint="change it with an editor",
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep others from changing a file of the folder at the same time, and losing what this one writes."""
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write_whole(target: Path, data: bytes) -> None:
    """Write beside the target and move it there, so that nobody ever sees half of it."""
    # mkstemp makes the file for its owner only, whatever the umask says.
    from tempfile import mkstemp  # it loads more than a command that writes no file has time for

    handle, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
    folder = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
