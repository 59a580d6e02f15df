"""Facts in a SQLite ledger: events, the facts derived from them, and their sources."""

import json
from collections.abc import Sequence

import apsw
from msgspec import convert
from msgspec.json import decode, encode

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import Database, Row, first
from satchel.adapters.sqlite.facts import sources
from satchel.adapters.sqlite.memories import fulltext
from satchel.adapters.sqlite.where import Clause, all_of, between, one_of, reach_clause
from satchel.domain.canonical import Json
from satchel.domain.erasure import FragmentSearch
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
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.domain.words import segment
from satchel.ports.memories import Frequencies

_EVENT = "m.deed, m.fact_id, m.scope, m.subject, m.learned_at, m.actor, m.assertion, m.closes, m.moment, m.reason"
_FACT = "m.assertion, m.valid_to, m.stored_status, m.created_at, m.supersedes, m.superseded_by"


class SqliteFacts:
    """Implements ports.FactStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def resolve(self, sources_: Sequence[SourceRef], reach: Reach) -> list[FactSource | None]:
        with self._database.reading() as db:
            return [sources.find(db, one, reach) for one in sources_]

    def text_of(self, source: SourceRef, view: View) -> str | None:
        with self._database.reading() as db:
            return sources.text_of(db, source, view.reach, view.trusts)

    def events(self, reach: Reach, subject: str | None = None, known_at: int | None = None) -> list[FactEvent]:
        clauses = [reach_clause(reach)]
        if subject is not None:
            clauses.append(("m.subject = ?", [subject_key(subject)]))
        if known_at is not None:
            clauses.append(("m.learned_at <= ?", [known_at]))
        where, values = all_of(*clauses)
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
        found = self._select(all_of(("m.id = ?", [id]), reach_clause(reach)), "ORDER BY m.id")
        return found[0] if found else None

    def ids_between(self, first: str, last: str, view: View, limit: int) -> list[FactId]:
        seen = reach_clause(view.reach), one_of("m.trust", view.trusts)
        where, values = all_of(between("m.id", first, last), *seen)
        # Without the hint, SQLite may scan the whole scope. The column is UNIQUE, which names its index.
        query = f"SELECT m.id FROM facts m INDEXED BY sqlite_autoindex_facts_1 WHERE {where} ORDER BY m.id LIMIT ?"
        with self._database.reading() as db:
            return [FactId(id) for (id,) in db.execute(query, [*values, limit])]

    def of_subject(self, subject: str, view: View) -> list[SourcedFact]:
        clauses = all_of(reach_clause(view.reach), ("m.subject = ?", [subject]), one_of("m.trust", view.trusts))
        return self._select(clauses, "ORDER BY m.valid_from, m.created_at, m.id")

    def walk(self, view: View) -> list[SourcedFact]:
        return self._select(all_of(reach_clause(view.reach), one_of("m.trust", view.trusts)), "ORDER BY m.id")

    def with_sources(self, facts: Sequence[Fact]) -> list[SourcedFact]:
        with self._database.reading() as db:
            return [_with_sources(db, fact) for fact in facts]

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[SourcedFact]:
        if not terms:
            return []
        where, values = all_of(
            reach_clause(view.reach),
            one_of("m.trust", view.trusts),
            (f"m.stored_status NOT IN ('{FactStatus.RETRACTED}', '{FactStatus.STALE}')", []),
            ("m.valid_from <= ? AND (m.valid_to IS NULL OR m.valid_to > ?)", [view.now, view.now]),
            (sources.SOURCES_INTACT, []),
        )
        query = f"""
            SELECT {_FACT} FROM facts_text CROSS JOIN facts m ON m.row = facts_text.rowid
            WHERE facts_text MATCH ? AND {where} ORDER BY bm25(facts_text), m.id LIMIT ?"""
        with self._database.reading() as db:
            rows = list[Row](db.execute(query, [fulltext.match_expression(terms), *values, limit]))
            return [_with_sources(db, _fact(row)) for row in rows]

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        with self._database.reading() as db:
            holding = fulltext.count_matches(db, "facts_text", terms)
            return Frequencies(holding, int(db.execute("SELECT coalesce(max(row), 0) FROM facts").get))

    def contains(self, fragment: str, *, excluding_sources: Sequence[str]) -> bool:
        among, values = one_of("ref", excluding_sources)
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
            return [_with_sources(db, _fact(row)) for row in rows]


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Erase the facts that lose their last source or repeat forgotten text; other facts of these records become stale."""
    for id in ids:
        record = sources.text_by_id(db, id)
        trace = FragmentSearch(record[1] if record else "")
        citing = list[Row](db.execute("SELECT DISTINCT fact_id FROM fact_sources WHERE ref = ? ORDER BY 1", (id,)))
        if citing:
            erased = [fact_id for (fact_id,) in citing if _must_erase(db, FactId(fact_id), id, trace)]
            for fact_id in erased:
                _forget(db, FactId(fact_id))
            stale = [fact_id for (fact_id,) in citing if fact_id not in erased]
            decided: dict[str, Json] = {"erased": list(erased), "stale": list(stale)}
            at = receipts.last_at(db)
            receipts.append(db, Receipt("fact forget", {"source": id}, decided=decided, at=at))


def rebuild_full_text(db: apsw.Connection) -> None:
    """Index every fact again."""
    fulltext.clear(db, "facts_text")
    for row, assertion in list[Row](db.execute("SELECT row, assertion FROM facts ORDER BY row")):
        _index(db, row, decode(assertion, type=Assertion))


def _index(db: apsw.Connection, row: int, assertion: Assertion) -> None:
    db.execute("INSERT INTO facts_text (rowid, body) VALUES (?, ?)", (row, segment(_words(assertion))))


def _must_erase(db: apsw.Connection, id: FactId, ref: str, trace: FragmentSearch) -> bool:
    row = first(db.execute(f"SELECT {_FACT} FROM facts m WHERE m.id = ?", (id,)))
    if row is None:
        return False
    kept = _with_sources(db, _fact(row))
    assertion = kept.fact.assertion
    sources_left = any(
        one.ref != ref and now is not None for one, now in zip(assertion.source_refs, kept.sources, strict=True)
    )
    return not sources_left or bool(trace.among([(0, _words(assertion))]))


def _forget(db: apsw.Connection, id: FactId) -> None:
    """Erase the text of a fact and of its events. Facts that it ended stay ended."""
    db.execute("UPDATE fact_events SET assertion = NULL, reason = NULL WHERE fact_id = ?", (id,))
    _delete_fact(db, id)


def _words(assertion: Assertion) -> str:
    value = assertion.object.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    locators = " ".join(one.locator for one in assertion.source_refs)
    return f"{assertion.subject.ref}\n{assertion.subject.label}\n{assertion.predicate}\n{text}\n{locators}"


def _with_sources(db: apsw.Connection, fact: Fact) -> SourcedFact:
    within = Reach((fact.assertion.scope,))
    return SourcedFact(fact, tuple(sources.find(db, one, within) for one in fact.assertion.source_refs))


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
        # An assertion never changes, so its full text and sources stay.
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
    words = segment(_words(decode(assertion, type=Assertion)))
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
