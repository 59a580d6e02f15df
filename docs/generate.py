"""Writes the reference pages from the code. `--check` only says which ones are stale."""

import ast
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import apsw

from satchel import errors
from satchel.adapters.clock import SystemClock
from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.files import StoreFolder
from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.lance.schema import lancedb_schema, table_schema
from satchel.adapters.spool import SpoolFolder
from satchel.adapters.sql.migrations import MIGRATIONS
from satchel.adapters.sql.schema_version import migrate
from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config.catalogue import OPENCLAW_PREFIX, SettingEntry
from satchel.config.sources import CATALOGUE
from satchel.config.values import limits
from satchel.core.parts import Parts
from satchel.domain.embedding import Clamp
from satchel.domain.policies import RerankPolicy
from satchel.domain.receipt import Receipt
from satchel.domain.routing import RouteErrorCode
from satchel.interfaces import agents, toolbox
from satchel.interfaces.cli.commands import COMMANDS, Command
from satchel.interfaces.cli.overview import SECTIONS
from satchel.interfaces.cli.table import command_name, command_parameters, description, option_help, typed_name
from satchel.interfaces.failures import EXIT_CODES, HTTP_STATUSES, exit_code
from satchel.interfaces.http.app import ACTORS, OFFERED
from satchel.interfaces.http.openapi import openapi_document
from satchel.interfaces.mcp import prompts, resources
from satchel.interfaces.operations import OPERATIONS, Operation, Parameter
from satchel.interfaces.serialization import Schema, receipt_to_json, schema_of
from satchel.wiring.remote import make_reranker

HERE = Path(__file__).parent
REFERENCE = HERE / "reference"
SOURCE = HERE.parent / "src" / "satchel"
NOTE = "<!-- Written by docs/generate.py from the code: change the code, then run `make docs`. -->"


def commands() -> Iterator[str]:
    """The commands, from the table of operations."""
    yield "# Commands"
    yield "Every command also takes `--home FOLDER` (the store) and `--json` (one JSON object as the answer), in any position."
    yield (
        "`satchel help COMMAND` shows the same in the terminal, and `satchel completion SHELL` prints a script that completes "
        "commands and options."
    )
    yield "Exit codes: 0 done, 1 failed, 2 invalid request, 3 the store is newer or damaged."
    for title, section in SECTIONS.items():
        yield f"{title.capitalize()}: " + " · ".join(f"`{word}`" for word in section)
    for operation in (one for one in OPERATIONS if not one.own_command):
        yield from _command(operation)
    for command in COMMANDS:
        yield from _command(command)


def _command(operation: Operation | Command) -> Iterator[str]:
    yield f"## satchel {command_name(operation)}"
    yield description(operation)
    if isinstance(operation, Operation):
        yield f"Writes: {'yes' if operation.writes else 'no'}."
    if parameters := command_parameters(operation):
        yield _table(("parameter", "meaning", "default"), [_parameter_row(one) for one in parameters])
    if operation.examples:
        yield "```sh\n" + "\n".join(operation.examples) + "\n```"
    if isinstance(operation, Command) and operation.epilog:
        yield f"```\n{operation.epilog}\n```"


