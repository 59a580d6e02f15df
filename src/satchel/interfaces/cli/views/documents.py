"""Views of documents."""

from satchel.documents.values import DocsForgotten, DocsFound, DocShown, DocsIngested, DocsListed
from satchel.domain.document_hits import DocHit
from satchel.domain.shorten import shorten
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line, remedies

SNIPPET_CHARS = 160


def _ingested(result: DocsIngested) -> Lines:
    named = ", ".join(result.collections)
    yield f"{count(result.files_matched, 'document')} of {named} in scope {result.scope}", "green"
    files = (
        (result.added, "added"),
        (result.changed, "changed"),
        (result.removed, "removed"),
        (result.unchanged, "unchanged"),
    )
    yield f"  {', '.join(f'{count} {word}' for count, word in files if count) or 'no files'}", "dim"
    if result.renamed:
        yield f"  {result.renamed} of the added files were renamed", "dim"
    if result.secrets_masked:
        yield f"  {count(result.secrets_masked, 'secret')} masked", "yellow"
    if result.embeddings_waiting:
        yield f"  {count(result.embeddings_waiting, 'text')} without a vector yet", "dim"
    for one in result.skipped:
        yield f"  skipped: {one_line(one.path)} ({one.reason})", "yellow"
    if (unlisted := sum(result.skipped_for.values()) - len(result.skipped)) > 0:
        yield f"  and {unlisted} more", "yellow"
    yield from remedies(result.skipped_for)


def _found(result: DocsFound) -> Lines:
    if not result.hits:
        yield f"nothing found in the documents of scope {result.scope}", "dim"
    for hit in result.hits:
        yield from _hit(hit)


def _hit(hit: DocHit) -> Lines:
    heading = " › ".join(hit.heading) or hit.title
    yield f"{hit.rank:>2}. {hit.path}:{hit.first_line} {one_line(heading)}", "bold"
    yield f"    {one_line(shorten(hit.text, SNIPPET_CHARS))}", ""
    yield f"    relevance {hit.relevance:.2f} · {', '.join(hit.match)} · {hit.citation}", "dim"


def _explained(result: DocsFound) -> Lines:
    for hit in result.hits:
        yield from _hit(hit)
        for part in hit.contributions:
            yield f"      {part.name} {part.value:+.4f} (from {part.raw:.4f})", "dim"


def _listed(result: DocsListed) -> Lines:
    for one in result.collections:
        yield f"{one.name} ({one.scope}): {count(one.documents, 'document')} in {count(one.chunks, 'piece')}", "bold"
    if not result.collections:
        yield "no documents", "dim"
    for document in result.documents:
        yield f"  {document.collection}:{one_line(document.path)} · {document.kind} · {document.chunks}", ""
    if result.next:
        yield f"more: --after '{result.next}'", "dim"


def _shown(result: DocShown) -> Lines:
    yield f"{result.collection}:{one_line(result.path)} · {result.kind} · {result.scope}", "bold"
    for piece in result.pieces:
        yield f"\n{piece.citation}", "dim"
        yield piece.text, ""


def _forgotten(result: DocsForgotten) -> Lines:
    yield (
        f"forgot {count(result.documents, 'document')} of {result.collection}, {count(result.chunks, 'piece')}",
        "green",
    )
    if result.pending:
        yield f"  still to be cleared: {', '.join(result.pending)}", "yellow"
    if result.check is None:
        return
    if result.check.found_after:
        yield f"  still found in: {', '.join(result.check.found_after)}", "red"
    elif result.check.conclusive:
        yield (
            f"  proven: searched {count(result.check.files, 'file')}; found in {result.check.found_before} before, in none now",
            "green",
        )
    else:
        yield f"  nothing found, but: {result.check.note}", "yellow"
    if result.check.unseen:
        yield f"  {result.check.unseen}", "dim"


VIEWS: Views = {
    "docs ingest": _ingested,
    "docs add": _ingested,
    "docs search": _found,
    "docs list": _listed,
    "docs show": _shown,
    "docs forget": _forgotten,
}
