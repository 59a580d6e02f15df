"""The trust that a person gave our hooks in Codex: it goes when they go.

Codex keeps it in its config.toml, by the place of each hook: `[hooks.state."FILE:EVENT:GROUP:HANDLER"]`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from satchel.interfaces.install import files
from satchel.interfaces.install.documents import Document, Format, Unparsable, parsed
from satchel.interfaces.install.entries import Hooks, Keys

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class Trust(Struct, frozen=True):
    """What Codex remembers of our hooks. We never write it."""

    hooks_file: Path
    hooks: Hooks
    path: Keys = ("hooks", "state")

    def written(self, document: Document) -> Document:
        """Return the document as it is: trust is the person's to give."""
        return document

    def removed(self, document: Document, before: Mapping[str, Any]) -> Document:
        """Return the document without the trust in our hooks."""
        for key in self._keys():
            document = document.remove((*self.path, key))
        return document

    def _keys(self) -> Iterator[str]:
        try:
            hooks = parsed(Format.JSON, files.read(self.hooks_file).content or b"")
        except Unparsable:
            return
        # Codex resolves the folder that CODEX_HOME names, and not the default one.
        names = dict.fromkeys((str(self.hooks_file), str(self.hooks_file.resolve())))
        for event, group, handler in self.hooks.places(hooks):
            yield from (f"{name}:{_CAPITAL.sub('_', event).lower()}:{group}:{handler}" for name in names)