def mcp() -> Iterator[str]:
    """The MCP tools, from the table of operations."""
    yield "# MCP tools"
    yield (
        "`satchel mcp` serves tools, resources and prompts over standard input and output, `satchel serve` [over HTTP](../serve.md#mcp-over-http). By default each offers seven tools: "
        + ", ".join(f"`{name}`" for name in agents.EVERYDAY_TOOLS)
        + ". `--tools all` offers every tool on this page, and `--tools memory_recall,graph_path` those that it names. Calling "
        "a tool that is not offered fails with `not_offered`."
    )
    yield (
        "A tool answers with a few lines of text for the model, which begin with the warnings, and with the same in full as "
        "structured content. The `memory_*` tools answer in the shapes shown below, and fail with "
        '`{"error": code, "message": …, "hint": …, "receipt": …}`; the others answer with the envelope of `--json`. '
        "Claude Code and Codex would show a model the structured content instead of the text, so they get only the text. "
        "Parameters may also be written in camelCase: `memoryId` is `memory_id`."
    )
    yield (
        "With `--scope NAME` every call runs in that scope: no tool takes a `scope`, and a tag in a text names no other. With "
        "`--read-only` only tools that do not write are offered; calling another fails with `readonly_mode`. With "
        "`--files FOLDER` an agent may export and import inside that folder, and no existing file is replaced; without it "
        "neither tool is offered."
    )
    yield (
        "What an agent stores is untrusted, comes through the channel `tool`, and names the client as its source. These "
        "commands are for the operator and are not offered as tools: "
        + ", ".join(f"`{operation.name}`" for operation in OPERATIONS if operation.operator_only)
        + "."
    )
    yield "## Resources"
    yield (
        "What a resource says is what its tool answers, within the same bounds. What stands in braces is percent-encoded. "
        "None is listed by name."
    )
    yield _table(
        ("address", "what it is", "readable if this is offered"),
        [(f"`{one.template}`", one.description, f"`{one.needs}`") for one in resources.RESOURCES],
    )
    yield "## Prompts"
    yield _table(
        ("prompt", "argument", "what it is", "uses"),
        [(f"`{one.name}`", f"`{one.argument}`", one.description, f"`{one.tool}`") for one in prompts.PROMPTS],
    )
    everyday = [(name, agents.TOOLS[name]) for name in agents.EVERYDAY_TOOLS]
    others = [(name, one) for name, one in agents.TOOLS.items() if name not in agents.EVERYDAY_TOOLS]
    for name, operation in everyday + others:
        yield f"## {name}"
        yield toolbox.description(operation)
        yield f"Writes: {'yes' if operation.writes else 'no'}.{' Destructive.' if operation.destructive else ''}"
        rows = [_tool_row(one) for one in agents.settable_parameters(operation, agents.Bounds()).values()]
        yield _table(("parameter", "type", "meaning", "default"), rows)
        if operation.agents_only:
            yield _table(("field of the answer", "type"), list(_shape_rows(schema_of(operation.result))))


def http() -> Iterator[str]:
    """The HTTP API, from the table of operations."""
    yield "# HTTP"
    yield (
        "`satchel serve` offers these on its socket, and on `127.0.0.1` with `--port`. Each is `POST /v1/NAME` with a body of "
        "type `application/json`: one object of parameters, those of [the command](commands.md) or [the tool](mcp.md) of the "
        "same name, written with `_`. What is left out has its default."
    )
    yield (
        "Every request but `GET /health` needs `Authorization: Bearer TOKEN`: the operator's token, in `serve.token` in the "
        "store's folder, or one of a [program](../serve.md#tokens-for-programs), which may call what the last column says. It may "
        f"name its actor in `Satchel-Actor` ({', '.join(ACTORS)}), and an agent itself in `Satchel-Client`. "
        "`Satchel-Folder` is the folder that the caller works in, percent-encoded, for the scope `auto`. With "
        "`Satchel-Fingerprint` a request is refused by a server that was started with other settings."
    )
    yield (
        "The answer is the envelope of `--json`; for `memory_*` it is "
        '`{"content": [{"type": "text", "text": …}], "details": …}`, with `"isError": true` when it failed. An '
        "operation that ran has the exit code of the command line in the header `Satchel-Exit-Code`; a request that was "
        "rejected before has none. `GET /v1/status` describes the server, `POST /v1/stop` stops it, `POST /v1/open` returns an address "
        "at which one browser enters the [inspector](../inspector.md), `GET /health` says that it "
        "answers, `GET /metrics` has its [counters](../serve.md#health-and-metrics), and `GET /v1/openapi.json` describes this API "
        "as an [OpenAPI document](openapi.json). MCP is at `/mcp`: see [serve](../serve.md#mcp-over-http)."
    )
    rows = [
        (
            f"`{name}`",
            one.help,
            "yes" if one.writes else "no",
            "beside the others" if one.long else "in turn",
            _may_call(one),
        )
        for name, one in OFFERED.items()
    ]
    yield _table(("name", "what it does", "writes", "runs", "for programs"), rows)
    kept = [f"`{one.name}` of `{name}`" for name, op in OFFERED.items() for one in op.parameters if one.terminal_only]
    yield f"Only the command takes {', '.join(kept)}: no request names a file to write, or goes on until it is stopped."
    yield "## Statuses"
    own = {
        400: "the body or a header is malformed",
        401: "the token is missing, wrong, expired or revoked",
        403: "`bad_origin`: a web page asks; `operator_only`, `readonly_mode`, `scope_refused`: the token does not allow it",
        404: "no such route",
        405: "another method is wanted",
        408: "the body came too slowly",
        412: "started with other settings",
        413: "the body is too large",
        415: "the body is not JSON",
        421: "the Host is not this machine",
        431: "the headers are too many or too long",
    }
    kinds = {status: f"`{kind.__name__}` and below" for kind, status in HTTP_STATUSES.items()}
    statuses = [
        (str(status), "; ".join(text for text in (kinds.get(status), own.get(status)) if text))
        for status in sorted({*own, *kinds})
    ]
    yield _table(("status", "meaning"), [("200", "done"), *statuses])


