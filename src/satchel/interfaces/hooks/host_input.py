"""Understand what a host sends to its hooks: the prompt, the session, the folder and the messages, under its own keys.

Nothing in the input is a reason to fail, except that what the hook is about is missing. What was ignored is a warning.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from satchel.domain import host_keys
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest
from satchel.interfaces.arguments import check_arguments
from satchel.interfaces.hooks.transcript import last_turn
from satchel.interfaces.operations import Operation, Parameter

MAX_NAMED_KEYS = 5
MAX_KEY_CHARS = 40
# Not a turn of the user: an agent gave the prompt.
OF_AGENTS = ("SubagentStart", "SubagentStop")
_SENT_BY_HOSTS = host_keys.UNUSED.union(
    host_keys.SESSION, host_keys.USER_MESSAGES, host_keys.TRANSCRIPT, host_keys.LAST_ANSWER, host_keys.EVENT_NAME
)


class HostInput:
    """The input of a hook, read by what it means."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = {name: value for name, value in host_keys.flatten(given).items() if value is not None}
        self.event = host_keys.event_name(self._given)
        """The host's name of the event; empty if it has none."""
        self.warnings: list[str] = []

    def own(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the values of keys that have these names in Satchel itself."""
        return {name: self._given[name] for name in names if name in self._given}

    @property
    def prompt(self) -> object:
        """What the user asks; None if the input does not say."""
        found = host_keys.first_of(host_keys.PROMPT, self._given)
        return found.get("content") if isinstance(found, Mapping) else found

    @property
    def session(self) -> str | None:
        """The session that the turn belongs to."""
        found = host_keys.first_of(host_keys.SESSION, self._given)
        return None if found is None or isinstance(found, (dict, list)) else str(found)

    @property
    def folder(self) -> str | None:
        """The folder that the host works in."""
        found = host_keys.first_of(host_keys.FOLDER, self._given)
        if found is None:
            return None
        if isinstance(found, str) and Path(found).is_absolute() and "\0" not in found:
            return found
        self.warnings.append("folder_ignored: the host's folder is not an absolute path")
        return None

    @property
    def messages(self) -> object:
        """The messages of the turn: as given, or the user's, or from the transcript, or the prompt alone."""
        found = host_keys.first_of(host_keys.MESSAGES, self._given)
        if found is not None:
            return found
        said = host_keys.first_of(host_keys.USER_MESSAGES, self._given)
        if isinstance(said, list):
            return [{"role": "user", "content": one} for one in said]
        if self.event in OF_AGENTS:
            raise InvalidRequest(f"{self.event} is not a turn of the user", code="not_a_turn")
        return self._prompt_as_messages() or self._last_turn()

    def _prompt_as_messages(self) -> list[dict[str, object]]:
        prompt = self.prompt
        return [{"role": "user", "content": prompt}] if isinstance(prompt, (str, list)) else []

    def _last_turn(self) -> list[dict[str, Any]] | None:
        path = host_keys.first_of(host_keys.TRANSCRIPT, self._given)
        if path is None:
            return None
        if not isinstance(path, str) or not Path(path).is_absolute():
            raise InvalidRequest("the transcript is not an absolute path", code="transcript_unreadable")
        try:
            turn = last_turn(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InvalidRequest(f"the transcript could not be read: {reason}", code="transcript_unreadable") from None
        if not turn:
            raise InvalidRequest("the transcript has no prompt of the user at its end", code="no_messages")
        return turn

    def warn_about_keys(self, used: Collection[str]) -> None:
        """Warn about keys that were not used. Those that a host sends with every event are worth no warning."""
        expected = _SENT_BY_HOSTS if self.event else frozenset[str]()
        ignored = sorted(name for name in self._given if name not in used and name not in expected)
        if ignored:
            names = ", ".join(_printable(name[:MAX_KEY_CHARS]) for name in ignored[:MAX_NAMED_KEYS])
            more = f" and {len(ignored) - MAX_NAMED_KEYS} more" if len(ignored) > MAX_NAMED_KEYS else ""
            self.warnings.append(f"ignored_keys: keys of the input that mean nothing here: {names}{more}")


def turn_arguments(
    operation: Operation, parameters: Mapping[str, Parameter], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of `turn start`, `turn before` or `turn after` that a host's input stands for."""
    host = HostInput(given)
    used = {*parameters, *host_keys.PROMPT, *host_keys.FOLDER}
    values = host.own(tuple(parameters)) | {"cwd": host.folder}
    if "prompt" in parameters:
        values["prompt"] = host.prompt
    elif "messages" in parameters:
        values |= {"messages": host.messages, "session": host.session}
        used.update(host_keys.SESSION, host_keys.USER_MESSAGES, host_keys.TRANSCRIPT, host_keys.LAST_ANSWER)
    host.warn_about_keys(used)
    missing = [one.name for one in parameters.values() if one.required and values.get(one.name) is None]
    if missing and host.event:
        raise InvalidRequest(
            f"{host.event} has no {missing[0]}", code="missing_param", hint=f"see {operation.name} --help"
        )
    return check_arguments(operation, parameters, values) | {"host_warnings": tuple(host.warnings)}


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in replace_undecodable(name))
