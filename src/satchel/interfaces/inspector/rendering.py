"""Templates to HTML. Everything a template writes is escaped unless it is markup made here."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from satchel import __version__
from satchel.domain import counting
from satchel.domain.canonical import canonical
from satchel.interfaces.inspector import formatting
from satchel.interfaces.inspector.navigation import NAVIGATION, NavigationEntry
from satchel.interfaces.inspector.pages import ROUTES


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("satchel.interfaces.inspector"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "shown": formatting.shown_text,
        "excerpt": formatting.excerpt,
        "linked": formatting.linked,
        "plain": formatting.plain_text,
        "moment": formatting.moment,
        "ago": formatting.ago,
        "count": formatting.count,
        "counted": counting.count,
        "percent": formatting.percent,
        "json": canonical,
        "words": formatting.words,
        "part": formatting.path_part,
    }
    environment.globals |= {
        "address": formatting.address,
        "receipt_path": formatting.receipt_path,
        "has_page": _has_page,
        "version": __version__,
    }
    return environment


def render(template: str, *, path: str, form_token: str, now: int, is_local: bool, **values: Any) -> str:
    """Return the HTML of a template. `path` is the address, whose page is marked in the navigation.

    `is_local` says whether the page goes to a browser on this machine.
    """
    return (
        _environment()
        .get_template(template)
        .render(
            navigation=_shown_pages(),
            here=_entry_of(path),
            form_token=form_token,
            now=now,
            is_local=is_local,
            **values,
        )
    )


@cache
def _shown_pages() -> tuple[NavigationEntry, ...]:
    routed = {one.path for one in ROUTES}
    return tuple(one for one in NAVIGATION if one.path in routed)


def _has_page(path: str) -> bool:
    """Return whether the page that an address belongs to exists."""
    return _entry_of(path) in _shown_pages()


def _entry_of(path: str) -> NavigationEntry | None:
    first = "/" + path.lstrip("/").partition("/")[0]
    return next((one for one in NAVIGATION if one.path == first), None)
