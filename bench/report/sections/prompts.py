"""What stands in front of prompts and in packets."""

from collections.abc import Iterator, Sequence

from bench.report.markdown import number, of, percent, table, where
from bench.report.results import Result
from bench.report.sections.speed import measured_alone


def turns(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield which memories stand in front of a prompt, for each way to ask and each part."""
    for one in of(found, "turns"):
        result = one["result"]
        yield f"## Turns: what stands in front of a prompt\n\n{where(one)}\n"
        yield (
            f"{result['prompts']} prompts of our own over {result['stores']} stores, English and Chinese, embedded by "
            f"{result['embedding_space']}. Rules, thresholds and weights were chosen on the development part; of the held part only "
            "these figures were looked at, several times. The stores `later` were written after that. The least judgement was raised once "
            "after held had shown 0.286 off topic, and again after `later` had shown 0.44, so these figures flatter. Off topic and items are numbers of memories, the others shares of "
            "prompts in percent. Changed decisions count twice: with the newer one, and with the outdated one.\n"
        )
        heads = ["", "part", "wanted", "complete", "outdated", "off topic", "items", "characters"]
        yield table(heads, [_turn_row(way, half, by["all"]) for way, half, by in _halves(result)])
        families = ("direct", "paraphrase", "task", "agent_stored", "changed")
        yield "\nPrompts with a wanted memory, by family:\n"
        rows = [[way, half, *(percent(by[name]["wanted"]) for name in families)] for way, half, by in _halves(result)]
        yield table(["", "part", *(name.replace("_", " ") for name in families)], rows)


# What a host waits for, and in which measurement of the speed benchmark it is.
HOOKS = {"serve": ("turn before",), "cold": ("capture", "hook")}


def hook_times(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how long hooks take, from process start to exit."""
    for one in of(found, "speed"):
        measured = measured_alone(one)
        if measured in HOOKS:
            size = one["result"]["sizes"][0]
            contests = [
                contest for contest in size["contests"] if any(word in contest["what"] for word in HOOKS[measured])
            ]
            yield f"Process start to exit over {size['memories']:,} memories, in milliseconds: {where(one)}\n"
            rows = [
                [contest["what"], *(number(contest["satchel"][name]) for name in ("p50", "p95"))]
                for contest in contests
            ]
            yield table(["", "p50", "p95"], rows)


def mcp_start(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield how soon an MCP server answers its client, beside others."""
    for one in of(found, "speed"):
        if measured_alone(one) == "mcp":
            contests = one["result"]["sizes"][0]["contests"]
            yield f"## MCP: how soon the tools are there\n\n{where(one)}\n"
            yield "Milliseconds from the start of the process to the answer, p50 / p95.\n"
            servers = ["satchel", *contests[0]["peers"]]
            rows = [[name, *(_both(_timing_of(contest, name)) for contest in contests)] for name in servers]
            yield table(["", *(contest["what"].removeprefix("MCP start: ") for contest in contests)], rows)


def _timing_of(contest: Result, name: str) -> Result:
    found: Result = contest["satchel"] if name == "satchel" else contest["peers"][name]
    return found


def _both(timing: Result) -> str:
    return f"{number(timing['p50'])} / {number(timing['p95'])}"


def attention(found: Sequence[Result], drawn: dict[str, str]) -> Iterator[str]:
    """Yield which memories a packet holds, for each way to ask and each part."""
    for one in of(found, "attention"):
        result = one["result"]
        yield f"## Attention packets: what a step gets\n\n{where(one)}\n"
        yield (
            f"{result['requests']} steps of our own over {result['stores']} stores, English and Chinese. The threshold was chosen on the "
            "development half; the totals of the held half were seen meanwhile. Wanted and complete are shares of steps in "
            "percent, the others numbers of memories.\n"
        )
        heads = ["", "part", "wanted", "complete", "important, not wanted", "not wanted", "where nothing fits"]
        rows = [
            [
                way,
                half,
                percent(by["all"]["wanted"]),
                percent(by["all"]["complete"]),
                *(_mean(by["all"][name]) for name in ("important", "unwanted", "nothing")),
            ]
            for way, half, by in _halves(result)
        ]
        yield table(heads, rows)


def _halves(result: Result) -> Iterator[tuple[str, str, Result]]:
    for way, halves in result["ways"].items():
        for half, groups in halves.items():
            yield way, half, groups


def _turn_row(way: str, half: str, one: Result) -> list[str]:
    shares = [percent(one[name]) for name in ("wanted", "complete", "stale")]
    return [way, half, *shares, _mean(one["off_topic"]), _mean(one["items"]), f"{one['characters']:.0f}"]


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
