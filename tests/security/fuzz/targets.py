"""What is fuzzed: functions that take arbitrary bytes, may refuse them in the one documented way, and check what they return."""

import json
from collections.abc import Callable
from typing import NamedTuple

from satchel.domain.json_rows import decode_row, open_rows
from satchel.domain.policies import ScopePolicy
from satchel.domain.strict_json import parse_json
from satchel.errors import InvalidRequest
from satchel.interfaces.arguments import check_arguments
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.install.documents import Format, Uneditable, Unparsable, parsed
from satchel.interfaces.install.plain import WrongShape
from satchel.memories.row_format import parse_row
from satchel.observations.event import CaptureContext
from satchel.observations.intake import EventStream, parse_events
from satchel.packing.bundle import parse_bundle
from satchel.ports import SourceForm
from satchel.turns.block import parse_block, render_block
from tests.importing.test_any_content import FILES, InMemory, check

_CONTEXT = CaptureContext(1_794_800_000_000, "global", nonce="7")
_PATH = ("mcpServers", "satchel")
_ENTRY = {"command": "satchel", "args": ["mcp"]}


class Target(NamedTuple):
    """One parser: what runs it, and good inputs to start from."""

    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def events(data: bytes) -> None:
    """The spool of captured events, in two pieces as a pipe may cut them."""
    stream = EventStream()
    cut = len(data) // 2
    raws = [*stream.feed(data[:cut]), *stream.feed(data[cut:]), *stream.end()]
    done = parse_events([raw for raw in raws if raw.strip()], _CONTEXT, "fuzz")
    # A line that we wrote is one that we read.
    again = parse_events(done.lines, _CONTEXT, "again")
    assert not again.letters
    assert all(b"\n" not in line.rstrip(b"\n") for line in done.lines)


def rows(data: bytes) -> None:
    """A file to import, in either format."""
    for format in (None, "json", "jsonl"):
        _, found = open_rows([data[:7], data[7:]], format)
        for row in found:
            if not row.problem:
                try:
                    parse_row(decode_row(row.data), scope=None, policy=ScopePolicy(), now=1)
                except InvalidRequest as error:
                    assert error.code


def imports(data: bytes) -> None:
    """A file or a folder of another program, for every reader."""
    for form in (SourceForm.FILE, SourceForm.FOLDER):
        check(InMemory(form, data, FILES))


def strict_json(data: bytes) -> None:
    """Strict JSON: what it accepts, it accepts again after it was written."""
    try:
        value = parse_json(data, "the input", bounded_integers=True)
    except InvalidRequest as error:
        assert error.code and len(error.message) < 300
        return
    assert parse_json(json.dumps(value), "the output") == value


def packs(data: bytes) -> None:
    """Blocks and bundles that somebody else wrote."""
    text = data.decode("utf-8", "surrogateescape")
    parse_bundle(text)
    parse_bundle(f"<context-pack>\n{text}\n</context-pack>")
    entries = parse_block(f"<relevant-memories>\n{text}\n</relevant-memories>")
    assert all(isinstance(entry.text, str) for entry in entries)
    shown = render_block(entries)
    assert len(parse_block(shown)) == len(entries)


def request_bodies(data: bytes) -> None:
    """The body of a request, as the parameters of every operation."""
    try:
        given = parse_json(data, "the body")
    except InvalidRequest:
        return
    if not isinstance(given, dict):
        return
    for operation in OFFERED.values():
        try:
            check_arguments(operation, {one.name: one for one in operation.parameters}, given)
        except InvalidRequest as error:
            assert error.code


def host_settings(data: bytes) -> None:
    """The settings file of a host: edited to what was meant, or left alone."""
    for format in Format:
        try:
            document = parsed(format, data)
            changed = document.set(_PATH, _ENTRY)
            assert changed.value_at(_PATH) == _ENTRY
            changed.remove(_PATH)
        except (Unparsable, Uneditable, WrongShape):
            continue


TARGETS = {
    "events": Target(
        events,
        (
            b'{"tool_name": "Bash", "summary": "ran it", "ts": "2026-11-02T09:00:00Z"}\n{"text": "x", "scope": "a"}\n',
            b'{\n "text": "several lines"\n}\n', b"\xff\xfe\n{", b'{"text": "<private>x</private>", "importance": "high", "ts": 1e999}',
        ),
    ),
    "rows": Target(
        rows,
        (
            b'{"text": "x", "kind": "fact", "trust_tier": "trusted", "importance": 0.5}\n{"text": ""}\n', b'[{"text": "a"}, {"text": "b"}]',
            b'\xef\xbb\xbf[{"id": "a", "created_at": 1, "tags": ["x"], "valid_from": "2026"}]', b"[[1], 2, {}]",
        ),
    ),
    "imports": Target(
        imports,
        (
            b'[{"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["x"]}}}}}]',
            b'{"type": "entity", "name": "Ann", "entityType": "person", "observations": ["x"]}\n{"from": "a", "to": "b", "relationType": "r"}',
            b'[{"uuid": "u", "chat_messages": [{"sender": "human", "text": "x"}]}]', b"---\npermalink: a\n---\n- [fact] x #y\n- uses [[b]]\n",
            b'{"results": [{"memory": "x", "hash": "h"}], "relations": [{"source": "a", "relationship": "r", "target": "b"}]}',
        ),
    ),
    "strict_json": Target(strict_json, (b'{"a": [1, 2.5, "x\\u00e9", null, true]}', b"[" * 70 + b"]" * 70, b'{"a": 1, "a": 2}', b"NaN", b"1e400")),
    "packs": Target(
        packs,
        (b"decision [mem:1]: we ship\n  on Thursdays\nDocuments\nREADME [doc:1]: x", b"1. [fact|trusted|2026-11-02] a &amp; b &#xa; c\n2. [a|b] c", b"&#x110000;&#xd800;&bogus;"),
    ),
    "request_bodies": Target(request_bodies, (b'{"text": "x", "scope": "a", "limit": 5, "tags": ["t"], "trust": null}', b'{"query": 1, "messages": [{"role": "user"}]}')),
    "host_settings": Target(
        host_settings,
        (
            b'{"mcpServers": {"other": {"command": "x"}}, "a": [1, 2]}', b"// c\n{a: 'b', mcpServers: {},}", b'[mcpServers.other]\ncommand = "x" # c\n',
            b"mcpServers = 1", b'{"mcpServers": []}', b'mcpServers.satchel.command = "y"\n[a]\nb = """x\n"""', b"",
        ),
    ),
}  # fmt: skip
