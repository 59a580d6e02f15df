"""Memories out into a file, and back in."""

from satchel.domain.answers import Exported, Imported
from satchel.interfaces.operations.operation import ALL_SCOPES, KINDS, SCOPE, Operation, Parameter, flag, words
from satchel.memories.batches import Dedupe, Format

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "export",
        "write memories to a file, oldest first",
        lambda session, given: session.memory.transfer.export(progress=session.progress, **given),
        result=Exported,
        writes=False,
        operator_only=True,
        terminal_only=True,
        parameters=(
            Parameter("path", "the file to write; '-' is standard output", required=True, positional=True),
            SCOPE,
            ALL_SCOPES,
            KINDS,
            Parameter("limit", "at most so many", type=int),
            Parameter("format", "one object to a line, or one list", default=Format.JSONL.value, choices=words(Format)),
            Parameter("redact", "leave secrets such as keys and passwords unmasked", type=bool, default=True),
            flag("force", "replace a file that is there already"),
        ),
        details="Secrets are masked unless --no-redact is given. The file is for your eyes only, appears whole or not "
        "at all, and is the same for the same store.",
        examples=(
            "satchel export memories.jsonl --all-scopes --no-redact",
            "satchel export - --scope repo/api --kind decision",
        ),
    ),
    Operation(
        "import",
        "take the memories of a file in",
        lambda session, given: session.memory.transfer.import_(progress=session.progress, **given),
        result=Imported,
        writes=True,
        operator_only=True,
        terminal_only=True,
        idempotent=True,
        parameters=(
            Parameter("path", "the file to read; '-' is standard input", required=True, positional=True),
            Parameter(
                "dedupe",
                "what makes a row one that is there already",
                default=Dedupe.ID_TEXT.value,
                choices=words(Dedupe),
            ),
            flag("dry_run", "write nothing, and say what an import would do"),
            Parameter("scope", "put every row into this scope; each keeps its own if left out"),
            Parameter("limit", "read at most so many rows", type=int),
            Parameter("format", "one object to a line, or one list; guessed if left out", choices=words(Format)),
        ),
        details="What comes from a file is untrusted at most, whatever it says. Rows that cannot be read are named and "
        "left out; the others come in. Importing the same file again changes nothing.",
        examples=(
            "satchel import memories.jsonl --dry-run",
            "cat memories.jsonl | satchel import - --scope repo/api",
        ),
    ),
)
