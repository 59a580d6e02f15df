"""The certificate of a server: whose key others can read is refused, and a new one is taken up."""

from pathlib import Path

import pytest

from satchel.errors import InvalidRequest, Refused
from satchel.interfaces.http.binding import CertificateFiles
from satchel.interfaces.http.certificate import Certificate, load_certificate
from tests.interfaces.http.certificates import make_certificate
from tests.tables import each_case


@each_case("mode", [0o644, 0o640, 0o604, 0o660, 0o666, 0o601])
def test_a_key_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    files = make_certificate(tmp_path / "tls")
    files.key.chmod(mode)

    with pytest.raises(Refused) as refused:
        load_certificate(CertificateFiles(*files))
    assert refused.value.code == "open_key"
    assert "chmod 600" in refused.value.hint


def test_files_that_are_missing_or_do_not_fit_are_an_error(tmp_path: Path) -> None:
    files, other = make_certificate(tmp_path, "a"), make_certificate(tmp_path, "b")
    locked = make_certificate(tmp_path, "locked", passphrase=b"open sesame")
    empty = tmp_path / "empty.pem"
    empty.write_bytes(b"")
    cases = {
        (files.certificate, other.key): "bad_certificate",
        (empty, files.key): "bad_certificate",
        (files.key, files.key): "bad_certificate",
        (locked.certificate, locked.key): "bad_certificate",
        (tmp_path, files.key): "bad_certificate",
        (tmp_path / "none.pem", files.key): "no_certificate",
        (files.certificate, tmp_path / "none.pem"): "no_certificate",
    }
    for pair, code in cases.items():
        with pytest.raises(InvalidRequest) as refused:
            load_certificate(CertificateFiles(*pair))
        assert refused.value.code == code, pair


def test_a_changed_certificate_is_loaded_and_an_unfit_one_is_not(tmp_path: Path) -> None:
    files, other = make_certificate(tmp_path, "a"), make_certificate(tmp_path, "b")
    certificate = Certificate(CertificateFiles(*files))
    first = certificate._current

    certificate.reload()
    assert certificate._current is first
    # Half of a renewal: the certificate is new, the key is not.
    files.certificate.write_bytes(other.certificate.read_bytes())
    certificate.reload()
    assert certificate._current is first
    files.key.write_bytes(other.key.read_bytes())
    certificate.reload()
    assert certificate._current is not first
