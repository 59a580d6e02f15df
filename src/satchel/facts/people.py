"""Facts for those who may not know who the people of the graph are."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from satchel.domain.facts import SourcedFact
from satchel.domain.graph import fold_name
from satchel.domain.graph_answers import A_PERSON
from satchel.domain.scope import Reach

KnownPeople = Callable[[Reach], AbstractSet[str]]
"""Returns the folded names of people whom a reader may not know; none if the reader may know all."""


def without_people(one: SourcedFact, people: AbstractSet[str]) -> SourcedFact:
    """Return a fact that names none of the people as its subject or its object."""
    if not people:
        return one
    assertion = one.fact.assertion
    subject, object = assertion.subject, assertion.object
    if is_person(subject.ref, people) or is_person(subject.label, people):
        subject = replace(subject, ref=A_PERSON, label=A_PERSON)
    if isinstance(object.value, str) and is_person(object.value, people):
        object = replace(object, value=A_PERSON)
    return replace(one, fact=replace(one.fact, assertion=replace(assertion, subject=subject, object=object)))


def is_person(name: str, people: AbstractSet[str]) -> bool:
    """Return whether a name is that of one of the people."""
    return fold_name(name) in people
