"""Streams of events as agents produce them: the same things happen again and again, with other numbers.

Each stream is a list of event templates with how often each happens. `{n}` is a number that differs each time, `{ms}` a
duration, `{id}` a hexadecimal id, `{time}` a time of day; one template is one distinct event.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import Struct

MINUTE_MS = 60_000
START = 1_794_729_600_000


class Stream(Struct, frozen=True):
    """Event templates of one kind of work: tool, text, importance, how often."""

    name: str
    templates: tuple[tuple[str, str, float, int], ...]

    @property
    def distinct(self) -> int:
        return len(self.templates)

    def events(self, seed: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the events, interleaved the same way each time."""
        turns = [
            (_number(f"{self.name} {seed} {place} {turn}"), place, turn)
            for place, (_, _, _, times) in enumerate(self.templates)
            for turn in range(times)
        ]
        for minute, (draw, place, turn) in enumerate(sorted(turns)):
            tool, text, importance, _ = self.templates[place]
            shown = text.format(n=draw % 97, ms=f"{draw % 9000}ms", id=f"{draw:08x}"[:8] + "a1", time=_time(minute))
            at = START + minute * MINUTE_MS
            yield {
                "id": f"{self.name}-{seed}-{place}-{turn}", "ts": at, "tool_name": tool, "text": shown,
                "importance": importance,
            }  # fmt: skip


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


def _time(minute: int) -> str:
    return f"{8 + minute // 60 % 12:02}:{minute % 60:02}:07"


# Streams the rules were written with.
SEEN = (
    Stream(
        "test runs",
        (
            ("bash", "pytest: {n} passed in {ms}", 0.6, 30),
            ("bash", "pytest: 2 failed, {n} passed in {ms}", 0.7, 12),
            ("bash", "E   AssertionError: ledger.py line 88", 0.7, 9),
            ("edit", "edited src/ledger.py", 0.3, 25),
            ("bash", "We decided: never retry a failed commit", 0.9, 1),
        ),
    ),
    Stream(
        "deploys",
        (
            ("ci", "build {n} started", 0.3, 14),
            ("ci", "build {n} succeeded after {ms}", 0.6, 14),
            ("kubectl", "deployment api rolled out, revision {id}", 0.6, 10),
            ("kubectl", "pod restarted {n} times: OOMKilled", 0.7, 6),
            ("chat", "Releases go out on Tuesdays, never on Fridays", 0.9, 2),
        ),
    ),
    Stream(
        "web research",
        (
            ("web", "GET https://docs.example.org/install 200 in {ms}", 0.3, 9),
            ("web", "GET https://docs.example.org/api timed out after {ms}", 0.6, 7),
            ("web", "search returned {n} results", 0.3, 20),
            ("notes", "The vendor's limit is 500 requests a minute", 0.8, 1),
            ("notes", "The vendor's limit is 900 requests a minute", 0.8, 1),
        ),
    ),
    Stream(
        "heartbeats",
        (
            ("cron", "heartbeat at {time}", 0.2, 60),
            ("cron", "backup finished at {time}, {n} files", 0.6, 8),
            ("cron", "disk {n}% full", 0.6, 15),
            ("cron", "certificate expires in 9 days", 0.8, 5),
        ),
    ),
)
# Streams that were put aside while the rules were written.
HELD_OUT = (
    Stream(
        "support desk",
        (
            ("mail", "ticket {n} opened by a customer", 0.5, 16),
            ("mail", "ticket {n} closed after {ms}", 0.5, 12),
            ("crm", "customer Okafor pays by invoice only", 0.9, 3),
            ("crm", "lookup failed: 503 Service Unavailable", 0.6, 9),
            ("crm", "synchronised {n} contacts, trace {id}", 0.2, 22),
        ),
    ),
    Stream(
        "data work",
        (
            ("sql", "SELECT returned {n} rows ({ms})", 0.3, 40),
            ("sql", "ERROR: deadlock detected, process {n} waits", 0.7, 7),
            ("dbt", "model orders built in {ms}", 0.6, 11),
            ("dbt", "model customers built in {ms}", 0.6, 11),
            ("dbt", "model refunds failed: column total missing", 0.7, 4),
            ("chat", "Revenue is always reported net of tax", 0.9, 1),
        ),
    ),
    Stream(
        "home office",
        (
            ("calendar", "meeting in {n} minutes", 0.3, 13),
            ("calendar", "met Dana about the budget", 0.6, 1),
            ("calendar", "met Dana about the lease", 0.6, 1),
            ("music", "playing track {n} of 97", 0.1, 35),
            ("lamp", "brightness {n} %", 0.2, 18),
            ("chat", "Never book meetings before 10:00", 0.9, 1),
        ),
    ),
    Stream(
        "chinese project",
        (
            ("bash", "测试通过 {n} 项，用时 {ms}", 0.6, 18),
            ("bash", "编译失败：缺少头文件", 0.7, 6),
            ("chat", "决定：周五不发布", 0.9, 2),
            ("bash", "同步 {n} 个文件", 0.2, 21),
        ),
    ),
)
