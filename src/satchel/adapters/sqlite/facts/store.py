"""The facts of a SQLite ledger: events, the view they make, and what the facts rest on."""

import json
from collections.abc import Sequence

import apsw
from msgspec import convert
from msgspec.json import decode, encode

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import Database, Row, first
from satchel.adapters.sqlite.facts import sources
from satchel.adapters.sqlite.memories.fulltext import counted, match_expression
from satchel.adapters.sqlite.where import Clause, every, one_of, reach_clause
from satchel.domain.facts import (
    Assertion,
    Fact,
    FactAction,
    FactEvent,
    FactId,
    FactSource,
    FactStatus,
    SourcedFact,
    SourceRef,
    subject_key,
)
from satchel.domain.pieces import Trace
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.domain.words import segmented
from satchel.ports.memories import Frequencies

_EVENT = "m.deed, m.fact_id, m.scope, m.subject, m.learned_at, m.actor, m.assertion, m.closes, m.moment, m.reason"
_FACT = "m.assertion, m.valid_to, m.stored_status, m.created_at, m.supersedes, m.superseded_by"


class SqliteFacts:
    """Implements ports.Facts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def resolve(self, sources_: Sequence[SourceRef], reach: Reach) -> list[FactSource | None]:
        with self._database.reading() as db:
            return [sources.found(db, one, reach) for one in sources_]

    def text_of(self, source: SourceRef, view: View) -> str | None:
        with self._database.reading() as db:
            return sources.text_of(db, source, view.reach, view.trusts)

    def events(self, reach: Reach, subject: str | None = None, known_at: int | None = None) -> list[FactEvent]:
        clauses = [reach_clause(reach)]
        if subject is not None:
            clauses.append(("m.subject = ?", [subject_key(subject)]))
        if known_at is not None:
            clauses.append(("m.learned_at <= ?", [known_at]))
        where, values = every(*clauses)
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_EVENT} FROM fact_events m WHERE {where} ORDER BY m.seq", values)
            return [_event(row) for row in rows]

    def commit(self, events: Sequence[FactEvent], facts: Sequence[Fact], receipt: Receipt) -> None:
        with self._database.writing() as db:
            for event in events:
                _write_event(db, event, receipt)
            for fact in facts:
                _write_fact(db, fact)
            receipts.append(db, receipt)

    def find(self, id: FactId, reach: Reach) -> SourcedFact | None:
        found = self._select(every(("m.id = ?", [id]), reach_clause(reach)), "ORDER BY m.id")
        return found[0] if found else None

    def of_subject(self, subject: str, view: View) -> list[SourcedFact]:
        clauses = every(reach_clause(view.reach), ("m.subject = ?", [subject]), one_of("m.trust", view.trusts))
        return self._select(clauses, "ORDER BY m.valid_from, m.created_at, m.id")

    def walk(self, view: View) -> list[SourcedFact]:
        return self._select(every(reach_clause(view.reach), one_of("m.trust", view.trusts)), "ORDER BY m.id")

    def judged(self, facts: Sequence[Fact]) -> list[SourcedFact]:
        with self._database.reading() as db:
            return [_kept(db, fact) for fact in facts]

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[SourcedFact]:
        if not terms:
            return []
        where, values = every(
            reach_clause(view.reach),
            one_of("m.trust", view.trusts),
            (f"m.stored_status NOT IN ('{FactStatus.RETRACTED}', '{FactStatus.STALE}')", []),
            ("m.valid_from <= ? AND (m.valid_to IS NULL OR m.valid_to > ?)", [view.now, view.now]),
            (sources.SOUND, []),
        )
        query = f"""
            SELECT {_FACT} FROM facts_text CROSS JOIN facts m ON m.row = facts_text.rowid
            WHERE facts_text MATCH ? AND {where} ORDER BY bm25(facts_text), m.id LIMIT ?"""
        with self._database.reading() as db:
            rows = list[Row](db.execute(query, [match_expression(terms), *values, limit]))
            return [_kept(db, _fact(row)) for row in rows]

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        with self._database.reading() as db:
            return Frequencies(
                counted(db, "facts_text", terms), int(db.execute("SELECT coalesce(max(row), 0) FROM facts").get)
            )

    def contains(self, fragment: str, *, resting_on: Sequence[str]) -> bool:
        among, values = one_of("ref", resting_on)
        query = (
            "SELECT 1 FROM facts WHERE instr(assertion, ?) AND id NOT IN "
            f"(SELECT fact_id FROM fact_sources WHERE {among}) LIMIT 1"
        )
        with self._database.reading() as db:
            return first(db.execute(query, [fragment, *values])) is not None

    def replace_view(self, facts: Sequence[Fact], receipt: Receipt) -> int:
        with self._database.writing() as db:
            before = {fact.id: fact for fact in map(_fact, db.execute(f"SELECT {_FACT} FROM facts m"))}
            after = {fact.id: fact for fact in facts}
            changed = [id for id in before.keys() | after.keys() if before.get(id) != after.get(id)]
            for id in list(before):
                _delete_fact(db, id)
            for fact in facts:
                _write_fact(db, fact)
            receipts.append(db, receipt)
            return len(changed)

    def _select(self, clause: Clause, order: str) -> list[SourcedFact]:
        where, values = clause
        with self._database.reading() as db:
            rows = list[Row](db.execute(f"SELECT {_FACT} FROM facts m WHERE {where} {order}", values))
            return [_kept(db, _fact(row)) for row in rows]


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Erase the facts that are left without a source, or repeat what is forgotten; the others are stale by themselves."""
    for id in ids:
        record = sources.text_by_id(db, id)
        trace = Trace(record[1] if record else "")
        resting = list[Row](db.execute("SELECT DISTINCT fact_id FROM fact_sources WHERE ref = ? ORDER BY 1", (id,)))
        if resting:
            erased = [fact_id for (fact_id,) in resting if _loses_its_words(db, FactId(fact_id), id, trace)]
            for fact_id in erased:
                _forget(db, FactId(fact_id))
            stale = [fact_id for (fact_id,) in resting if fact_id not in erased]
            receipts.append(db, _forgetting(db, id, erased, stale))


