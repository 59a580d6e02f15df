"""Let the person edit a text in their editor."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from satchel.config import editor
from satchel.errors import InvalidRequest, Unavailable

_HINT = "give the new text with --text, or set EDITOR"


def edit_text(text: str) -> str:
    """Return a text as the person leaves it in $VISUAL or $EDITOR.

    The file is in a folder that only the person can read, and is removed with it.
    """
    if not (sys.stdin and sys.stdin.isatty()):
        raise InvalidRequest(
            "there is no terminal for an editor", code="missing_param", hint="give the new text with --text"
        )
    command = _command()
    with tempfile.TemporaryDirectory(prefix="satchel-") as folder:
        file = Path(folder) / "memory.md"
        file.write_text(text, encoding="utf-8")
        try:
            code = subprocess.run([*command, str(file)], check=False).returncode
        except OSError as error:
            raise Unavailable(f"the editor {command[0]!r} cannot be started: {error.strerror}", hint=_HINT) from error
        if code:
            raise Unavailable(f"the editor ended with code {code}: nothing was changed", hint=_HINT)
        try:
            return file.read_text(encoding="utf-8").removesuffix("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRequest(f"the edited text cannot be read: {error}", hint="save it as UTF-8") from error


def _command() -> list[str]:
    try:
        words = shlex.split(editor() or "vi")
    except ValueError:
        words = []
    if not words:
        raise InvalidRequest("EDITOR is not a command", code="invalid_setting", hint=_HINT)
    return words
