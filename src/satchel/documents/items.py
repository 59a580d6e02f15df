"""Store documents that were read from another program's file or from a folder."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from satchel.core.service import Service
from satchel.documents.intake import MAX_GIVEN_CHARS, DocumentWriter, IncomingDocument, IngestTally, grammar_for
from satchel.documents.passages import collection_name, cut_version, folder_collection
from satchel.domain.canonical import digest
from satchel.domain.code.kinds import kind_of
from satchel.domain.document import Collection, DocKind, Document
from satchel.domain.imports import DocumentItem, ImportTerms, Taken
from satchel.domain.record import SourceKind
from satchel.domain.scope import Reach, check_scope
from satchel.domain.text import check_text
from satchel.errors import Conflict, InvalidRequest

MAX_PATH_CHARS = 1_000


class DocumentItemWriter(Service):
    """Stores documents; one that is known is replaced if its text has changed."""

    def take(self, items: Sequence[DocumentItem], terms: ImportTerms) -> Taken:
        """Store a batch."""
        refused: dict[int, str] = {}
        by_collection: dict[tuple[str, str], dict[int, IncomingDocument]] = defaultdict(dict)
        for place, item in enumerate(items):
            try:
                by_collection[item.collection, item.root][place] = self._incoming(item, terms)
            except InvalidRequest as error:
                refused[place] = error.code
        scope, new = self._scope(terms.scope), 0
        tally = IngestTally()
        for (name, root), arrivals in by_collection.items():
            own = self._collection(scope, name, root)
            fresh, forgotten = self._fresh(own, arrivals)
            refused |= dict.fromkeys(forgotten, "forgotten")
            new += len(fresh)
            if fresh and not terms.dry_run:
                terms.before_write()
                self._write(own, fresh, tally)
        return Taken(
            new=new,
            known=len(items) - new - len(refused),
            quarantined=tally.quarantined,
            masked=tally.secrets,
            refused=tuple(sorted(refused.items())),
            scopes=Counter({scope: new}) if new else {},
        )

    def _incoming(self, item: DocumentItem, terms: ImportTerms) -> IncomingDocument:
        check_text(item.path, "the path", limit=MAX_PATH_CHARS)
        check_text(item.text, "the text", limit=MAX_GIVEN_CHARS)
        return IncomingDocument(
            path=item.path,
            kind=kind_of(item.path) or DocKind.TEXT,
            text=item.text,
            digest=digest(item.text),
            size=len(item.text.encode()),
            modified_ns=0,
            at=self._clock.now() if item.at is None else item.at,
            grammar=grammar_for(item.path, None),
            channel=SourceKind.OPERATOR if terms.trusted else SourceKind.IMPORT,
        )

    def _collection(self, scope: str, name: str, root: str) -> Collection:
        """Return the collection of a folder or an export. One that belongs to another folder is not touched."""
        own = (
            Collection(scope, folder_collection(root), digest(root))
            if root
            else Collection(scope, collection_name(name), "")
        )
        for one in self._ledger.documents.collections(Reach((scope,))):
            if one.name == own.name and one.root != own.root:
                raise Conflict(
                    f"collection {own.name!r} belongs to another folder",
                    code="collection_taken",
                    hint="rename the folder, import into another --scope, or forget the other collection",
                )
        return own

    def _fresh(
        self, own: Collection, arrivals: Mapping[int, IncomingDocument]
    ) -> tuple[list[IncomingDocument], list[int]]:
        """Return the documents that are new or have changed, and the positions of those that were forgotten."""
        known, gone = self._known(own), self._ledger.documents.forgotten(own.scope, own.name)
        cut = cut_version(self._policies.documents.max_chunk_chars)
        forgotten = [place for place, one in arrivals.items() if digest(one.path) in gone]
        fresh = [
            one
            for place, one in arrivals.items()
            if place not in forgotten
            and not ((before := known.get(one.path)) and (before.digest, before.cut) == (one.digest, cut))
        ]
        return fresh, forgotten

    def _write(self, own: Collection, documents: Sequence[IncomingDocument], tally: IngestTally) -> None:
        max_chars = self._policies.documents.max_chunk_chars
        for _ in DocumentWriter(self._parts).take_in(own, documents, self._known(own), max_chars, tally):
            pass

    def _known(self, own: Collection) -> dict[str, Document]:
        return dict(self._ledger.documents.in_collection(own.scope, own.name))

    def _scope(self, scope: str | None) -> str:
        policy = self._policies.scope
        return policy.default_scope if scope is None else check_scope(scope, policy)
