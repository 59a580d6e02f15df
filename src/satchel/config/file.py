"""Read and edit the settings file, keeping its comments and layout."""

import os
import stat
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from satchel.config.answers import Value
from satchel.config.catalogue import Catalogue, SettingEntry, catalogue
from satchel.config.settings import Settings
from satchel.errors import InvalidRequest, SatchelError, Unavailable
from satchel.locations import SETTINGS_FILE
from satchel.os_calls import READ_NOW, lock_folder, sync_folder

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

CATALOGUE: Catalogue = catalogue(Settings)
NAME = SETTINGS_FILE


def read(path: Path) -> dict[str, Any]:
    """Return the content of the file; empty if there is none."""
    return _parsed(path, _text(path))


def exists(path: Path) -> bool:
    """Return whether the file exists, as far as we can see."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises in a folder that we may not enter


def _text(path: Path) -> str:
    try:
        # Non-blocking: a named pipe would hang every command.
        with os.fdopen(os.open(path, READ_NOW), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _unreadable(path, "it is not a regular file")
            return file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise _unreadable(path, "it is not UTF-8") from None
    except OSError as error:
        # In a folder that we may not enter; opening the store reports that.
        if not exists(path):
            return ""
        raise _unreadable(path, error.strerror or "it cannot be opened") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _unreadable(path, str(error) or "it is nested too deeply") from None


def _unreadable(path: Path, problem: str) -> InvalidRequest:
    return InvalidRequest(f"{path} cannot be read: {problem}", code="invalid_setting", hint="fix it, or move it away")


def set_value(path: Path, entry: SettingEntry, value: Value) -> None:
    """Set a value in the file; create the file if needed."""
    with _editing(path) as (plain, document):
        for data in (plain, document):
            _set(data, entry, list(value) if isinstance(value, tuple) else value)


def remove(path: Path, group: str, name: str) -> bool:
    """Remove a value, or a whole group if `name` is empty; return False if it was not there."""
    content = read(path)
    entry = None if group else next((one for one in CATALOGUE.entries if one.key == name), None)
    if entry is not None and name not in content and isinstance(content.get(entry.setting.alias), str):
        name = entry.setting.alias
    if not _contains(content, group, name):
        return False
    with _editing(path) as (plain, document):
        for data in (plain, document):
            _remove(data, group, name)
    return True


def _contains(data: Mapping[str, Any], group: str, name: str) -> bool:
    holder = data.get(group) if group else data
    if not name:
        return group in data
    return name in holder if isinstance(holder, Mapping) else name == "enabled" and isinstance(holder, bool)


def _set(data: MutableMapping[str, Any], entry: SettingEntry, value: Any) -> None:
    if not entry.group:
        _remove_other_name(data, entry.setting.alias)
        data[entry.name] = value
        return
    _use_own_name(data, entry.group)
    table = data.get(entry.group)
    if isinstance(table, MutableMapping):
        _append(table, entry.name, value)
        return
    # Keep the switch if true or false stood for the whole group; drop anything else.
    switch = {"enabled": table} if isinstance(table, bool) else {}
    data.pop(entry.group, None)
    data[entry.group] = switch | {entry.name: value}


def _use_own_name(data: MutableMapping[str, Any], group: str) -> None:
    """Write a text in the place of a group under the name of its setting: TOML has no text and table of one name."""
    text, entry = data.get(group), CATALOGUE.with_other_name(group)
    if entry is not None and isinstance(text, str):
        del data[group]
        data.setdefault(entry.name, text)


def _remove_other_name(data: MutableMapping[str, Any], alias: str) -> None:
    if isinstance(data.get(alias), str):
        del data[alias]


def _append(table: MutableMapping[str, Any], name: str, value: Any) -> None:
    """Set a value in a table; a new key goes before the comments that belong to the next table."""
    body = getattr(getattr(table, "value", None), "body", None)
    if name in table or body is None:
        table[name] = value
        return
    last = max((index for index, (key, _) in enumerate(body) if key is not None), default=-1)
    rest = body[last + 1 :]
    del body[last + 1 :]
    table[name] = value
    body.extend(rest)


def _remove(data: MutableMapping[str, Any], group: str, name: str) -> None:
    holder = data[group] if group else data
    if not name or not isinstance(holder, MutableMapping):
        del data[group]
        return
    del holder[name]


@contextmanager
def _editing(path: Path) -> Iterator[tuple[dict[str, Any], "TOMLDocument"]]:
    """Yield the content as plain data and as a TOML document; apply each change to both. Write if they still agree."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path.parent):
        text = _text(path)
        plain = _parsed(path, text)
        try:
            document = tomlkit.parse(text)
            yield plain, document
            changed = tomlkit.dumps(document)
        except TOMLKitError:
            raise _uneditable(path) from None
        # Guards against layouts that tomlkit edits wrongly.
        if _parsed(path, changed) != plain:
            raise _uneditable(path)
        _write_atomically(path.resolve(), changed.encode())


def _uneditable(path: Path) -> SatchelError:
    return Unavailable(
        f"{path} has a layout that cannot be edited safely; nothing was written",
        code="settings_file",
        hint="edit it by hand",
    )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against concurrent edits."""
    handle = lock_folder(folder)
    try:
        yield
    finally:
        os.close(handle)


def _write_atomically(target: Path, data: bytes) -> None:
    """Write a temporary file and move it over the target."""
    from tempfile import mkstemp  # slow to import

    # mkstemp creates files with mode 0600 whatever the umask is.

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
    sync_folder(target.parent)
