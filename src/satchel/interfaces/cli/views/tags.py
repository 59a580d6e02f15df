"""Views of tags and restores."""

from msgspec.structs import asdict

from satchel.domain.history import Compared, Differences, Point, PointDiff, Restored, Tagged, TagList, Untagged
from satchel.domain.view import LIVE_STATES
from satchel.interfaces.cli.views.lines import Lines, Views, one_line, scopes_named, tally
from satchel.interfaces.local_time import local_day


def _tagged(result: Tagged) -> Lines:
    yield f"{result.tag.name} is #{result.tag.seq}, {local_day(result.tag.at)}", "green"


def _untagged(result: Untagged) -> Lines:
    yield f"deleted tag {result.tag.name} of #{result.tag.seq}", "green"
    yield f"'satchel tag create {result.tag.name} --seq {result.tag.seq}' creates it again", "dim"


def _listed(result: TagList) -> Lines:
    for tag in result.tags:
        note = f"  {one_line(tag.note, 80)}" if tag.note else ""
        yield f"{tag.name}  #{tag.seq}  {local_day(tag.at)}{note}", ""
    if not result.tags:
        yield "no tags", "dim"
    yield f"now is #{result.seq}", "dim"


def _compared(result: Compared) -> Lines:
    yield f"since {_named(result.point)}, in {scopes_named(result.scope)}:", "bold"
    if result.note:
        yield f"  {one_line(result.note)}", "dim"
    counts = result.differences
    yield f"  changed: {counts.as_then}, of which {counts.revived} are no longer active", ""
    yield (
        f"  new: {counts.created_since + counts.put_away_since}, of which {counts.put_away_since} are no longer active",
        "",
    )
    yield f"  forgotten: {counts.erased_since}", ""
    if counts.edges:
        yield f"  edges that differ: {counts.edges}", ""


def _differing(result: PointDiff) -> Lines:
    yield f"from {_named(result.start)} to {_named(result.end)}, in {scopes_named(result.scope)}:", "bold"
    counts = result.counts
    yield f"  {tally(asdict(counts)) or 'no differences'}", ""
    for one in result.memories:
        fields = f" ({', '.join(one.fields)})" if one.fields else ""
        gone = "" if one.what != "added" or one.to_state in LIVE_STATES else f" and {one.to_state}"
        yield f"  {one.what}{gone} {one.id}  {one_line(one.text, 60)}{fields}", ""
    listed = counts.added + counts.changed + counts.retired + counts.revived
    if listed > len(result.memories):
        yield f"  {listed - len(result.memories)} more: --limit", "dim"


def _restored(result: Restored) -> Lines:
    done = "would restore" if result.dry_run else "restored"
    yield f"{done} {_named(result.point)} in {scopes_named(result.scope)}", "yellow" if result.dry_run else "green"
    yield from _counted(result.differences)
    for one in result.examples if result.dry_run else ():
        yield f"  {one.id}  {one.rule}: {one.from_state} → {one.to_state}", "dim"
    if result.dry_run:
        yield "nothing was written", "dim"
    elif result.seq != result.before:
        where = "--all-scopes" if result.scope == "*" else f"--scope {result.scope}"
        yield f"'satchel tag restore {result.before} {where}' undoes it", "dim"


def _counted(counts: Differences) -> Lines:
    yield f"  restored: {counts.as_then}, of which {counts.revived} are active again", ""
    yield f"  archived, because created later: {counts.created_since}", ""
    if counts.edges:
        yield f"  edges restored: {counts.edges}", ""
    if counts.erased_since:
        yield f"  forgotten since, not restored: {counts.erased_since}", "yellow"


def _named(point: Point) -> str:
    return f"#{point.seq}" if point.name is None else f"{point.name} (#{point.seq})"


VIEWS: Views = {
    "tag create": _tagged,
    "tag list": _listed,
    "tag show": _compared,
    "tag diff": _differing,
    "tag restore": _restored,
    "tag delete": _untagged,
}
