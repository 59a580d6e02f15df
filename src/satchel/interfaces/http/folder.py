"""The folder that a caller works in, for the scope auto."""

import os
from urllib.parse import unquote_to_bytes

from starlette.requests import Request

from satchel.interfaces.http.access import sender_of


def folder_of(request: Request) -> str | None:
    """Return the folder that the caller works in; None if it does not say, or nothing that could be one.

    A user's folders are on another machine.
    """
    if sender_of(request).user:
        return None
    folder = os.fsdecode(unquote_to_bytes(request.headers.get("satchel-folder", "")))
    return folder if folder.startswith("/") and "\0" not in folder else None
