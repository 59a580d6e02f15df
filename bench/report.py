"""The report: a Markdown table for people, and the same with every run as JSON for machines."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.measure import Bar, Row, Sample

NOT_YET = "Not measured here: kill -9, power loss and full disk."


def markdown(facts: dict[str, object], rows: Sequence[Row], count: int) -> str:
    """Return the table with the machine's facts above it."""
    machine = f"{facts['cpu']}, {facts['cores']} cores, {facts['memory_gb']} GB, Python {facts['python']}"
    head = (
        f"Satchel with {count:,} memories on {machine}, {facts['date']}, load {facts['load_average']} at the start.\n\n"
        "| measurement | bar | Satchel p50 / p95 (runs) | met | alternative in the same run, p50 / p95 | note |\n"
        "| --- | --- | --- | --- | --- | --- |"
    )
    return "\n".join([head, *map(_line, rows), "", NOT_YET])


def write_json(facts: dict[str, object], rows: Sequence[Row], count: int, folder: Path) -> Path:
    """Write everything down and return where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"bench-{datetime.now(UTC):%Y%m%dT%H%M%S}-{count}.json"
    path.write_text(
        json.dumps({"machine": facts, "memories": count, "rows": [_facts(row) for row in rows]}, indent=1),
        encoding="utf-8",
    )
    return path


def _line(row: Row) -> str:
    met = {True: "yes", False: "**no**", None: "–"}[row.met]
    beside = "; ".join(f"{name}: {_figure(sample)}" for name, sample in row.beside)
    bars = ", ".join(_bar(bar, row.ours.unit) for bar in row.bars) or "–"
    runs = f" ({len(row.ours.values)})" if len(row.ours.values) > 1 else ""
    return f"| {row.name} | {bars} | {_figure(row.ours)}{runs} | {met} | {beside or '–'} | {row.note} |"


def _bar(bar: Bar, unit: str) -> str:
    return f"{bar.said} ≤ {bar.limit:g} {unit}".strip()


def _figure(sample: Sample) -> str:
    if len(sample.values) == 1:
        return f"{_number(sample.p50)} {sample.unit}".strip()
    return f"{_number(sample.p50)} / {_number(sample.p95)} {sample.unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == 0 else f"{value:.3g}"


def _facts(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "bars": [{"statistic": bar.statistic, "limit": bar.limit} for bar in row.bars],
        "met": row.met,
        "satchel": _summary(row.ours),
        "alternatives": {name: _summary(sample) for name, sample in row.beside},
        "note": row.note,
    }


def _summary(sample: Sample) -> dict[str, object]:
    return {
        "unit": sample.unit,
        "p50": sample.p50,
        "p95": sample.p95,
        "max": sample.worst,
        "runs": len(sample.values),
        "values": [round(value, 4) for value in sample.values],
    }
