"""Our own questions: routing, and the golden set."""

from collections.abc import Iterator, Sequence

from bench.report.markdown import of, percent, table, where
from bench.report.results import Result


def routing(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how often an answer is in the first five, and the cost of the router."""
    for one in of(found, "routing"):
        answered, overhead = one["result"]["answered"], one["result"]["overhead"]
        yield f"## Routing: the right question to the right place\n\n{where(one)}\n"
        yield (
            "Questions with an answer in the first five results, in percent: by the router, and by each native backend alone "
            "over its own records. The corpus and its questions are our own (`bench/data/routing_*.txt`), by the author of the "
            "rules; the semantic ones avoid the words of their answers.\n"
        )
        kinds = list(answered["router"])
        rows = [[name, *(percent(shares[kind]) for kind in kinds)] for name, shares in answered.items()]
        yield table(["answered by", *kinds], rows)
        yield "Cost of the router beyond its backends, p50 / p95:\n"
        rows = [
            [name, *(f"{parts[key][0]:g} / {parts[key][1]:g} ms" for key in ("elapsed", "processor"))]
            for name, parts in overhead.items()
        ]
        yield table(["", "wall time", "CPU time"], rows)


def routes(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how often the router answers as a person would."""
    for one in of(found, "routes"):
        result = one["result"]
        yield f"## Routing: answers as a person would give them\n\n{where(one)}\n"
        yield (
            f"{result['questions']} questions of our own about three fictional projects with documents, code, memories and conversations "
            "(`bench/data/routes`). A question is right if its answer stands first and the status is one that a person would give; "
            "for some, that is that there is nothing. Rules were developed on the halves `tuned`; the second set was written later, "
            "about other projects.\n"
        )
        ways = result["ways"]
        rules = list(next(iter(ways.values()))["first held"])
        headings = [f"{way}, {half}" for way in ways for half in ways[way]]
        yield table(
            ["rule", *headings],
            [[rule, *(_right(ways[way][half][rule]) for way in ways for half in ways[way])] for rule in rules],
        )
        worse = ", ".join(f"{half} {count}" for half, count in result["worse"].items())
        yield f"Questions that are right without the model and wrong with it: {worse}.\n"


def decisions(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how often `conversation why` gives the decision, its reasons and what it replaced."""
    for one in of(found, "decisions"):
        result = one["result"]
        yield f"## Decisions: why was it decided?\n\n{where(one)}\n"
        yield (
            f"{result['questions']} questions of our own about freely written conversations (`bench/data/decisions`), with all "
            "conversations of a part in one store. *Right* means the decision, a reason where one is asked for, and what was "
            "replaced; *shown*, that the answer or the discussion beside it has the deciding message; *invented*, that a question "
            "without an answer got one. The reader's limits were chosen on `tuned`, while the figures of `later`, by another author, were "
            "seen; `blind`, by a third, was written last.\n"
        )
        yield table(
            [
                "part",
                "questions",
                "answered",
                "right decision",
                "right",
                "stale",
                "shown",
                "without an answer",
                "invented",
            ],
            [[part, *map(str, figures.values())] for part, figures in result["parts"].items()],
        )


def _right(figures: Result) -> str:
    return f"{figures['right']} of {figures['n']}"


def golden(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield what recall finds of the golden set in the package."""
    for one in of(found, "golden"):
        result = one["result"]
        yield f"## The golden set\n\n{where(one)}\n"
        yield (
            f"{result['cases']} questions of our own making in English and Chinese over {result['memories']} memories, embedded by "
            f"{result['embedding_space']}, {result['limit']} memories asked for. The default model was taught English. How much words "
            "count was changed after a first run on this set, so read the lead of hybrid as optimistic.\n"
        )
        modes = {mode["mode"]: mode for mode in result["modes"]}
        yield table(
            ["mode", "n", "hit@1", "hit@3", "hit@5", "MRR", "wrong scope"],
            [[name, str(mode["overall"]["n"]), *_hits(mode["overall"])] for name, mode in modes.items()],
        )
        families = list(next(iter(modes.values()))["families"])
        yield "hit@5 by family of questions:\n"
        yield table(
            ["family", "n", *modes],
            [
                [
                    family,
                    str(next(iter(modes.values()))["families"][family]["n"]),
                    *(f"{mode['families'][family]['hit_at_5']:.3f}" for mode in modes.values()),
                ]
                for family in families
            ],
        )


def _hits(figures: Result) -> list[str]:
    return [f"{figures[key]:.3f}" for key in ("hit_at_1", "hit_at_3", "hit_at_5", "mrr", "wrong_scope")]
