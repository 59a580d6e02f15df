"""Forgotten texts and secrets are in no file."""

import json
import random
import string
from pathlib import Path

import pytest

from satchel.domain.policies import Policies
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.errors import NotFound
from tests.canary import TOKEN
from tests.observations.stores import Store, event, opened

WORD, HEX, UPPER = string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_uppercase + string.digits
# Prefixes in two pieces, so that secret scanners do not flag this file.
MARKED = (
    ("sk-", "ant-api03-", WORD, 90),
    ("s", "k-", WORD, 48),
    ("AK", "IA", UPPER, 16),
    ("gh", "p_", WORD, 36),
    ("github", "_pat_", WORD, 80),
    ("gl", "pat-", WORD, 20),
    ("xo", "xb-123456789012-123456789012-", WORD, 24),
    ("sk", "_live_", WORD, 24),
    ("AI", "za", WORD, 35),
    ("np", "m_", WORD, 36),
    ("h", "f_", WORD, 34),
    ("123456", "789:AA", WORD, 33),
    ("dop", "_v1_", HEX, 64),
    ("shp", "at_", HEX, 32),
    ("hv", "s.", WORD, 30),
    ("lin_", "api_", WORD, 40),
)


def made_up(alphabet: str, length: int, seed: int) -> str:
    """Return a random-looking key with a digit, the same for the same seed."""
    chosen = random.Random(f"{alphabet}{length}{seed}")
    return "".join(chosen.choices(alphabet, k=length - 2)) + "7" + chosen.choice(alphabet)


class TestForgetting:
    def test_a_forgotten_observation_is_gone_from_every_file_and_does_not_come_back(self, home: Path) -> None:
        policy = LifecyclePolicy(observer_chars=100, observer_tail=0)
        with opened(home, segment_bytes=400, policies=Policies(lifecycle=policy)) as store:
            store.tell(event("the zanzibarium opens at nine, never on Sundays"))
            store.tell(*(event(f"filler {number} " * 9) for number in range(5)))
            id = store.id_of("zanzibarium")
            assert any(
                "zanzibarium" in line.text for line in store.memory.observations.observations_show().result.observations
            )
            forgotten = store.memory.forget(id, verify=True).result

            assert forgotten.check is not None and forgotten.check.conclusive
            assert (forgotten.check.found_after, forgotten.pending) == ((), ())
            assert not any(b"zanzibarium" in held for held in store.bytes_of_files().values())
            with pytest.raises(NotFound):
                store.memory.get(id)
            store.memory.observations.capture(json.dumps(event("later")))
            store.memory.observations.ingest()
            assert store.memory.observations.search("zanzibarium").result.hits == ()
            assert store.memory.maintenance.receipts_verify().result.broken_at is None

    def test_forgetting_a_memory_erases_every_line_and_artifact_that_contains_it(self, home: Path) -> None:
        told = 'the vault "opens" at\nmidnight'
        with opened(home, segment_bytes=600) as store:
            store.memory.observations.capture(json.dumps(event(f"user said: {told} and left")))
            store.memory.observations.capture(json.dumps(event("x" * 9000 + told)))
            store.memory.observations.capture(json.dumps({"text": "note", "detail": {"said": told}}))
            store.memory.observations.capture("broken line: " + json.dumps(told) + " {")
            store.memory.observations.capture(json.dumps(event("harmless vault")))
            store.memory.observations.ingest()
            store.memory.observations.capture(json.dumps(event(f"not taken in yet: {told}")))
            kept = store.memory.store(told).result.id
            assert sum(b"midnight" in held for held in store.bytes_of_files().values()) >= 4
            forgotten = store.memory.forget(kept, verify=True).result

            assert (forgotten.observations, forgotten.erased_from) == (3, ("index", "ledger", "spool"))
            assert [name for name, held in store.bytes_of_files().items() if b"midnight" in held] == []
            assert forgotten.check is not None and forgotten.check.found_after == ()
            assert store.memory.observations.ingest().result.inserted == 0
            assert [hit.summary for hit in store.memory.observations.search("vault").result.hits] == ["harmless vault"]
            assert all(one.status != "bad" for one in store.memory.maintenance.doctor().result.findings)

    def test_forgetting_a_memory_erases_what_repeats_it_with_its_secrets_masked(self, home: Path) -> None:
        told = f"the vault of the harbour opens with {TOKEN} at midnight"
        with opened(home) as store:
            store.tell(event(f"user said: {told} and left"), event("y" * 9000 + told), event("the harbour sleeps"))
            memory = store.memory.store(told).result.id

            forgotten = store.memory.forget(memory, verify=True).result

            assert (forgotten.observations, forgotten.pending) == (2, ())
            assert forgotten.check is not None and forgotten.check.proves
            left = b"".join(store.bytes_of_files().values())
            assert b"vault of the harbour" not in left and b"the harbour sleeps" in left

    def test_records_of_other_scopes_stay(self, store: Store) -> None:
        text = "the vault opens at midnight"
        store.tell(event(text), event(text, scope="project/a"))
        kept = store.memory.store(text).result.id

        assert store.memory.forget(kept).result.observations == 1
        assert len(store.memory.observations.search("vault", scope="project/a").result.hits) == 1
        with pytest.raises(NotFound):
            store.memory.forget(store.id_of("vault", scope="project/a"))

    def test_a_short_text_erases_only_records_that_consist_of_it(self, store: Store) -> None:
        store.tell(event("tea"), event("tea for two, please"))
        kept = store.memory.store("tea").result.id

        assert store.memory.forget(kept).result.observations == 1
        assert [hit.summary for hit in store.memory.observations.search("tea").result.hits] == ["tea for two, please"]

    def test_a_shared_artifact_stays_until_its_last_observation_is_forgotten(self, store: Store) -> None:
        long = "shared " * 3000
        store.tell(event(long, id="a"), event(long, id="b"))
        first, second = (hit.id for hit in store.memory.observations.search("shared").result.hits)
        store.memory.forget(first)
        assert store.memory.observations.artifacts_show(second).result.text
        store.memory.forget(second)

        assert store.memory.parts.spool.artifacts() == []

    def test_artifacts_left_by_an_interrupted_capture_are_erased(self, store: Store) -> None:
        from satchel.observations.event import payload_name

        orphan = '{"text":"the vault opens at midnight"}'
        store.memory.parts.spool.put(payload_name(orphan), orphan)
        kept = store.memory.store("the vault opens at midnight").result.id
        store.memory.forget(kept)

        assert store.memory.parts.spool.artifacts() == []


