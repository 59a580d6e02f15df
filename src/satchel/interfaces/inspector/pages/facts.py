"""Facts: what is known about a subject over time, what replaced what, and what contradicts."""

import json

from msgspec import Struct

from satchel.core.service import MAX_PAGE
from satchel.domain.facts import FactStatus
from satchel.domain.moment import parse_moment
from satchel.explaining.values import Conflicts
from satchel.facts.values import FactRecord, FactSubject, FactSubjects, FactTimeline, Linted, LintFinding
from satchel.interfaces.inspector.formatting import address
from satchel.interfaces.inspector.pages.parameters import largest_scope, memories_by_scope, place
from satchel.interfaces.inspector.timeline import Timeline, timeline
from satchel.interfaces.inspector.visit import Page, Redirect, Visit

PER_PAGE = 100
CONFLICTS = 50


class SubjectsView(Struct, frozen=True):
    """The subjects that there are facts about."""

    scope: str
    scopes: tuple[str, ...]
    found: FactSubjects
    named: str = ""
    """The subject that was asked for, if it is not exactly one of those found."""


class SubjectView(Struct, frozen=True):
    """Everything that was said of one subject."""

    subject: str
    scope: str
    facts: tuple[FactRecord, ...]
    picture: Timeline
    now: int
    problems: dict[str, tuple[LintFinding, ...]]
    """By the id of the fact."""

    def value(self, fact: FactRecord) -> str:
        """Return the object of a fact as text."""
        found = fact.object.value
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    def status(self, fact: FactRecord) -> str:
        """Return the status of a fact; of an active one that is no longer true, that it has ended."""
        is_over = fact.valid_to is not None and parse_moment(fact.valid_to, "valid_to") <= self.now
        return "ended" if is_over and fact.status == FactStatus.ACTIVE else fact.status


class ConflictsView(Struct, frozen=True):
    """Memories and facts that contradict each other."""

    scope: str
    scopes: tuple[str, ...]
    memories: Conflicts
    facts: Linted


async def show_list(visit: Visit) -> Page | Redirect:
    """List the subjects. The name of one opens it."""
    scope, scopes = visit.query.get("scope", ""), tuple(await memories_by_scope(visit))
    if subject := visit.query.get("subject", "").strip():
        named = await _named(visit, subject)
        if len(named) == 1:
            return Redirect(address("/facts/subject", name=named[0].subject, scope=named[0].scope))
        return Page("facts.html", SubjectsView(scope, scopes, FactSubjects(scope, named, None), subject))
    found: FactSubjects = (
        await visit.ask("fact subjects", limit=PER_PAGE, after=visit.query.get("after"), **place(visit))
    ).result
    return Page("facts.html", SubjectsView(scope, scopes, found))


async def _named(visit: Visit, subject: str) -> tuple[FactSubject, ...]:
    """Return the subjects with a name, in whichever case and scope."""
    found, after = list[FactSubject](), None
    while True:
        page: FactSubjects = (await visit.ask("fact subjects", limit=MAX_PAGE, after=after, **place(visit))).result
        found += (one for one in page.subjects if one.subject.casefold() == subject.casefold())
        if (after := page.next) is None:
            return tuple(found)


async def show_subject(visit: Visit) -> Page | Redirect:
    """Show the facts about a subject; the list of subjects if none is named."""
    name, scope = visit.query.get("name", ""), visit.query.get("scope")
    if not name:
        return await show_list(visit)
    told: FactTimeline = (await visit.ask("fact timeline", subject=name, scope=scope)).result
    linted: Linted = (await visit.ask("fact lint", subject=name, scope=scope)).result
    problems: dict[str, tuple[LintFinding, ...]] = {}
    for one in linted.findings:
        problems[one.fact] = (*problems.get(one.fact, ()), one)
    return Page(
        "subject.html", SubjectView(name, told.scope, told.facts, timeline(told.facts, visit.now), visit.now, problems)
    )


async def show_conflicts(visit: Visit) -> Page:
    """List what contradicts in one scope: in all at once, the comparison of a large store takes many seconds."""
    by_scope = await memories_by_scope(visit)
    scope = visit.query.get("scope", largest_scope(by_scope)) or None
    memories: Conflicts = (await visit.ask("conflicts", limit=CONFLICTS, scope=scope)).result
    facts: Linted = (await visit.ask("fact lint", scope=scope)).result
    return Page("conflicts.html", ConflictsView(memories.scope, tuple(by_scope), memories, facts))