def _may_call(operation: Operation) -> str:
    if operation.operator_only or operation.handles_files:
        return "no"
    return "unless read-only" if operation.writes else "yes"


def openapi() -> Iterator[str]:
    """The HTTP API as an OpenAPI document."""
    yield json.dumps(openapi_document(), indent=1, ensure_ascii=False)


def _shape_rows(said: Schema, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every field of a shape, those of its parts with the way to them."""
    for name, field in said["properties"].items():
        inner = field.get("items", field)
        there = f"{path}{name}"
        yield f"`{there}`", _type_name(field)
        if "properties" in inner:
            yield from _shape_rows(inner, f"{there}[]." if inner is not field else f"{there}.")


def _type_name(said: Schema) -> str:
    if "anyOf" in said:
        return " or ".join(_type_name(one) for one in said["anyOf"])
    if said.get("type") == "array":
        return f"array of {_type_name(said['items'])}"
    return str(said.get("type", "any"))


def _tool_row(parameter: Parameter) -> tuple[str, str, str, str]:
    said = toolbox.parameter_schema(parameter)
    _, _, default = _parameter_row(parameter)
    choices = f" One of: {', '.join(parameter.choices)}." if parameter.choices else ""
    kind = f"{said['type']} of {said['items']['type']}" if parameter.repeated else said["type"]
    return f"`{parameter.name}`", kind, f"{said['description']}.{choices}", default


def _parameter_row(parameter: Parameter) -> tuple[str, str, str]:
    choices = f" One of: {', '.join(parameter.choices)}." if parameter.choices else ""
    default = "required" if parameter.required else str(parameter.default or "")
    return (
        f"`{typed_name(parameter)}`",
        f"{option_help(parameter)}.{choices}",
        "" if parameter.type is bool else default,
    )


def settings() -> Iterator[str]:
    """The settings, from the knobs of every group."""
    yield "# Settings"
    yield (
        "A setting is taken from the first of these that has it: what a program or a flag gives, its environment variable, the "
        "file `config.toml` in the store's folder, its default. An empty variable counts as none. `satchel config show` tells "
        "which it was, `satchel config set KEY VALUE` writes the file."
    )
    yield (
        "In the file each group is a table, and `GROUP = false` stands for `GROUP.enabled = false`. In the environment `true`, "
        "`1`, `yes` and `on` mean the same, as do their opposites, and the entries of a list are separated by commas. A name or value "
        "that is wrong is refused, with the place and what is allowed."
    )
    yield (
        f"The last column is the key in the configuration of the OpenClaw plugin, below `{OPENCLAW_PREFIX.rstrip('.')}`. "
        "`tableName` is always `memories`."
    )
    yield '```toml\nread_only = false\n\n[recall]\nlimit = 8\n\n[scope_policy]\nfallback_scopes = ["team/shared", "global"]\n```'
    for group in ("", *CATALOGUE.groups):
        yield f"## {group or 'At the top'}"
        if group:
            yield (CATALOGUE.groups[group].__doc__ or "").strip()
        yield _table(
            ("key", "meaning", "default", "limits", "environment variable", "OpenClaw"),
            [_setting_row(one) for one in CATALOGUE.of_group(group)],
        )


def _setting_row(entry: SettingEntry) -> tuple[str, ...]:
    default = json.dumps(entry.default, ensure_ascii=False)
    return (
        f"`{entry.key}`",
        f"{entry.setting.help}.",
        "" if default in ('""', "[]") else f"`{default}`",
        limits(entry),
        f"`{entry.variable}`",
        f"`{entry.openclaw}`",
    )


def error_pages() -> Iterator[str]:
    """The errors, from their tree and from every place that gives one a code of its own."""
    yield "# Errors"
    yield "Every error has a code that stays the same, a message for people, and a hint that says what to do next."
    tree = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.SatchelError)]
    rows = [
        (f"`{kind.__name__}`", f"`{kind.code}`", str(exit_code(kind(""))), (kind.__doc__ or "").strip())
        for kind in tree
    ]
    yield _table(("error", "code", "exit code", "meaning"), rows)
    yield "## Codes of their own"
    yield "Some causes have a code that says more than their class."
    yield _table(("code", "error"), sorted(_special_codes()))
    yield "## Exit codes"
    yield _table(
        ("error", "exit code"), [(f"`{kind.__name__}` and below", str(code)) for kind, code in EXIT_CODES.items()]
    )


def _special_codes() -> set[tuple[str, str]]:
    modules = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")]
    calls = [node for module in modules for node in ast.walk(module) if isinstance(node, ast.Call)]
    given = [(ast.unparse(call.func), keyword) for call in calls for keyword in call.keywords]
    # Code that serves several callers is told by each which error to raise.
    raised = {"self._failure": [ast.unparse(keyword.value) for _, keyword in given if keyword.arg == "failure"]}
    return {
        (f"`{code}`", f"`{kind}`")
        for name, keyword in given
        if keyword.arg == "code" and (code := _code(keyword.value))
        for kind in raised.get(name, [name])
        if hasattr(errors, kind)
    }


def _code(value: ast.expr) -> str:
    """Return the code that an expression gives: a text, or one of the router's codes."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.Attribute) and ast.unparse(value.value) == "RouteErrorCode":
        return RouteErrorCode[value.attr].value
    return ""


def schema() -> Iterator[str]:
    """The ledger's tables, from a migrated database, and the index's columns."""
    yield "# Schema"
    yield f"The ledger is `ledger.sqlite3` in the store's folder, schema {len(MIGRATIONS)}. It is the only truth."
    database = Database(None)
    migrate(database)
    with database.reading() as db:
        yield "```sql\n" + ";\n\n".join(_statements(db)) + ";\n```"
    database.close()
    yield "## The index"
    yield "The index is `index/memories.lance`, the LanceDB table `memories`. It is derived and can be rebuilt at any time."
    rows = [
        (f"`{field.name}`", str(field.type).replace("|", "\\|"), "yes" if field.nullable else "no")
        for field in lancedb_schema(384)
    ]
    yield _table(("column", "type", "may be null"), rows)
    kept = ", ".join(f"`{field.name}`" for field in table_schema(384))
    yield (
        f"For people who open the table with LanceDB, it has these columns with `recall.index_from = 0`. Otherwise only those that Satchel "
        f"searches: {kept}. Vectors are searched in the folder `codes` in the folder of the table: two bits for each number of a vector, "
        "and what a view checks, by row of the ledger."
    )


def _statements(db: apsw.Connection) -> Iterator[str]:
    # FTS5 keeps tables of its own behind a virtual one; they are its business.
    query = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    for name, sql in db.execute(query).fetchall():
        if not str(name).startswith(("memories_text_", "observations_text_")):
            lines = str(sql).splitlines()
            margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
            indented = [line[margin:] if line.startswith(" " * margin) else line for line in lines[1:]]
            yield "\n".join([lines[0], *indented])


def receipt() -> Iterator[str]:
    """The receipt, from its fields and from two real ones."""
    yield "# Receipt"
    yield 'Every operation answers `{"ok": true, "result": …, "receipt": …}` or `{"ok": false, "error": …, "receipt": …}`.'
    yield (
        "The `digest` is the SHA-256 of the canonical JSON of `body`: sorted keys, no spaces, real characters. Clock readings stand "
        "beside the body, so equal work gives equal digests. A receipt holds ids and scores, never the text of a memory or of a question."
    )
    yield _table(("field", "meaning"), _field_docs(SOURCE / "domain" / "receipt.py", "Receipt"))
    yield (
        "Receipts of `store`, `recall`, `forget` and of index care are kept in the ledger, chained: each link covers the one before, and "
        "the head stands apart, so a changed, removed or added receipt shows in `satchel receipts verify`."
    )
    store, recall = _sample_receipts()
    yield "## A store\n\n```json\n" + json.dumps(receipt_to_json(store), indent=2, ensure_ascii=False) + "\n```"
    yield "## A recall\n\n```json\n" + json.dumps(receipt_to_json(recall), indent=2, ensure_ascii=False) + "\n```"


def _field_docs(path: Path, name: str) -> list[tuple[str, str]]:
    """Return the fields of a class with the docstring that follows each."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    body = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == name).body
    return [
        (f"`{field.target.id}`", str(doc.value.value))
        for field, doc in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)
    ]


class _StoppedClock(SystemClock):
    """Stands still, so that the page is the same each time it is written."""

    def now(self) -> int:
        return 1_767_225_600_000

    def ticks(self) -> float:
        return 0.0


def _sample_receipts() -> tuple[Receipt, Receipt]:
    ids = (f"00000000-0000-4000-8000-{number:012}" for number in range(1, 10))
    index = InMemoryIndex()
    parts = Parts(
        ledger=SqliteLedger(None),
        index=lambda: index,
        embedder=lambda name: None,
        files=StoreFolder(HERE),
        exchange=ExchangeFiles(HERE, pipes=False),
        spool=SpoolFolder(HERE),
        clock=_StoppedClock(),
        new_id=lambda: next(ids),
        reranker=lambda: make_reranker(RerankPolicy()),
        clamp=Clamp(),
    )
    with Satchel(parts) as memory:
        stored = memory.store("We ship on Thursdays", kind="decision", importance=0.9)
        memory.store("We shipped on Fridays", kind="decision", valid_to="2025-01-01")
        return stored.receipt, memory.recall("when do we ship?").receipt


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands.md": commands,
    "mcp.md": mcp,
    "http.md": http,
    "openapi.json": openapi,
    "settings.md": settings,
    "errors.md": error_pages,
    "schema.md": schema,
    "receipt.md": receipt,
}


def stale_pages(*, write: bool) -> list[str]:
    """Return the names of the pages that differ from what the code says; with `write`, mend them."""
    stale = []
    for name, page in PAGES.items():
        # A JSON document has no place for a note.
        text = "\n\n".join([*([NOTE] if name.endswith(".md") else []), *page()]) + "\n"
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if write:
                REFERENCE.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    checking = "--check" in sys.argv
    found = stale_pages(write=not checking)
    print(f"{'stale' if checking else 'written'}: {', '.join(found) or 'none'}")
    sys.exit(1 if checking and found else 0)
