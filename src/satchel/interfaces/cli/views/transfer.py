"""Views of exports."""

from satchel.interfaces.cli.views.lines import Lines, Views, count, tally
from satchel.memories.values import Exported


def _exported(result: Exported) -> Lines:
    where = "standard output" if result.path == "-" else result.path
    yield f"wrote {result.count} of {count(result.matched, 'memory')} to {where} ({result.bytes:,} bytes)", "green"
    if result.state is not None:
        yield f"  signed; state {result.state}", "dim"
    if result.redacted is None:
        yield "  secrets are not masked: keep the file private", "yellow"
    elif result.redacted:
        yield f"  masked {count(sum(result.redacted.values()), 'secret')}: {tally(result.redacted)}", "yellow"


VIEWS: Views = {"export": _exported}
