"""Changes: what a folder needs done, given what is known of it and what was found."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.document import Document, Sighted, Skipped


class Changes(Struct, frozen=True):
    """What is to be read, what stays as it is, and what is gone."""

    to_read: tuple[Sighted, ...]
    unchanged: int
    gone: tuple[str, ...]


def changes(
    found: Sequence[Sighted],
    skipped: Sequence[Skipped],
    known: Mapping[str, Document],
    covered: Callable[[str], bool],
    cut: str,
) -> Changes:
    """Compare a folder with what is known of it. Size and time decide; what is unlike, or uncertain, is read.

    Only what was looked for can be missing: a document that these patterns do not cover stays, and so does what could
    not be looked at this time.
    """
    to_read = tuple(one for one in found if not _is_known(one, known.get(one.path), cut))
    there = {one.path for one in found}
    out_of_sight = [one.path for one in skipped if not one.lasting]
    gone = tuple(
        path
        for path in known
        if path not in there and covered(path) and not any(_is_at_or_below(path, place) for place in out_of_sight)
    )
    return Changes(to_read, len(found) - len(to_read), gone)


def _is_known(found: Sighted, known: Document | None, cut: str) -> bool:
    return (
        known is not None
        and known.cut == cut
        and known.modified_ns == found.modified_ns != 0
        and known.size == found.size
    )


def _is_at_or_below(path: str, place: str) -> bool:
    return place == "." or path == place or path.startswith(f"{place.rstrip('/')}/")
