"""Preflight check by a server, which gets the write as JSON and answers with a status and reasons."""

from typing import Any

from msgspec.structs import asdict

from satchel.adapters.preflights.command import MAX_ANSWER_CHARS, SCHEMA, reasons_in
from satchel.adapters.remote_json import BadAnswer, RemoteJson
from satchel.domain.preflight import PreflightStatus, Verdict, WriteIntent
from satchel.domain.safety.redact import mask
from satchel.errors import PreflightFailed

_STATUSES = {PreflightStatus.ALLOW, PreflightStatus.QUEUED, PreflightStatus.REJECTED}


class RemotePreflight:
    """Implements ports.Preflight: ``POST {url}/preflight``, one bounded request, with secrets masked."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        self._server = RemoteJson("preflight", url, "preflight", "", timeout_seconds, failure=PreflightFailed)

    def check(self, intent: WriteIntent) -> Verdict:
        sent = {"schema": SCHEMA, **asdict(intent), "text": mask(intent.text)}
        return self._server.post(sent, MAX_ANSWER_CHARS, _read)


def _read(answer: Any) -> Verdict:
    status = answer.get("status") if isinstance(answer, dict) else None
    if status not in _STATUSES:
        raise BadAnswer("it has no known status")
    return Verdict(PreflightStatus(status), reasons_in(answer))
