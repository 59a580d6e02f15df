"""Preflight check by a program, which gets the write as a file and answers with its exit code and JSON."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import asdict

from satchel.domain.preflight import PreflightReason, PreflightStatus, Verdict, WriteIntent
from satchel.domain.text import replace_undecodable
from satchel.errors import PreflightFailed

SCHEMA = "satchel.preflight.intent.v1"
EXIT_CODES = {0: PreflightStatus.ALLOW, 40: PreflightStatus.QUEUED, 41: PreflightStatus.REJECTED}
MAX_REASONS = 10
MAX_ANSWER_CHARS = 64_000
MAX_DETAIL_CHARS = 200


class CommandPreflight:
    """Implements ports.Preflight. The write is passed in a private temporary file."""

    def __init__(self, command: str, arguments: Sequence[str], db_path: str, timeout_seconds: float) -> None:
        self._command = [command, *arguments, *(["--db", db_path] if db_path else [])]
        self._timeout = timeout_seconds

    def check(self, intent: WriteIntent) -> Verdict:
        with tempfile.TemporaryDirectory(prefix="satchel-preflight-") as folder:
            file = Path(folder) / "intent.json"
            file.write_text(json.dumps({"schema": SCHEMA, **asdict(intent)}, ensure_ascii=False), encoding="utf-8")
            done = self._run(str(file))
        if done.returncode not in EXIT_CODES:
            raise PreflightFailed(f"the check exited with code {done.returncode}")
        return Verdict(EXIT_CODES[done.returncode], reasons_in(_parse(done.stdout[:MAX_ANSWER_CHARS])))

    def _run(self, file: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [*self._command, "--intent", file],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self._timeout,
                check=False,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired as error:
            raise PreflightFailed(f"the check took longer than {self._timeout:g} s", code="timeout") from error
        except (OSError, ValueError) as error:
            raise PreflightFailed(f"the check could not be started: {error}", code="preflight_missing") from error


def _parse(answer: str) -> object:
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        return None


def reasons_in(answer: object) -> tuple[PreflightReason, ...]:
    """Return the reasons in an answer, ignoring those in an unknown form."""
    listed = answer.get("reasons") if isinstance(answer, dict) else None
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return tuple(PreflightReason(_text(one.get("code")), _text(one.get("detail"))) for one in found[:MAX_REASONS])


def _text(value: object) -> str:
    return replace_undecodable(value)[:MAX_DETAIL_CHARS] if isinstance(value, str) else ""
