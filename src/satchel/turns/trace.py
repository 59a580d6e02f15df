"""Trace a turn: why each memory stands before the prompt, and why others do not."""

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from satchel.domain.receipt_sections import ExcludedId, HitEntry
from satchel.recall.receipt import hit_entry
from satchel.turns.prompt_context import PromptContext

# Maximum number of memories listed as left out.
MAX_LEFT_OUT = 20


def injected_entries(context: PromptContext) -> list[HitEntry]:
    """Return every injected memory with its score, relevance, label and trust, and how likely a judge found it to belong there."""
    return [replace(hit_entry(hit), judged=context.likelihoods.get(hit.memory.id, UNSET)) for hit in context.injected]


def left_out(context: PromptContext) -> list[ExcludedId]:
    """Return the memories that were found and not injected, each with the rule that left it out; nearest first."""
    rules = dict[str, str]()
    for id, rule in _left_out(context):
        rules.setdefault(id, rule)
    return [ExcludedId(id, rule) for id, rule in rules.items()][:MAX_LEFT_OUT]


def _left_out(context: PromptContext) -> Iterator[tuple[str, str]]:
    yield from ((id, "budget") for id in context.block.dropped)
    quoted = context.working_set.consumed if context.working_set else ()
    fitting = {hit.memory.id for hit in context.fitting}
    done = {hit.memory.id for hit in context.chosen}
    for hit in context.found.hits:
        id = hit.memory.id
        if id in done:
            continue
        if id in quoted:
            yield id, "in_working_set"
        elif id in fitting:
            yield id, "not_needed" if id in context.likelihoods else "not_selected"
        else:
            yield id, "todo_stale_ttl" if id in context.stale_todos else "in_conversation"
    yield from ((one.id, one.rule) for part in context.found.answers for one in part.held_out)
