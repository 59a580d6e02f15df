"""Take in the file of an upload, and keep it as an import to decide about."""

import os
from contextlib import suppress
from pathlib import Path

from starlette.requests import Request

from satchel.domain.text import replace_undecodable
from satchel.errors import SatchelError
from satchel.interfaces.failures import http_status
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.upload import receive_file
from satchel.interfaces.inspector.formatting import path_part
from satchel.interfaces.inspector.imports import BrowserImports

# Milliseconds since the epoch until the year 9999.
_MAX_DIGITS = 15


async def receive_upload(request: Request, imports: BrowserImports) -> str:
    """Store the body of a request as a private file; return the address of its import.

    `name` and `modified` in the address are what the browser says about the file.
    """
    try:
        imports.check_writable()
        path, file = imports.uploads.create()
    except SatchelError as error:
        raise RequestRejected(http_status(error), error) from None
    kept = None
    try:
        with file:
            await receive_file(request, file)
        _date(path, request.query_params.get("modified", ""))
        kept = imports.add_upload(replace_undecodable(request.query_params.get("name", "")), path)
    finally:
        if kept is None:
            imports.uploads.remove(path)
    return f"/import/{path_part(kept.id)}"


def _date(path: Path, modified: str) -> None:
    """Give a file the date that the browser names, in milliseconds: notes without a date have that of their file."""
    if modified.isascii() and modified.isdigit() and len(modified) <= _MAX_DIGITS:
        with suppress(OSError, OverflowError):
            os.utime(path, ns=(int(modified) * 1_000_000,) * 2)
