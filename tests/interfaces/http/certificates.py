"""Certificates for tests, made on the spot."""

import datetime
import ipaddress
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAMES = ("localhost", "memory.test")


_USAGE = x509.KeyUsage(
    digital_signature=True,
    key_cert_sign=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    crl_sign=False,
    encipher_only=False,
    decipher_only=False,
)


class Files(NamedTuple):
    """A certificate that vouches for itself, and its key."""

    certificate: Path
    key: Path

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `satchel serve` that use it."""
        return "--tls-cert", str(self.certificate), "--tls-key", str(self.key)


def make_certificate(folder: Path, name: str = "server", passphrase: bytes | None = None) -> Files:
    """Write a new certificate for this machine, and its key, which only the owner can read."""
    folder.mkdir(exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    alternatives = [*(x509.DNSName(one) for one in NAMES), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        # Python 3.13 and later require the rest.
        .add_extension(_USAGE, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    files = Files(folder / f"{name}.pem", folder / f"{name}-key.pem")
    files.certificate.write_bytes(certificate.public_bytes(pem))
    files.key.write_bytes(key.private_bytes(pem, form, encryption))
    files.key.chmod(0o600)
    return files
