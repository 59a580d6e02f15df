"""Perform operations for a hook: by the store's server if one runs, which loads little here, else in this process."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from satchel.errors import SatchelError, Unavailable
from satchel.interfaces.hooks.turn_client import ask_server
from satchel.locations import store_location

if TYPE_CHECKING:
    from satchel.config import SettingsSources
    from satchel.interfaces.hooks.local_store import LocalStore

# Why an operation may have nothing to say. Any other reason is a failure.
EXPECTED_SKIPS = ("disabled", "no_query", "trivial_prompt")


class StoreCaller:
    """Performs operations of the store in a folder."""

    def __init__(self, home: str | None, load_libraries: Callable[[], None]) -> None:
        """`load_libraries` is called before anything that needs more than the standard library."""
        self._home = home
        self._load_libraries = load_libraries
        self._folder = _known_location(home)
        self._ask = self._folder is not None
        self._sources: SettingsSources | None = None
        self._store: LocalStore | None = None

    def call(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Perform an operation and return its result. Raises SatchelError, also for an answer that says why it is empty."""
        answer = self._served(name, given) if self._ask else None
        result, warnings = answer or self._run_here(name, given)
        reason = result.get("skip_reason") if result.get("skipped") else None
        if reason is not None and reason not in EXPECTED_SKIPS:
            raise Unavailable(_explained(str(reason), warnings), code=str(reason))
        return result

    def finish(self) -> None:
        """Close the store, and start a server for the next hook if none answered this one."""
        if self._store is not None:
            self._store.close()
        if self._sources is not None:
            from satchel.interfaces.hooks.local_store import start_server_for

            start_server_for(self._sources)

    def _served(self, name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]] | None:
        body = json.dumps(given, allow_nan=False).encode()
        reply = ask_server(name.replace(" ", "_"), self._folder or "", body)
        if reply is None:
            # It is not asked again: one that hangs must cost a hook its patience only once.
            self._ask = False
            return None
        envelope = json.loads(reply[1])
        return envelope["result"], envelope["receipt"]["body"]["warnings"]

    def _run_here(self, name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        if self._store is None:
            self._load_libraries()
            from satchel.config import read_sources
            from satchel.interfaces.hooks.local_store import LocalStore
            from satchel.wiring.store_path import ledger_path

            self._sources = read_sources(home=self._home)
            self._store = LocalStore(self._sources)
            if self._folder is None:
                # Only the settings tell where the server is.
                self._folder = str(ledger_path(self._sources.settings).parent)
                if (answer := self._served(name, given)) is not None:
                    return answer
        import msgspec

        from satchel.interfaces.hooks.local_store import operation_named

        done = self._store.run(operation_named(name), given)
        return msgspec.to_builtins(done.result), list(done.receipt.warnings)


def _known_location(home: str | None) -> str | None:
    try:
        return store_location(home)
    except (SatchelError, OSError, ValueError):
        return None


def _explained(reason: str, warnings: list[str]) -> str:
    told = (one.removeprefix(f"{reason}: ") for one in warnings if one.startswith(f"{reason}: "))
    return next(told, reason)