def rebuild_full_text(db: apsw.Connection) -> None:
    """Index every fact anew."""
    db.execute("INSERT INTO facts_text (facts_text) VALUES ('delete-all')")
    for row, assertion in list[Row](db.execute("SELECT row, assertion FROM facts ORDER BY row")):
        _index(db, row, decode(assertion, type=Assertion))


def _index(db: apsw.Connection, row: int, assertion: Assertion) -> None:
    db.execute("INSERT INTO facts_text (rowid, body) VALUES (?, ?)", (row, segmented(_words(assertion))))


def _loses_its_words(db: apsw.Connection, id: FactId, ref: str, trace: Trace) -> bool:
    row = first(db.execute(f"SELECT {_FACT} FROM facts m WHERE m.id = ?", (id,)))
    if row is None:
        return False
    kept = _kept(db, _fact(row))
    said = kept.fact.assertion
    left = any(one.ref != ref and now is not None for one, now in zip(said.source_refs, kept.sources, strict=True))
    return not left or bool(trace.among([(0, _words(said))]))


def _forget(db: apsw.Connection, id: FactId) -> None:
    """Take a fact's words away, wherever they stand. What it ended stays ended."""
    db.execute("UPDATE fact_events SET assertion = NULL, reason = NULL WHERE fact_id = ?", (id,))
    _delete_fact(db, id)


def _forgetting(db: apsw.Connection, source: str, erased: list[str], stale: list[str]) -> Receipt:
    # Part of somebody else's write, which tells the time itself: the newest moment the ledger knows will do.
    at = db.execute("SELECT coalesce(max(at), 0) FROM receipts").get
    return Receipt("fact forget", {"source": source}, decided={"erased": erased, "stale": stale}, at=at)


