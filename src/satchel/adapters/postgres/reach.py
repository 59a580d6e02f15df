"""Why a server cannot be reached, and whether waiting for it may help."""

import logging
import threading
from typing import Any

import psycopg

from satchel.adapters.postgres.address import StoreAddress
from satchel.adapters.postgres.connection import Row
from satchel.errors import Unavailable

log = logging.getLogger("satchel.postgres")

# What libpq or the server says, and what that means. A server speaks English unless it was set up otherwise.
_MAY_PASS = {
    "starting up": "the server is starting up",
    "shutting down": "the server is shutting down",
    "recovery mode": "the server is recovering",
    "not yet accepting connections": "the server is starting up",
    "too many clients": "the server has no connection left",
    "read-only": "no server takes writes",
    "timeout expired": "no answer",
    "timed out": "no answer",
}
_LASTING = {
    "could not translate host name": "the host is unknown",
    "failed to resolve host": "the host is unknown",
    "name or service not known": "the host is unknown",
    "connection refused": "the connection was refused",
    "no such file or directory": "there is no such socket",
    "password authentication failed": "the user or the password is wrong",
    "no password supplied": "a password is needed",
    "no pg_hba.conf entry": "the server lets no such user in",
    "pg_hba.conf rejects": "the server lets no such user in",
    "is not permitted to log in": "the server lets no such user in",
    "permission denied for database": "the user may not connect to this database",
    "does not support ssl": "the server offers no TLS",
    "root certificate file": "the file with the root certificate, sslrootcert, is missing",
    "certificate verify failed": "the server's certificate is not trusted",
    "does not match host name": "the server's certificate is for another host",
    "invalid uri query parameter": "the address has an unknown option",
    ' value: "': "an option of the address has an unknown value",
    "bad value for": "an option of the address has an unknown value",
    "invalid port number": "the address has an invalid port",
    "does not exist": "there is no such user or database",
}


class Reach:
    """What became of the last attempt to connect to one server. Safe for several threads."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._connected = False
        self._failure = ""

    @property
    def has_answered(self) -> bool:
        """Whether the server has let this process in: then one that is gone is probably restarting."""
        return self._connected

    def connection_class(self) -> "type[psycopg.Connection[Row]]":
        """Return a class of connections that reports here how connecting went."""
        reach = self

        class Reporting(psycopg.Connection[Row]):
            @classmethod
            def connect(cls, *args: Any, **kwargs: Any) -> Any:
                try:
                    made = super().connect(*args, **kwargs)
                except psycopg.Error as error:
                    reach.note(str(error))
                    raise
                reach.note("")
                return made

        return Reporting

    def note(self, failure: str) -> None:
        """Note what the attempt failed with; empty if it did not."""
        with self._lock:
            self._failure = failure.lower()
            self._connected = self._connected or not failure

    def lasting_failure(self) -> str:
        """Return why waiting is useless; empty if it may help."""
        failure = self._failure
        return "" if self._connected or _meaning(failure, _MAY_PASS) else _meaning(failure, _LASTING)

    def error(self) -> Unavailable:
        """Return the error for a caller, with what is known. No message of the server is repeated."""
        why = _meaning(self._failure, _MAY_PASS) or _meaning(self._failure, _LASTING)
        if not (self._failure or self._connected):
            why = "no answer"
        return Unavailable(
            f"{self._address.shown} cannot be reached{f': {why}' if why else ''}",
            code="unreachable",
            hint="check that the server runs and the address is right",
        )

    def tell_waiting(self) -> None:
        """Tell the listener that a caller waits, and why."""
        why = _meaning(self._failure, _MAY_PASS) or "no answer yet"
        log.info("waiting for %s: %s", self._address.shown, why)


def _meaning(failure: str, known: dict[str, str]) -> str:
    return next((meaning for words, meaning in known.items() if words in failure), "")


def reach_problem(address: StoreAddress, seconds: float) -> str:
    """Return why a database cannot be reached now; empty if it can."""
    reach = Reach(address)
    try:
        reach.connection_class().connect(address.conninfo, connect_timeout=max(2, int(seconds))).close()
    except psycopg.Error:
        return reach.error().message
    return ""
