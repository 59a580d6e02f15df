"""A store with a different secret in every kind of record, written without masking as an older version would have."""

import json
import random
import string
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from msgspec import Struct

from satchel.app import Satchel
from satchel.domain import masking
from satchel.domain.observation import observation_id
from satchel.domain.safety import redact

SUBJECT = "walrus"
"""A word of every record, by which all of them are found."""
_letters = random.Random(47)
_ALPHABET = string.ascii_letters + string.digits


def _token() -> str:
    # Put together here, so that no scanner takes this file for a leak.
    return "gh" + "p_" + "".join(_letters.choices(_ALPHABET, k=36))


class Canaries:
    """Hands out a secret for each place, and finds them again."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        """Return the secret of a place, which is known by its form."""
        return self.places.setdefault(place, _token())

    def password(self, place: str) -> str:
        """Return the secret of a place, which is known only by the word before it."""
        return self.places.setdefault(place, "".join(_letters.choices(_ALPHABET, k=40)))

    def found_in(self, text: str) -> list[str]:
        """Return the places whose secret is in a text, whole or in part, in any case."""
        lowered = text.lower()
        return [place for place, secret in self.places.items() if any(one in lowered for one in _parts(secret))]

    @property
    def needles(self) -> dict[str, tuple[bytes, ...]]:
        """The bytes to look for in files, by place."""
        return {place: tuple(one.encode() for one in _parts(secret)) for place, secret in self.places.items()}


def _parts(secret: str) -> tuple[str, str, str]:
    """Return three parts of a secret, each long enough to be found nowhere by chance."""
    lowered = secret.lower()
    return lowered[4:14], lowered[16:26], lowered[28:38]


@contextmanager
def without_masking() -> Iterator[None]:
    """Write as a version did that masked nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redact, "_secrets", lambda text, rules: [])
        # What was looked at without rules is not known to be clean.
        patch.setattr(masking, "_known", masking._KnownTexts())
        yield


class Stocked(Struct, frozen=True):
    """What a store was stocked with, for the arguments of operations."""

    memory: str
    other: str
    untrusted: str
    packet_memory: str
    observation: str
    episode: str
    summary: str
    receipt: str
    event: str


def stock(store: Satchel, canary: Canaries) -> Stocked:
    """Put a secret into every kind of record, and ask questions with secrets in them."""
    with without_masking():
        stored = store.store(
            f"The {SUBJECT} must always ship with {canary('memory')} on Thursdays",
            kind="decision",
            importance=0.9,
            title=f"The {SUBJECT} {canary('title')}",
            tags=[canary("tag")],
            keywords=[f"{SUBJECT} {canary('keyword')}"],
            source_ref=f"https://example.org/{SUBJECT}?key={canary('source')}",
        )
        # The secret is cut in two by whatever shortens the text.
        long = store.store(
            f"The {SUBJECT} todo is {'very ' * 12}long: {canary('long memory')} {'and on ' * 60}", kind="fact"
        )
        store.store(f"The {SUBJECT} database password = {canary.password('named memory')}", kind="fact")
        replaced = store.store(f"The {SUBJECT} was {canary('replaced memory')} before")
        store.store(f"The {SUBJECT} is {canary('replacing memory')} now", replaces=replaced.result.id)
        untrusted = store.store(f"A page says the {SUBJECT} has {canary('untrusted memory')}", source_kind="web")
        store.reviews.confirm([untrusted.result.id], reason=f"the {SUBJECT} said {canary('reason')}")
        store.store(f"Another page of the {SUBJECT} has {canary('unconfirmed memory')}", source_kind="web")
        _observe(store, canary)
        store.episodes.add(
            [{"text": f"the {SUBJECT} sang {canary('episode')}", "session": "s", "speaker": "Ann", "id": "t1"}]
        )
        document = f"# The {SUBJECT}\n\nThe {SUBJECT} reads {canary('document')} aloud."
        store.documents.add([{"ref": "a.md", "text": document}], collection="notes")
        for number in range(8):
            said = f"We decided to ship {number} boxes by {SUBJECT} {canary('message')}, because it is quick."
            store.conversations.add(said, title=f"{SUBJECT} {canary('conversation title')}")
        store.conversations.decide(f"feed the {SUBJECT} {canary('decision')}", because=[f"it has {canary('cause')}"])
        store.facts.assert_(SUBJECT, "status", f"fed with {canary('fact')}", sources=[f"memory:{stored.result.id}"])
        store.graph.add(SUBJECT, "USES", f"boat {canary('node')}")
        store.graph.extract(memories=True)
        add = store.attention.add(
            "preference", f"{SUBJECT} {canary('attention title')}", f"The {SUBJECT} never eats {canary('attention memory')}",
            details={"must": f"mind {canary('detail')}", "password": canary.password("named detail")}, task_id="t",
        ).result  # fmt: skip
        store.attention.reflect(
            goal=f"feed the {SUBJECT} {canary('reflected goal')}", lessons=[f"use {canary('lesson')}"]
        )
        store.attention.route(
            f"feed the {SUBJECT} with {canary('goal')}, password: {canary.password('named goal')}", task_id="t",
            user_constraints=[f"never say {canary('constraint')}"], recent_failures=[f"failed with {canary('failure')}"],
            unresolved_questions=[f"what is {canary('open question')}?"],
        )  # fmt: skip
        store.tags.create("before", note=f"before {SUBJECT} {canary('note')}")
        ask(store, canary)
        [turn] = store.episodes.list().result.episodes
        [summary] = store.conversations.show().result.summaries
        return Stocked(
            memory=stored.result.id,
            other=long.result.id,
            untrusted=untrusted.result.id,
            packet_memory=add.memory_id,
            observation=observation_id("global", "seen"),
            episode=turn.id,
            summary=summary.id,
            receipt=stored.receipt.digest,
            event=observation_id("global", "kept"),
        )


def _observe(store: Satchel, canary: Canaries) -> None:
    events: list[dict[str, Any]] = [
        {"id": "seen", "text": f"the {SUBJECT} sang {canary('artifact')} " + "la " * 5_000},
        {
            "id": "kept",
            "kind": "tool",
            "tool_name": "bash",
            "summary": f"deploy of the {SUBJECT} failed: {canary('summary')}",
            "text": f"ERROR: the {SUBJECT} deploy failed, we decided to use {canary('observation')} instead",
            "detail": {"password": canary.password("observed detail")},
        },
    ]
    for event in events:
        store.observations.capture(json.dumps(event))
    store.observations.capture(f"not JSON: the {SUBJECT} {canary('dead letter')}")
    store.observations.ingest()
    store.lifecycle.grade()
    store.observations.capture(json.dumps({"text": f"not taken in yet: {SUBJECT} {canary('spool')}"}))


def ask(store: Satchel, canary: Canaries) -> None:
    """Ask with secrets in the questions, which receipts and working sets must not keep."""
    questions: dict[str, Callable[[str], object]] = {
        "recalled question": store.recall,
        "packed question": store.pack,
        "routed question": store.routing.route,
        "episode question": store.episodes.search,
        "why question": store.conversations.why,
        "graph question": store.graph.ask,
        "prompt": store.turn.before,
    }
    for place, asking in questions.items():
        asking(f"Ship the {SUBJECT} with {canary(place)} today.\nWhich day is that for the {SUBJECT}?")
