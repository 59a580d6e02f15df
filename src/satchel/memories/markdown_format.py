"""Write memories as Markdown: one document to read, or a note for each with front matter that an import takes back."""

import json
import re
from collections.abc import Iterator

from satchel.domain.canonical import Json, digest
from satchel.domain.moment import iso
from satchel.domain.record import Memory, State
from satchel.memories.row_format import memory_row

NOTE_MARK = "memory"
"""The value of `satchel` in the front matter of a note that Satchel wrote."""
MAX_SLUG_CHARS = 48
_UNSAFE = re.compile(r"[^a-z0-9._-]+")
_NOT_IN_SLUG = re.compile(r"[\W_]+")
# The names of a row that a note writes otherwise, or not at all.
_WRITTEN_OTHERWISE = frozenset({"text", "category", "createdAt", "updatedAt", "valid_from", "valid_to"})


class MarkdownDocument:
    """Writes memories that come scope by scope and kind by kind as one document."""

    def __init__(self) -> None:
        self._scope = self._kind = ""

    def lines(self, memory: Memory) -> Iterator[str]:
        """Yield the lines of a memory, with the headings that change before it."""
        if memory.scope != self._scope:
            self._scope, self._kind = memory.scope, ""
            yield f"# {memory.scope}\n\n"
        if memory.kind != self._kind:
            self._kind = memory.kind
            yield f"## {memory.kind.replace('_', ' ').capitalize()}\n\n"
        text = memory.text if memory.title is None else f"**{' '.join(memory.title.split())}**: {memory.text}"
        first, *others = text.strip().splitlines() or [""]
        state = "" if memory.state is State.ACTIVE else f" · {memory.state}"
        facts = f"{iso(memory.created_at)[:10]} · {memory.label} · {memory.trust}{state} · `{memory.id}`"
        yield f"- {first}\n" + "".join(f"  {line}\n" if line.strip() else "\n" for line in (*others, "", facts)) + "\n"


def note(memory: Memory) -> str:
    """Return a memory as a note: every field with a value in the front matter, the text as the body."""
    row = memory_row(memory)
    fields: dict[str, Json] = {"satchel": NOTE_MARK}
    fields |= {name: value for name, value in row.items() if name not in _WRITTEN_OTHERWISE and value is not None}
    fields |= {"created": iso(memory.created_at), "updated": iso(memory.updated_at)}
    times = {"valid_from": memory.valid_from, "valid_to": memory.valid_to}
    fields |= {name: iso(at) for name, at in times.items() if at is not None}
    # JSON is YAML, and quoted texts need no rules of their own.
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())
    return f"---\n{front}---\n\n{memory.text}\n"


def note_path(memory: Memory) -> str:
    """Return the path of a note: its scope as folders, then its first words and a mark that no other memory has."""
    parts = [_UNSAFE.sub("-", part).strip(".") or "_" for part in re.split(r"[/:]", memory.scope)]
    words = _NOT_IN_SLUG.sub("-", (memory.title or memory.text)[:MAX_SLUG_CHARS].casefold()).strip("-")
    mark = digest(memory.id).removeprefix("sha256:")[:10]
    return "/".join((*parts, f"{words}-{mark}.md" if words else f"{mark}.md"))