def _words(assertion: Assertion) -> str:
    value = assertion.object.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    locators = " ".join(one.locator for one in assertion.source_refs)
    return f"{assertion.subject.ref}\n{assertion.subject.label}\n{assertion.predicate}\n{text}\n{locators}"


def _kept(db: apsw.Connection, fact: Fact) -> SourcedFact:
    within = Reach((fact.assertion.scope,))
    return SourcedFact(fact, tuple(sources.found(db, one, within) for one in fact.assertion.source_refs))


def _write_event(db: apsw.Connection, event: FactEvent, receipt: Receipt) -> None:
    db.execute(
        "INSERT INTO fact_events (scope, subject, fact_id, deed, assertion, closes, moment, reason, learned_at, actor, "
        "receipt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.scope,
            event.subject,
            event.fact,
            event.action,
            None if event.assertion is None else encode(event.assertion).decode(),
            encode(event.closes).decode(),
            event.moment,
            event.reason,
            event.learned_at,
            event.actor,
            receipt.digest,
        ),
    )


def _write_fact(db: apsw.Connection, fact: Fact) -> None:
    one = fact.assertion
    known = first(db.execute("SELECT row FROM facts WHERE id = ?", (fact.id,)))
    changing = (
        one.scope,
        one.subject.ref,
        one.predicate,
        one.trust,
        one.valid_from,
        fact.valid_to,
        fact.stored_status,
        fact.created_at,
        encode(one).decode(),
        json.dumps(fact.supersedes),
        json.dumps(fact.superseded_by),
    )
    if known is not None:
        # What was asserted never changes, and with it neither its full text nor its sources.
        db.execute(
            "UPDATE facts SET scope = ?, subject = ?, predicate = ?, trust = ?, valid_from = ?, valid_to = ?, "
            "stored_status = ?, created_at = ?, assertion = ?, supersedes = ?, superseded_by = ? WHERE row = ?",
            (*changing, known[0]),
        )
        return
    db.execute(
        "INSERT INTO facts (scope, subject, predicate, trust, valid_from, valid_to, stored_status, created_at, "
        "assertion, supersedes, superseded_by, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*changing, fact.id),
    )
    _index(db, db.last_insert_rowid(), one)
    db.executemany(
        "INSERT INTO fact_sources (fact_id, place, kind, ref, digest) VALUES (?, ?, ?, ?, ?)",
        [
            (fact.id, place, ref.kind.value, ref.ref, digest)
            for place, (ref, digest) in enumerate(zip(one.source_refs, one.digests, strict=True))
        ],
    )


def _delete_fact(db: apsw.Connection, id: FactId) -> None:
    row, assertion = first(db.execute("SELECT row, assertion FROM facts WHERE id = ?", (id,))) or (None, None)
    if row is None:
        return
    words = segmented(_words(decode(assertion, type=Assertion)))
    db.execute("INSERT INTO facts_text (facts_text, rowid, body) VALUES ('delete', ?, ?)", (row, words))
    db.execute("DELETE FROM fact_sources WHERE fact_id = ?", (id,))
    db.execute("DELETE FROM facts WHERE row = ?", (row,))


def _event(row: Row) -> FactEvent:
    deed, fact_id, scope, subject, learned_at, actor, assertion, closes, moment, reason = row
    return FactEvent(
        FactAction(deed),
        FactId(fact_id),
        scope,
        subject,
        learned_at,
        actor,
        None if assertion is None else decode(assertion, type=Assertion),
        convert(json.loads(closes), dict[FactId, int]),
        moment,
        reason,
    )


def _fact(row: Row) -> Fact:
    assertion, valid_to, stored_status, created_at, supersedes, superseded_by = row
    return Fact(
        decode(assertion, type=Assertion),
        valid_to,
        FactStatus(stored_status),
        created_at,
        tuple(map(FactId, json.loads(supersedes))),
        tuple(map(FactId, json.loads(superseded_by))),
    )
