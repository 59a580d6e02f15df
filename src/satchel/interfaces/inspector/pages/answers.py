"""Turns, packs and packets: what each put before an agent, what it left out, and by which rule."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.explaining.values import AnswerList, ReceiptExplanation
from satchel.interfaces.inspector.pages.parameters import memories_by_scope, whole_number
from satchel.interfaces.inspector.visit import Page, Visit

PER_PAGE = 40


class AnswerSection(Struct, frozen=True):
    """A page that lists the answers of some operations."""

    path: str
    title: str
    lede: str
    included: str
    """What its answers do with a record that they contain."""
    operations: Mapping[str, str]
    """The operations, and how the page calls each."""


TURNS = AnswerSection(
    "/turns",
    "Turns",
    "What was added to each prompt and session, and what was captured after each turn. Open one to see every item with its reason.",
    "In the prompt",
    {
        "turn before": "before a prompt",
        "turn start": "start of a session",
        "turn after": "captured after a turn",
    },
)
PACKS = AnswerSection(
    "/packs",
    "Packs",
    "The packs and packets that agents received for a step. Open one to see every item with its reason.",
    "In the pack",
    {"pack": "pack", "attention route": "packet of a role"},
)


class AnswersView(Struct, frozen=True):
    """A page of answers, newest first."""

    section: AnswerSection
    answers: AnswerList
    operation: str
    """The operation that was asked for; empty for all of the page."""
    scope: str
    scopes: tuple[str, ...]


class AnswerView(Struct, frozen=True):
    """One answer with every record that it considered."""

    section: AnswerSection
    name: str
    included: str
    why: ReceiptExplanation


async def show_turns(visit: Visit) -> Page:
    """List the turns."""
    return await _listed(visit, TURNS)


async def show_packs(visit: Visit) -> Page:
    """List the packs and packets."""
    return await _listed(visit, PACKS)


async def show_turn(visit: Visit) -> Page:
    """Explain one turn."""
    return await _explained(visit, TURNS)


async def show_pack(visit: Visit) -> Page:
    """Explain one pack or packet."""
    return await _explained(visit, PACKS)


async def _listed(visit: Visit, section: AnswerSection) -> Page:
    operation, scope = visit.query.get("operation", ""), visit.query.get("scope", "")
    wanted = [operation] if operation in section.operations else list(section.operations)
    answers: AnswerList = (
        await visit.ask(
            "answers",
            operations=wanted,
            scope=scope or None,
            limit=PER_PAGE,
            before=whole_number(visit, "before"),
        )
    ).result
    return Page("answers.html", AnswersView(section, answers, operation, scope, tuple(await memories_by_scope(visit))))


async def _explained(visit: Visit, section: AnswerSection) -> Page:
    why: ReceiptExplanation = (await visit.ask("why", receipt=visit.names["receipt"])).result
    captured = why.operation == "turn after"
    name = section.operations.get(why.operation, why.operation)
    return Page("answer.html", AnswerView(section, name, "Stored" if captured else section.included, why))
