"""Files that a benchmark is told to read or write: one that is not there is a wrong request, and nothing has been lost."""

from collections.abc import Iterator
from contextlib import contextmanager

from satchel.errors import InvalidRequest, NotFound


@contextmanager
def rightly_named() -> Iterator[None]:
    """Call a file that does not exist a mistake of the request."""
    try:
        yield
    except NotFound as error:
        raise InvalidRequest(error.message, code=error.code, hint=error.hint) from None
