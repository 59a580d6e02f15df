"""Documents: folders taken in, searched, listed, forgotten."""

from typing import Any

from satchel.documents.values import DocMode, DocsForgotten, DocsFound, DocsIngested, DocsListed
from satchel.errors import InvalidRequest
from satchel.interfaces.operations.operation import ALL_SCOPES, SCOPE, Operation, Parameter, flag, json_list, words

_COLLECTION = Parameter("collection", "only documents of this collection")


def _listed(texts: object) -> Any:
    """Return a list that may still be the text it was given as: the command line reads it from anywhere."""
    if not isinstance(texts, str):
        return texts
    try:
        return json_list(texts)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(
            "the texts are no JSON list", code="invalid_json", hint='such as [{"ref": "a", "text": "b"}]'
        ) from error


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "docs ingest",
        "take in a folder, a file, or the files that a pattern means",
        lambda session, given: session.memory.documents.ingest(progress=session.progress, **given),
        result=DocsIngested,
        writes=True,
        operator_only=True,
        terminal_only=True,
        idempotent=True,
        long=True,
        parameters=(
            Parameter("place", "the folder, file or pattern; those of the settings if left out", positional=True),
            Parameter(
                "globs", "only files like this, as in .gitignore; ! takes out", flag="glob", repeated=True, default=()
            ),
            SCOPE,
            Parameter("collection", "name of the collection; that of the folder if left out"),
            Parameter("max_chunk_chars", "longest piece, 200 to 4000", type=int),
            Parameter("embed", "make no vectors now", type=bool, default=True),
            flag("again", "take in what was forgotten, too"),
            flag("watch", "go on as files change, until stopped"),
        ),
        details="Markdown is cut by its headings, source code by its definitions, text by its paragraphs. What has not "
        "changed is not touched, what is gone goes. What .gitignore names is passed over, links are not followed, secrets "
        "are masked; what cannot be read is left out with the reason.",
        examples=(
            "satchel docs ingest ~/work/api",
            "satchel docs ingest 'notes/**/*.md' --collection notes",
            "satchel docs ingest ~/work/api --glob '*.py' --glob '!tests/' --watch",
        ),
    ),
    Operation(
        "docs add",
        "take in texts that no file holds: a list of objects with a ref and a text",
        lambda session, given: session.memory.documents.add(
            progress=session.progress, **{**given, "texts": _listed(given["texts"])}
        ),
        result=DocsIngested,
        writes=True,
        operator_only=True,
        idempotent=True,
        long=True,
        parameters=(
            Parameter(
                "texts",
                "a JSON list; each has ref and text, and may have path and language",
                type=json_list,
                required=True,
                positional=True,
                from_stdin=True,
            ),
            Parameter("collection", "name of the collection", required=True),
            SCOPE,
            Parameter("max_chunk_chars", "longest piece, 200 to 4000", type=int),
            Parameter("embed", "make no vectors now", type=bool, default=True),
        ),
        details="A text whose ref is known replaces what was there; the others stay.",
        examples=("""satchel docs add '[{"ref": "note-1", "text": "Ship on Fridays."}]' --collection notes""",),
    ),
    Operation(
        "docs search",
        "find pieces of documents, each with its citation and its lines",
        lambda session, given: session.memory.documents.search(**given),
        result=DocsFound,
        writes=False,
        served=True,
        operator_only=True,
        parameters=(
            Parameter("query", "what to look for", required=True, positional=True, from_stdin=True),
            Parameter(
                "mode",
                "by words (search), by meaning (vsearch), or by both (query)",
                default=DocMode.QUERY.value,
                choices=words(DocMode),
            ),
            Parameter("limit", "how many to return, 1 to 200", type=int, default=10),
            SCOPE,
            ALL_SCOPES,
            _COLLECTION,
        ),
        details="Names from the code are found in any spelling, and what bears the very name or path that is asked for "
        "comes first.",
        examples=(
            'satchel docs search "how are tokens renewed"',
            "satchel docs search parseAuthToken --mode search",
            "satchel docs search 'src/models/*.ts'",
        ),
    ),
    Operation(
        "docs list",
        "list the documents that were taken in",
        lambda session, given: session.memory.documents.list(**given),
        result=DocsListed,
        writes=False,
        operator_only=True,
        parameters=(
            SCOPE,
            ALL_SCOPES,
            _COLLECTION,
            Parameter("limit", "how many to return, 1 to 5000", type=int, default=50),
            Parameter("after", "the 'next' of the page before"),
        ),
    ),
    Operation(
        "docs forget",
        "erase a document or a whole collection everywhere",
        lambda session, given: session.memory.documents.forget(**given),
        result=DocsForgotten,
        writes=True,
        destructive=True,
        operator_only=True,
        parameters=(
            Parameter("target", "the document's citation, or its path", positional=True),
            Parameter("collection", "the collection; all of it, if no document is named"),
            SCOPE,
            flag("verify", "search every file of the store for what is left"),
        ),
        details="There is no undo. A document that was forgotten stays out when its folder is taken in again, unless "
        "--again is given.",
        examples=("satchel docs forget doc:api:notes/plan.md --verify", "satchel docs forget --collection api"),
    ),
)
