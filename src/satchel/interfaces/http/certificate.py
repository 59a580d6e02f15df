"""The certificate of a server: loaded at the start, and again when its files change."""

import logging
import ssl
import stat

from satchel.errors import InvalidRequest, Refused
from satchel.interfaces.http.binding import CertificateFiles
from satchel.interfaces.http.lifetime import FileState, state_of
from satchel.os_calls import is_owner

_log = logging.getLogger("satchel.serve")
_BY_GROUP_READ = 0o040
_BY_OTHERS = 0o077


class Certificate:
    """Gives new connections the present certificate; those that are open keep theirs."""

    def __init__(self, files: CertificateFiles) -> None:
        self._files = files
        self._states = self._present_states()
        self._current = load_certificate(files)
        self.context = load_certificate(files)
        """What a server listens with."""
        self.context.sni_callback = self._take_current

    def reload(self) -> None:
        """Load the files again if they changed. If they do not fit, the certificate before stays in use."""
        states = self._present_states()
        if states == self._states:
            return
        self._states = states
        try:
            self._current = load_certificate(self._files)
        except (InvalidRequest, Refused) as error:
            _log.error("the certificate before stays in use: %s", error.message)
        else:
            _log.info("loaded the certificate again")

    def _take_current(self, connection: ssl.SSLObject, name: str | None, context: ssl.SSLContext) -> None:
        connection.context = self._current

    def _present_states(self) -> tuple[FileState, FileState]:
        return state_of(self._files.certificate), state_of(self._files.key)


def load_certificate(files: CertificateFiles) -> ssl.SSLContext:
    """Return the context of a server with a certificate, or raise if a file is missing, unfit, or open to others."""
    _check_private(files)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password, OpenSSL would ask for one at the terminal.
        context.load_cert_chain(files.certificate, files.key, password=lambda: b"")
    except FileNotFoundError:
        raise InvalidRequest(f"there is no file {files.certificate}", code="no_certificate") from None
    except (OSError, ssl.SSLError) as error:
        raise InvalidRequest(
            f"{files.certificate} and {files.key} cannot be used: {error.strerror or type(error).__name__}",
            code="bad_certificate",
            hint="both in PEM, the key that of the first certificate and without a passphrase",
        ) from None
    return context


def _check_private(files: CertificateFiles) -> None:
    """Require that nobody else can read the key: mode 0600, or 0640 if it belongs to root."""
    try:
        found = files.key.stat()
    except OSError:
        raise InvalidRequest(f"there is no file {files.key}", code="no_certificate") from None
    allowed = _BY_GROUP_READ if found.st_uid == 0 and not is_owner(found.st_uid) else 0
    if stat.S_IMODE(found.st_mode) & _BY_OTHERS & ~allowed:
        raise Refused(f"others can read {files.key}", code="open_key", hint=f"chmod 600 {files.key}")
