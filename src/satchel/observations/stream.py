"""Bytes into events: one object, however it is laid out, or one to a line."""

from satchel.domain.strict_json import read_object
from satchel.errors import InvalidRequest

# A longer one is named and left out: nothing a tool says is worth the wait.
MAX_EVENT_BYTES = 16 << 20


class EventStream:
    """Cuts what arrives piece by piece into events; give it every piece, then say that it has ended."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._is_first = True
        self._is_one = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Take the next piece, and return the events that are whole by now."""
        if self._is_one and len(self._rest) + len(piece) <= MAX_EVENT_BYTES:
            self._rest += piece
            return []
        self._is_one = False
        *whole, rest = (bytes(self._rest) + piece).split(b"\n")
        if whole and self._is_first and _is_begun(whole[0]):
            # An object over several lines: only its end will tell.
            self._is_one, self._is_first = True, False
            self._rest = bytearray(b"\n".join([*whole, rest]))
            return []
        self._is_first = self._is_first and not any(line.strip() for line in whole)
        self._rest = bytearray()
        self._keep(rest)
        return self._lines(whole)

    def end(self) -> list[bytes]:
        """Return what is left when nothing more comes."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [rest] if not self._is_one or _is_object(rest) else self._lines(rest.split(b"\n"))

    def _keep(self, piece: bytes) -> None:
        # One byte more than allowed is enough to know that it is too long.
        self._rest += piece[: max(0, MAX_EVENT_BYTES + 1 - len(self._rest))]

    def _lines(self, lines: list[bytes]) -> list[bytes]:
        return [line for line in lines if line.strip()]


def _is_begun(line: bytes) -> bool:
    return line.lstrip().startswith(b"{") and line.rstrip().endswith((b"{", b"[", b",")) and not _is_object(line)


def _is_object(raw: bytes) -> bool:
    try:
        read_object(raw)
    except InvalidRequest:
        return False
    return True
