"""Facts in a ledger: events, the facts derived from them, and their sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.json import encode

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.facts import sources
from satchel.adapters.sql.facts.rows import EVENTS, FACTS, has_own_id, parse_assertion
from satchel.adapters.sql.full_text import FACTS as TEXT
from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.where import Clause, all_of, between, one_of, reach_clause, scopes_of
from satchel.domain.facts import (
    Assertion,
    Fact,
    FactEvent,
    FactId,
    FactSource,
    FactSourceType,
    FactStatus,
    SourcedFact,
    SourceRef,
    subject_key,
)
from satchel.domain.fragments import FragmentSearch
from satchel.domain.scope import Reach
from satchel.domain.scopes import scope_of_seed
from satchel.domain.words import segment
from satchel.ports.facts import SubjectTally
from satchel.ports.memories import Frequencies

if TYPE_CHECKING:
    from satchel.domain.canonical import Json
    from satchel.domain.receipt import Receipt
    from satchel.domain.view import View
    from satchel.ports.damage import DamagedRecord


class SqlFacts:
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
            return list(
                EVENTS.read(db, f"SELECT {EVENTS.selected} FROM fact_events m WHERE {where} ORDER BY m.seq", values)
            )

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
            return [FactId(id) for (id,) in decodable_rows(db, query, [*values, limit])]

    def of_subject(self, subject: str, view: View) -> list[SourcedFact]:
        clauses = all_of(reach_clause(view.reach), ("m.subject = ?", [subject]), one_of("m.trust", view.trusts))
        return self._select(clauses, "ORDER BY m.valid_from, m.created_at, m.id")

    def subjects(self, view: View, after: tuple[str, str] | None, limit: int) -> list[SubjectTally]:
        later: Clause = ("true", []) if after is None else ("(m.scope, m.subject) > (?, ?)", [*after])
        where, values = all_of(reach_clause(view.reach), one_of("m.trust", view.trusts), later)
        query = f"""
            SELECT m.scope, m.subject, count(*), min(m.valid_from), max(m.valid_from) FROM facts m WHERE {where}
            GROUP BY m.scope, m.subject ORDER BY m.scope, m.subject LIMIT ?"""
        with self._database.reading() as db:
            return [SubjectTally(*row) for row in decodable_rows(db, query, [*values, limit], kind="fact")]

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
        with self._database.reading() as db:
            query = f"""
                SELECT {FACTS.selected} FROM {db.matches(TEXT)} AS found CROSS JOIN facts m ON m.row = found.row
                WHERE {where} ORDER BY found.score DESC, m.id LIMIT ?"""
            found = list(FACTS.read(db, query, [db.match_value(terms, scopes_of(view.reach)), *values, limit]))
            return [_with_sources(db, fact) for fact in found]

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        with self._database.reading() as db:
            holding = db.count_matches(TEXT, terms)
            return Frequencies(holding, db.highest_row(TEXT))

    def contains(self, fragment: str, *, excluding_sources: Sequence[str]) -> bool:
        among, values = one_of("ref", excluding_sources)
        query = (
            "SELECT 1 FROM facts WHERE instr(assertion, ?) > 0 AND id NOT IN "
            f"(SELECT fact_id FROM fact_sources WHERE {among}) LIMIT 1"
        )
        with self._database.reading() as db:
            return first(db.execute(query, [fragment, *values])) is not None

    def replace_view(self, facts: Sequence[Fact], receipt: Receipt) -> int:
        with self._database.writing() as db:
            before = {fact.id: fact for fact in FACTS.read(db, f"SELECT {FACTS.selected} FROM facts m")}
            after = {fact.id: fact for fact in facts}
            changed = [id for id in before.keys() | after.keys() if before.get(id) != after.get(id)]
            db.clear_words(TEXT)
            for table in ("facts", "fact_sources"):
                db.execute(f"DELETE FROM {table}")
            for fact in facts:
                _write_fact(db, fact)
            receipts.append(db, receipt)
            return len(changed)

    def _select(self, clause: Clause, order: str) -> list[SourcedFact]:
        where, values = clause
        with self._database.reading() as db:
            found = list(FACTS.read(db, f"SELECT {FACTS.selected} FROM facts m WHERE {where} {order}", values))
            return [_with_sources(db, fact) for fact in found]


def erase_dependents(db: Connection, ids: Sequence[str], cause: Receipt) -> None:
    """Erase the facts that lose their last source or repeat forgotten text; other facts of these records become stale."""
    for id in ids:
        record = sources.text_by_id(db, id)
        trace = FragmentSearch(record[1] if record else "")
        citing = list(decodable_rows(db, "SELECT DISTINCT fact_id FROM fact_sources WHERE ref = ? ORDER BY 1", (id,)))
        if citing:
            erased = [fact_id for (fact_id,) in citing if _must_erase(db, FactId(fact_id), id, trace)]
            for fact_id in erased:
                _forget(db, FactId(fact_id))
            stale = [fact_id for (fact_id,) in citing if fact_id not in erased]
            decided: dict[str, Json] = {"erased": list(erased), "stale": list(stale)}
            receipts.append_follow_up(db, cause, "fact forget", {"source": id}, decided)


def erase_scope(db: Connection, scope: str) -> None:
    """Erase every fact of a scope. Their events go with the scope."""
    for (id,) in list(decodable_rows(db, "SELECT id FROM facts WHERE scope = ?", (scope,))):
        _delete_fact(db, FactId(id))


def count_unsupported(db: Connection) -> int:
    """Count the facts that are stated as true and have a source that was changed or forgotten."""
    stated = f"m.stored_status NOT IN ('{FactStatus.RETRACTED}', '{FactStatus.STALE}')"
    return int(db.execute(f"SELECT count(*) FROM facts m WHERE {stated} AND NOT ({sources.SOURCES_INTACT})").get)


def rebuild_full_text(db: Connection) -> None:
    """Index every fact again."""
    db.clear_words(TEXT)
    for row, scope, assertion in list[Row](
        db.execute("SELECT row, scope, CAST(assertion AS BLOB) FROM facts ORDER BY row")
    ):
        _index(db, row, _words_of(assertion) or "", scope)


def _index(db: Connection, row: int, words: str, scope: str) -> None:
    db.add_words(TEXT, [(row, (segment(words),), scope)])


def _must_erase(db: Connection, id: FactId, ref: str, trace: FragmentSearch) -> bool:
    query = f"SELECT {FACTS.selected} FROM facts m WHERE m.id = ?"
    damaged: list[DamagedRecord] = []
    found = list(FACTS.read(db, query, (id,), damaged=damaged.append))
    if not found:
        # What a damaged fact said is not known any more, so it goes with any of its sources.
        return bool(damaged)
    kept = _with_sources(db, found[0])
    assertion = kept.fact.assertion
    sources_left = any(
        one.ref != ref and now is not None for one, now in zip(assertion.source_refs, kept.sources, strict=True)
    )
    return not sources_left or bool(trace.among([(0, _words(assertion))]))


def _forget(db: Connection, id: FactId) -> None:
    """Erase the text of a fact and of its events. Facts that it ended stay ended."""
    db.execute("UPDATE fact_events SET assertion = NULL, reason = NULL WHERE fact_id = ?", (id,))
    _delete_fact(db, id)


def _words(assertion: Assertion) -> str:
    value = assertion.object.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    locators = " ".join(one.locator for one in assertion.source_refs)
    return f"{assertion.subject.ref}\n{assertion.subject.label}\n{assertion.predicate}\n{text}\n{locators}"


def _words_of(assertion: bytes) -> str | None:
    """Return the indexed words of a stored assertion; None if it is damaged, so that they are not known any more."""
    try:
        parsed = parse_assertion(assertion)
    except ValueError:
        return None
    return _words(parsed) if has_own_id(parsed) else None


def _with_sources(db: Connection, fact: Fact) -> SourcedFact:
    assertion = fact.assertion
    # A receipt names the scope of its time, also after the fact moved to another.
    within, then = Reach((assertion.scope,)), Reach((scope_of_seed(assertion.seed or assertion.scope),))
    found = (
        sources.find(db, one, then if one.kind is FactSourceType.RECEIPT else within) for one in assertion.source_refs
    )
    return SourcedFact(fact, tuple(found))


def _write_event(db: Connection, event: FactEvent, receipt: Receipt) -> None:
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


def _write_fact(db: Connection, fact: Fact) -> None:
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
    _index(db, db.last_insert_rowid(), _words(one), one.scope)
    db.executemany(
        "INSERT INTO fact_sources (fact_id, place, kind, ref, digest) VALUES (?, ?, ?, ?, ?)",
        [
            (fact.id, place, ref.kind.value, ref.ref, digest)
            for place, (ref, digest) in enumerate(zip(one.source_refs, one.digests, strict=True))
        ],
    )


def _delete_fact(db: Connection, id: FactId) -> None:
    query = "SELECT row, CAST(assertion AS BLOB) FROM facts WHERE id = ?"
    row, assertion = first(db.execute(query, (id,))) or (None, None)
    if row is None:
        return
    words = _words_of(assertion)
    if words is not None:
        db.remove_words(TEXT, row, (segment(words),))
    db.execute("DELETE FROM fact_sources WHERE fact_id = ?", (id,))
    db.execute("DELETE FROM facts WHERE row = ?", (row,))
    if words is None:
        rebuild_full_text(db)
