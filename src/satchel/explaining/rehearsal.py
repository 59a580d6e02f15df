"""Repeat a recall with a change, without a trace, to see what the change would do."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from satchel.domain.admit import parse_kinds
from satchel.domain.arguments import check_unit_interval
from satchel.domain.canonical import Json
from satchel.domain.media import check_media_filter
from satchel.domain.policies import Policies
from satchel.recall.recaller import CompletedRecall, Recaller
from satchel.recall.request import RecallRequest, build_request


class RecallArguments(Struct, frozen=True):
    """The arguments of a recall, so that it can be repeated with a change."""

    query: str
    options: Mapping[str, Any]

    def changed(self, change: Mapping[str, Json]) -> "RecallArguments":
        """Return the same arguments with a changed query or options."""
        options = {name: value for name, value in change.items() if name != "query"}
        return RecallArguments(str(change.get("query", self.query)), {**self.options, **options})

    def request(self, policies: Policies, now: int) -> RecallRequest:
        """Check the arguments."""
        options, least = self.options, self.options["min_relevance"]
        return build_request(
            self.query,
            scope=options["scope"],
            limit=options["limit"],
            mode=options["mode"],
            kinds=parse_kinds(options["kinds"]),
            media=check_media_filter(options["media"]),
            min_relevance=None if least is None else check_unit_interval(least, "min relevance"),
            untrusted=options["untrusted"],
            policies=policies,
            now=now,
            fallback=bool(options["fallback"]),
        )


class Rehearsal(Struct, frozen=True):
    """A recall that was run without a trace, and the arguments to run it again."""

    arguments: RecallArguments
    recalled: CompletedRecall
    recaller: Recaller
    policies: Policies

    @property
    def request(self) -> RecallRequest:
        """The checked request."""
        return self.recalled.request

    def would_return(self, id: str, change: Mapping[str, Json]) -> bool:
        """Say whether the same recall with a change returns a memory."""
        request = self.arguments.changed(change).request(self.policies, self.request.view.now)
        same_question = not {"query", "mode"} & set(change)
        again = self.recaller.dry_run(request, self.recalled.ready if same_question else None)
        return any(hit.memory.id == id for hit in again.found.hits)


def rehearse(arguments: RecallArguments, recaller: Recaller, policies: Policies, now: int) -> Rehearsal:
    """Run a recall without a trace."""
    recalled = recaller.dry_run(arguments.request(policies, now))
    return Rehearsal(arguments, recalled, recaller, policies)
