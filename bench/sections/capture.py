"""What capture keeps, and what its fences hold back."""

from collections.abc import Iterator, Sequence

from bench.results import Result
from bench.sections.telling import of, percent, table, where


def capture(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Tell what is kept of written turns."""
    for one in of(found, "capture"):
        rows = one["result"]["rows"]
        yield f"## Capture: what is kept of a turn\n\n{where(one)}\n"
        yield (
            f"{sum(row['turns'] for row in rows)} written turns (`tests/data/turns`), with planted secrets, injected blocks, tool "
            "output and chit-chat. The held half is on other themes and was written before the rules, but by the same hand, so "
            "read it as optimistic.\n"
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


def injection(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Tell what the rules catch of injected orders, and of what is harmless."""
    for one in of(found, "injection"):
        rows = one["result"]["rows"]
        harmless = [row for row in rows if row["sort"] == "harmless"]
        yield f"## Injected orders: what is caught\n\n{where(one)}\n"
        yield (
            "Published samples, development parts, which the rules were also made with. An order that is only out of place, as "
            "BIPIA's are, has no words to know it by: the channel it came through is what keeps it from being trusted.\n"
        )
        told = [[row["source"], row["sort"], str(row["n"]), f"{_share(row)} %"] for row in rows]
        whole = {"n": sum(row["n"] for row in harmless), "caught": sum(row["caught"] for row in harmless)}
        if harmless:
            told.append(["all", "harmless", str(whole["n"]), f"{_share(whole, 2)} %"])
        yield table(["file", "", "n", "caught"], told)


def secrets(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Tell what is masked of secrets, and what is left alone."""
    for one in of(found, "secrets"):
        yield f"## Secrets: what is masked\n\n{where(one)}\n"
        yield (
            "Samples of gitleaks and CredSweeper; the rules were extended on these very samples, so read the figures as what the "
            "rules know, not as what they will meet. Precision is over the samples, near misses included; harmless lines are "
            "those of sets of prompts and attacks.\n"
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
