"""Capture what a session said since the last capture, so that nothing is captured twice.

Each session has a small file with the position in its transcript. If a hook is killed before it is written, the same turns are
captured again, and the duplicates are recognized.
"""

import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from satchel.adapters.hook_files import SessionFile, session_file
from satchel.domain import host_keys
from satchel.errors import InvalidRequest, Unavailable
from satchel.interfaces.hooks.store_caller import StoreCaller
from satchel.interfaces.hooks.transcript import NewTurns, turns_after
from satchel.locations import digest_of

# The newest turns that one capture reads. There are more only if no hook ran for a long time.
MAX_TURNS = 40
SPOOL = "spool"


def open_session(folder: str, host: str, given: Mapping[str, Any]) -> AbstractContextManager[SessionFile]:
    """Open and lock the progress of the session that an event belongs to."""
    name = session_name(given) or host_keys.first_of(host_keys.TRANSCRIPT, given) or ""
    return session_file(folder, digest_of(f"{host}\0{name}".encode("utf-8", "replace"))[:32])


def session_name(given: Mapping[str, Any]) -> str | None:
    """Return the session of an event."""
    found = host_keys.first_of(host_keys.SESSION, given)
    return found if isinstance(found, str) and found else None


def has_no_transcript(given: Mapping[str, Any]) -> bool:
    """Return whether the transcript does not exist. Hosts write none for a session that ends without a turn."""
    path = host_keys.first_of(host_keys.TRANSCRIPT, given)
    return isinstance(path, str) and os.path.isabs(path) and not os.path.exists(path)


def capture_transcript(
    caller: StoreCaller, file: SessionFile, given: Mapping[str, Any], around: Mapping[str, Any]
) -> None:
    """Store the preferences and decisions of the turns that the transcript has gained. Raises SatchelError."""
    found = _new_turns(host_keys.first_of(host_keys.TRANSCRIPT, given), file.progress.position)
    for turn, end in list(zip(found.turns, found.ends, strict=True))[-MAX_TURNS:]:
        _capture(caller, {**around, "messages": turn})
        file.save(file.progress._replace(position=end))
    file.save(file.progress._replace(position=found.end))


def capture_prompt(caller: StoreCaller, file: SessionFile, given: Mapping[str, Any], around: Mapping[str, Any]) -> None:
    """Store the preferences and decisions of a prompt that the event itself carries. Raises SatchelError."""
    said = host_keys.first_of(host_keys.USER_MESSAGES, given)
    prompts = said if isinstance(said, list) else [host_keys.first_of(host_keys.PROMPT, given)]
    if not all(isinstance(one, str) for one in prompts):
        raise InvalidRequest("the event has no prompt", code="missing_param")
    event = digest_of(json.dumps(given, sort_keys=True).encode())
    # Codex calls its notify program after the hook that has captured the turn already.
    if event == file.progress.last or file.progress.position:
        return
    _capture(caller, {**around, "messages": [{"role": "user", "content": one} for one in prompts]})
    file.save(file.progress._replace(last=event))


def ingest_events(caller: StoreCaller, file: SessionFile, folder: str) -> None:
    """Ingest what was captured from tools, so that the next turn finds it. Raises SatchelError."""
    end = _end_of_spool(os.path.join(folder, SPOOL))
    if end not in ("", file.progress.spooled):
        caller.call("ingest", {})
        file.save(file.progress._replace(spooled=end))


def _capture(caller: StoreCaller, request: Mapping[str, Any]) -> None:
    """Capture a turn. Raises an error if something of it could not be stored, so that it is captured again."""
    for lost in caller.call("turn after", request)["not_kept"]:
        raise Unavailable(f"a {lost['what']} could not be stored: {lost['code']}", code=lost["code"])


def _new_turns(path: object, position: int) -> NewTurns:
    if not (isinstance(path, str) and os.path.isabs(path)):
        raise InvalidRequest("the transcript is not an absolute path", code="transcript_unreadable")
    try:
        return turns_after(path, position)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidRequest(f"the transcript could not be read: {reason}", code="transcript_unreadable") from None


def _end_of_spool(spool: str) -> str:
    """Return the newest file of the spool with its size; empty if there is none."""
    try:
        with os.scandir(spool) as entries:
            newest = max((entry.path for entry in entries if entry.name.endswith(".jsonl")), default=None)
        return f"{os.path.basename(newest)}:{os.stat(newest).st_size}" if newest else ""
    except OSError:
        return ""
