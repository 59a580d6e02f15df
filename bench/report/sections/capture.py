"""Capture, injected orders and secrets."""

from collections.abc import Iterator, Sequence

from bench.report.markdown import of, percent, table, where
from bench.report.results import Result


def capture(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield precision and recall on written turns."""
    for one in of(found, "capture"):
        rows = one["result"]["rows"]
        yield f"## Capture: what is kept of a turn\n\n{where(one)}\n"
        yield (
            f"{sum(row['turns'] for row in rows)} written turns (`tests/data/turns`), with planted secrets, injected blocks, tool "
            'output and chit-chat. `plain` are single sentences without a cue such as "always" or "we decided": half of them '
            "rules and decisions, half tasks, idioms, questions, stories and quotations. The held halves were set aside while the "
            "rules were made, but have the same author, so read them as optimistic.\n"
        )
        yield table(
            ["turns", "n", "precision", "recall", "secrets or injected text kept"],
            [
                [
                    f"{row['half']}, {row['language']}",
                    str(row["turns"]),
                    f"{row['precision']:.3f}",
                    f"{row['recall']:.3f}",
                    str(row["leaked"]),
                ]
                for row in rows
            ],
        )
        if grades := one["result"].get("grades"):
            yield (
                "\nGrades of captured observations (`tests/data/observations`): failures, decisions, deployments, routine output, "
                "chatter and secrets. An observation is kept unless it is graded `ignore`.\n"
            )
            yield table(
                ["observations", "n", "label right", "precision", "recall"],
                [
                    [
                        row["half"],
                        str(row["observations"]),
                        *(f"{row[name]:.3f}" for name in ("label_right", "precision", "recall")),
                    ]
                    for row in grades
                ],
            )


def injection(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield what the rules catch of attacks and of harmless text."""
    for one in of(found, "injection"):
        rows = one["result"]["rows"]
        harmless = [row for row in rows if row["sort"] == "harmless"]
        yield f"## Injected orders: what is caught\n\n{where(one)}\n"
        yield (
            "Published samples, development parts, which the rules were also made with. An order that is only out of place, as "
            "BIPIA's are, cannot be recognised by its words: it is not trusted because of the channel it came through.\n"
        )
        lines = [[row["source"], row["sort"], str(row["n"]), f"{_share(row)} %"] for row in rows]
        whole = {"n": sum(row["n"] for row in harmless), "caught": sum(row["caught"] for row in harmless)}
        if harmless:
            lines.append(["all", "harmless", str(whole["n"]), f"{_share(whole, 2)} %"])
        yield table(["file", "", "n", "caught"], lines)


def secrets(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield masked secrets and flagged harmless lines."""
    for one in of(found, "secrets"):
        yield f"## Secrets: what is masked\n\n{where(one)}\n"
        yield (
            "Samples of gitleaks and CredSweeper. The rules were extended on these samples, so read the figures as what the rules "
            "know, not as a prediction. Precision is over the samples, near misses included; harmless lines are those of "
            "datasets of prompts and attacks.\n"
        )
        yield table(
            ["class", "secrets", "recall", "harmless", "flagged", "precision", "left alone"],
            [_secrets(row) for row in one["result"]["rows"]],
        )


def _secrets(row: Result) -> list[str]:
    named = row["masked"] + row["flagged"]
    return [
        row["class"],
        str(row["secrets"]),
        f"{row['masked'] / row['secrets']:.3f}" if row["secrets"] else "–",
        str(row["harmless"]),
        str(row["flagged"]),
        f"{row['masked'] / named:.3f}" if row["secrets"] and named else "–",
        f"{1 - row['flagged'] / row['harmless']:.4f}" if row["harmless"] else "–",
    ]


def _share(row: Result, digits: int = 1) -> str:
    return percent(row["caught"] / row["n"], digits)