def test_no_planted_secret_is_in_any_file(home: Path) -> None:
    """Covers text, detail, names, long payloads, invalid lines, and everything derived from them."""
    marked = [one + two + made_up(alphabet, length, 11) for one, two, alphabet, length in MARKED]
    generic = [made_up(WORD, 24, seed) for seed in range(6)] + [made_up(HEX, 40, seed) for seed in range(4)]
    policy = LifecyclePolicy(observer_chars=500, observer_tail=1)
    with opened(home, segment_bytes=20_000, policies=Policies(lifecycle=policy)) as store:
        lines = []
        for number, secret in enumerate(marked):
            lines.append(json.dumps(event(f"we must use {secret} now", detail={"value": secret, "list": [secret]})))
            lines.append(json.dumps({"summary": f"key {secret}", "session_key": secret, secret: 1, "text": "t"}))
            lines.append(f"bad line {number} with {secret} in it")
        lines.extend(json.dumps(event("x " * 1_000 + secret + " y" * 9_000)) for secret in marked[:6])
        for secret in generic:
            lines.append(json.dumps(event(f"password: {secret}", detail={"api_key": secret})))
            lines.append(json.dumps(event(f"postgres://me:{secret}@db/app")))
        store.memory.observations.capture("\n".join(lines))
        store.memory.observations.ingest()
        store.memory.lifecycle.grade()
        store.clock.forward(40)
        store.memory.lifecycle.run()
        held = store.bytes_of_files()

    assert {"dead-letters.jsonl", "ledger.sqlite3"} <= {*held} and any(name.startswith("artifacts/") for name in held)
    leaks = [(name, one) for name, data in held.items() for one in (*marked, *generic) if one.encode() in data]
    assert leaks == []
