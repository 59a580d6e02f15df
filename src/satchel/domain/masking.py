"""Mask the secrets in a whole value, and home folders if wanted: a result on its way out, the facts of a receipt, a request
that is stored.

This runs on every answer, so it must cost little: fields that hold no text are skipped, texts that were looked at before
are known by their hash, and the rules are chosen once, by the keywords in all other texts together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

from msgspec import Struct, UnsetType
from msgspec.structs import fields as struct_fields
from msgspec.structs import replace

from satchel.domain.named_values import redacted_value
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.prefilter import candidate_rules
from satchel.domain.safety.redact import redacted
from satchel.domain.safety.secret_rule import SecretRule

# A number per text, about 1 MB in all.
MAX_KNOWN = 20_000
# Computed again if empty: the hash of the whole text would tell something about a short secret in it.
_HASH = "content_hash"
# Fields of our own ids, which a caller hands back.
_OWN_IDS = frozenset({"id", "ids", "next", "recordRef"})
_NO_TEXT = (int, float, bool, NoneType, UnsetType)
_IDENTIFIER = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha256:[0-9a-f]{64}"
_IDENTIFIER_CHARS = (36, 71)

T = TypeVar("T")

NamedText = tuple[str, str]
"""A text and the key that it has in a mapping; an empty name elsewhere."""


def masked(value: T, *, secrets: bool = True, paths: bool = False) -> T:
    """Return a value with the secrets in all its texts masked; the same object if there are none.

    With `paths`, home folders become `~` as well, except in ids, which are looked up again.
    """
    found: list[NamedText] = []
    _collect(value, "", found)
    replaced = _known.replacements(found) if secrets else {}
    clean = _rebuilt(value, "", replaced) if replaced else value
    return cast("T", _without_paths(clean, found) if paths else clean)


class _KnownTexts:
    """The texts that have no secret, by hash: a forgotten text must not stay in the memory of a server."""

    def __init__(self) -> None:
        self._clean: set[int] = set()

    def replacements(self, texts: Iterable[NamedText]) -> dict[NamedText, str]:
        """Return the masked form of every text that has a secret."""
        new = {text for text in texts if hash(text) not in self._clean and not _is_identifier(text)}
        if not new:
            return {}
        rules = candidate_rules("\n".join(part for text in new for part in text))
        replaced = {text: clean for text in new if (clean := _clean(text, rules)) != text[1]} if rules else {}
        if len(self._clean) > MAX_KNOWN:
            self._clean.clear()
        self._clean.update(hash(text) for text in new - replaced.keys())
        return replaced


_known = _KnownTexts()


def _is_identifier(text: NamedText) -> bool:
    """Return whether a text is nothing but a UUID or a digest, which no rule takes for a secret without its name.

    Most of the new texts of an answer are: the ids of all records that it considered, and their hashes.
    """
    return not text[0] and len(text[1]) in _IDENTIFIER_CHARS and compiled(_IDENTIFIER).fullmatch(text[1]) is not None


def _clean(text: NamedText, rules: Sequence[SecretRule]) -> str:
    name, plain = text
    return (redacted_value(name, plain, rules) if name else redacted(plain, rules)).text


def _collect(value: Any, name: str, found: list[NamedText]) -> None:
    """Add every text in a value to a list."""
    kind = type(value)
    # By exact type: a member of an enumeration is a str too, but not free text.
    if kind is str:
        found.append((name, value))
    elif issubclass(kind, Struct):
        for field in _text_fields(kind):
            _collect(getattr(value, field), "", found)
    elif issubclass(kind, (tuple, list, frozenset)):
        for one in value:
            _collect(one, name, found)
    elif issubclass(kind, Mapping):
        for key, one in value.items():
            _collect(key, "", found)
            _collect(one, str(key), found)


def _rebuilt(value: Any, name: str, replaced: Mapping[NamedText, str]) -> Any:
    """Return a value with texts replaced. A part without any stays the same object."""
    kind = type(value)
    if kind is str:
        return replaced.get((name, value), value)
    if issubclass(kind, Struct):
        return _rebuilt_struct(value, replaced)
    if issubclass(kind, (tuple, list, frozenset)):
        items = [_rebuilt(one, name, replaced) for one in value]
        same = all(new is one for new, one in zip(items, value, strict=True))
        return value if same else kind(*items) if hasattr(kind, "_fields") else kind(items)
    if issubclass(kind, Mapping):
        pairs = [
            (key, one, _rebuilt(key, "", replaced), _rebuilt(one, str(key), replaced)) for key, one in value.items()
        ]
        same = all(new is one and new_key is key for key, one, new_key, new in pairs)
        return value if same else {new_key: new for _, _, new_key, new in pairs}
    return value


def _rebuilt_struct(value: Struct, replaced: Mapping[NamedText, str]) -> Struct:
    fields = {name: getattr(value, name) for name in _text_fields(type(value))}
    changed = {name: new for name, one in fields.items() if (new := _rebuilt(one, "", replaced)) is not one}
    if changed and fields.get(_HASH):
        changed[_HASH] = ""
    return replace(value, **changed) if changed else value


def _without_paths(value: Any, texts: Iterable[NamedText]) -> Any:
    """Return a value without home folders. Most have none, and cost next to nothing."""
    from satchel.domain.safety.private_paths import may_have_home_folder, without_home_folders  # only for agents

    return _changed(value, without_home_folders) if any(may_have_home_folder(text) for _, text in texts) else value


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with every text changed, except ids."""
    kind = type(value)
    if kind is str:
        return change(value)
    if issubclass(kind, Struct):
        return replace(value, **_changed_fields({name: getattr(value, name) for name in _text_fields(kind)}, change))
    if issubclass(kind, (tuple, list, frozenset)):
        items = [_changed(one, change) for one in value]
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    if issubclass(kind, Mapping):
        return _changed_fields({change(str(key)): one for key, one in value.items()}, change)
    return value


def _changed_fields(fields: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    return {name: one if name in _OWN_IDS else _changed(one, change) for name, one in fields.items()}


@cache
def _text_fields(kind: type[Struct]) -> tuple[str, ...]:
    """Return the fields of a type that may hold text."""
    return tuple(one.name for one in struct_fields(kind) if any(map(_may_hold_text, _members(one.type))))


def _members(kind: Any) -> Iterator[Any]:
    if get_origin(kind) in (Union, UnionType):
        for one in get_args(kind):
            yield from _members(one)
    else:
        yield kind


def _may_hold_text(kind: Any) -> bool:
    return not (kind in _NO_TEXT or (isinstance(kind, type) and issubclass(kind, Enum)))
